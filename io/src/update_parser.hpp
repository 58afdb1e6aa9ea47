#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mangrove/graph/update.hpp"
#include "mangrove/io/update_reader.hpp"

namespace mangrove::io::detail {

enum class insert_weights { unknown, absent, present };

/// The columns of an update list as they come from one chunk of it.
struct update_columns {
  update_batch updates;
  std::vector<std::int64_t> times;  ///< of timed lists
  insert_weights weights = insert_weights::unknown;
  std::uint64_t first_insert_line = 0;  ///< of signed lists, within the chunk
  std::uint64_t first_line = 0;         ///< of timed lists, the first with data, within the chunk
};

/// Parses a chunk and returns its number of newlines. Throws `line_error`.
std::uint64_t parse_updates(std::string_view text, stream_kind kind, update_columns& out);

/// What a list is, by its first line with data.
[[nodiscard]] stream_kind kind_of_line(std::string_view line);

}  // namespace mangrove::io::detail
