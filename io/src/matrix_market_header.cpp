#include "matrix_market_header.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "line_cursor.hpp"
#include "mangrove/core/error.hpp"

namespace mangrove::io::detail {

namespace {

constexpr std::string_view banner_word = "%%matrixmarket";

std::string lower_case(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

template <typename Value, std::size_t Size>
Value choose(const line_cursor& cursor, const std::string& word,
             const std::array<std::pair<std::string_view, Value>, Size>& choices, const char* expected) {
  for (const auto& [name, value] : choices) {
    if (word == name) return value;
  }
  cursor.fail("expected " + std::string(expected) + ", found " + (word.empty() ? "the end of the line" : quoted(word)));
}

matrix_layout parse_layout(const line_cursor& cursor, const std::string& word) {
  constexpr std::array<std::pair<std::string_view, matrix_layout>, 2> choices{
      {{"coordinate", matrix_layout::coordinate}, {"array", matrix_layout::array}}};
  return choose(cursor, word, choices, "the format 'coordinate' or 'array'");
}

matrix_field parse_field(const line_cursor& cursor, const std::string& word) {
  constexpr std::array<std::pair<std::string_view, matrix_field>, 4> choices{{{"pattern", matrix_field::pattern},
                                                                              {"integer", matrix_field::integer},
                                                                              {"real", matrix_field::real},
                                                                              {"complex", matrix_field::complex}}};
  return choose(cursor, word, choices, "the field 'pattern', 'integer', 'real' or 'complex'");
}

matrix_symmetry parse_symmetry(const line_cursor& cursor, const std::string& word) {
  constexpr std::array<std::pair<std::string_view, matrix_symmetry>, 4> choices{
      {{"general", matrix_symmetry::general},
       {"symmetric", matrix_symmetry::symmetric},
       {"skew-symmetric", matrix_symmetry::skew_symmetric},
       {"hermitian", matrix_symmetry::hermitian}}};
  return choose(cursor, word, choices, "the symmetry 'general', 'symmetric', 'skew-symmetric' or 'hermitian'");
}

void parse_banner(std::string_view line, matrix_header& header) {
  if (!is_matrix_market_banner(line)) {
    throw line_error{1, "expected the banner '%%MatrixMarket matrix ...' of a Matrix Market file"};
  }
  line_cursor cursor(line.substr(banner_word.size()), comment_marks::percent);
  if (!cursor.next_data_line()) cursor.fail("the banner ends after '%%MatrixMarket', expected 'matrix'");
  const std::string object = lower_case(cursor.word());
  if (object != "matrix") cursor.fail("the object " + quoted(object) + " is not supported, expected 'matrix'");
  header.layout = parse_layout(cursor, lower_case(cursor.word()));
  header.field = parse_field(cursor, lower_case(cursor.word()));
  header.symmetry = parse_symmetry(cursor, lower_case(cursor.word()));
  cursor.end_line("the banner to end after the symmetry");
  if (header.layout == matrix_layout::array && header.field == matrix_field::pattern) {
    cursor.fail("an array cannot be a pattern, expected 'integer', 'real' or 'complex'");
  }
  if (header.symmetry == matrix_symmetry::hermitian && header.field != matrix_field::complex) {
    cursor.fail("only a complex matrix can be Hermitian, expected the field 'complex'");
  }
  if (header.symmetry == matrix_symmetry::skew_symmetric && header.field == matrix_field::pattern) {
    cursor.fail("a pattern cannot be skew-symmetric, expected the field 'integer', 'real' or 'complex'");
  }
}

/// Entries of an array that the file stores; `false` where their number does not fit.
bool count_array_entries(matrix_header& header) {
  std::uint64_t product = 0;
  if (header.symmetry == matrix_symmetry::general) {
    return !__builtin_mul_overflow(header.rows, header.columns, &header.entries);
  }
  // n (n + 1) / 2 with the diagonal, n (n - 1) / 2 without it
  const std::uint64_t n = header.rows;
  const bool diagonal = header.symmetry != matrix_symmetry::skew_symmetric;
  const std::uint64_t other = diagonal ? n + 1 : n - std::min<std::uint64_t>(n, 1);
  if ((diagonal && other == 0) || __builtin_mul_overflow(n, other, &product)) return false;
  header.entries = product / 2;
  return true;
}

void parse_size_line(line_cursor& cursor, matrix_header& header) {
  const bool coordinate = header.layout == matrix_layout::coordinate;
  const char* expected = coordinate ? "the size line 'rows columns entries'" : "the size line 'rows columns'";
  header.rows = cursor.unsigned_number(expected);
  header.columns = cursor.unsigned_number(expected);
  if (coordinate) header.entries = cursor.unsigned_number(expected);
  cursor.end_line(coordinate ? "the size line to end after 'rows columns entries'"
                             : "the size line to end after 'rows columns'");
  if (header.symmetry != matrix_symmetry::general && header.rows != header.columns) {
    throw line_error{1, "a matrix that is not general must be square, but it has " + std::to_string(header.rows) +
                            " rows and " + std::to_string(header.columns) + " columns"};
  }
  if (!coordinate && !count_array_entries(header)) throw line_error{1, "the array has more entries than 64 bits count"};
}

}  // namespace

bool is_matrix_market_banner(std::string_view line) {
  return lower_case(line.substr(0, banner_word.size())) == banner_word &&
         (line.size() == banner_word.size() || std::isspace(static_cast<unsigned char>(line[banner_word.size()])) != 0);
}

matrix_header read_matrix_header(text_source& source) {
  matrix_header header{};
  std::string_view line;
  try {
    if (!source.next_line(line)) throw io_error(source.name(), 0, "is empty, expected a Matrix Market file");
    parse_banner(line, header);
    while (source.next_line(line)) {
      line_cursor cursor(line, comment_marks::percent);
      if (!cursor.next_data_line()) continue;
      parse_size_line(cursor, header);
      header.size_line = source.lines();
      return header;
    }
  } catch (const line_error& failure) {
    throw io_error(source.name(), source.lines(), failure.message);
  }
  throw io_error(source.name(), source.lines(), "the file ends before its size line");
}

}  // namespace mangrove::io::detail
