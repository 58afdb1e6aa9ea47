#pragma once

#include <cstdint>

#include "text_source.hpp"

namespace mangrove::io::detail {

enum class matrix_layout { coordinate, array };
enum class matrix_field { pattern, integer, real, complex };
enum class matrix_symmetry { general, symmetric, skew_symmetric, hermitian };

/// The banner and the size line of a Matrix Market file.
struct matrix_header {
  matrix_layout layout;
  matrix_field field;
  matrix_symmetry symmetry;
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t entries;    ///< lines with data that follow
  std::uint64_t size_line;  ///< its line number
};

/// Takes the lines up to and with the size line. Throws `io_error`.
matrix_header read_matrix_header(text_source& source);

/// Whether a line is the first one of a Matrix Market file.
[[nodiscard]] bool is_matrix_market_banner(std::string_view line);

}  // namespace mangrove::io::detail
