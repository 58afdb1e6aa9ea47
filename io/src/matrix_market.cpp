#include <algorithm>
#include <cmath>

#include "graph_parsers.hpp"
#include "matrix_market_header.hpp"
#include "parallel_chunks.hpp"

namespace mangrove::io::detail {

namespace {

constexpr const char* row_expected = "a row number";
constexpr const char* column_expected = "a column number";

/// What the lines of one file look like.
struct entry_form {
  matrix_header header;
  edge_weights weights;
  std::uint64_t column_offset;  ///< added to columns: the rows of a bipartite graph
};

double take_value(line_cursor& cursor, matrix_field field) {
  switch (field) {
    case matrix_field::pattern:
      return 1;
    case matrix_field::integer:
      return static_cast<double>(cursor.signed_number("the entry's value, a signed 64-bit integer"));
    case matrix_field::real:
      return cursor.real_number("the entry's value, a finite number");
    case matrix_field::complex:
      break;
  }
  const double real = cursor.real_number("the real part of the entry's value");
  const double imaginary = cursor.real_number("the imaginary part of the entry's value");
  const double magnitude = std::hypot(real, imaginary);
  if (!std::isfinite(magnitude)) cursor.fail("the value's magnitude is too large for a 64-bit floating-point number");
  return magnitude;
}

[[noreturn]] void fail_range(const line_cursor& cursor, const char* what, std::uint64_t value, std::uint64_t last) {
  cursor.fail(std::string(what) + " " + std::to_string(value) + " is outside the matrix, expected 1 to " +
              std::to_string(last));
}

std::uint64_t parse_coordinates(std::string_view text, const entry_form& form, edge_columns& out) {
  constexpr std::size_t usual_line_bytes = 12;
  out.sources.reserve(text.size() / usual_line_bytes);
  out.targets.reserve(text.size() / usual_line_bytes);
  const matrix_header& header = form.header;
  const bool weighted = header.field != matrix_field::pattern && form.weights == edge_weights::keep;
  line_cursor cursor(text, comment_marks::percent);
  while (cursor.next_data_line()) {
    const std::uint64_t row = cursor.unsigned_number(row_expected);
    const std::uint64_t column = cursor.unsigned_number(column_expected);
    if (row - 1 >= header.rows) fail_range(cursor, "row", row, header.rows);
    if (column - 1 >= header.columns) fail_range(cursor, "column", column, header.columns);
    if (header.symmetry == matrix_symmetry::skew_symmetric && row == column) {
      cursor.fail("a skew-symmetric matrix has no entries on its diagonal");
    }
    const double value = take_value(cursor, header.field);
    cursor.end_line("the line to end after the entry");
    out.sources.push_back(row);
    out.targets.push_back(column + form.column_offset);
    if (weighted) out.weights.push_back(value);
  }
  return cursor.newlines();
}

std::uint64_t parse_array_values(std::string_view text, const entry_form& form, std::vector<double>& values) {
  line_cursor cursor(text, comment_marks::percent);
  while (cursor.next_data_line()) {
    values.push_back(take_value(cursor, form.header.field));
    cursor.end_line("the line to end after the entry");
  }
  return cursor.newlines();
}

/// The line of the `index`-th line with data of a chunk, both counted as elsewhere: lines from 1, data from 0.
std::uint64_t line_of_entry(std::string_view text, std::uint64_t index) {
  line_cursor cursor(text, comment_marks::percent);
  while (cursor.next_data_line() && index-- > 0) {
    while (!cursor.at_line_end()) cursor.word();
    cursor.end_line("");
  }
  return cursor.line();
}

/// Counts entries against the header.
class entry_counter {
 public:
  entry_counter(const std::string& name, const matrix_header& header) : name_(name), header_(header) {}

  void add(std::uint64_t entries, std::string_view text, std::uint64_t lines_before) {
    if (entries > header_.entries - found_) {
      const std::uint64_t line = lines_before + line_of_entry(text, header_.entries - found_);
      throw io_error(name_, line, promised() + ", but another one follows");
    }
    found_ += entries;
  }
  void finish(std::uint64_t lines) const {
    if (found_ == header_.entries) return;
    throw io_error(name_, lines, promised() + ", but the file ends after " + std::to_string(found_));
  }

 private:
  [[nodiscard]] std::string promised() const {
    return "the size line (line " + std::to_string(header_.size_line) + ") says " + std::to_string(header_.entries) +
           " entries";
  }

  const std::string& name_;
  const matrix_header& header_;
  std::uint64_t found_ = 0;
};

void read_coordinates(text_source& source, const entry_form& form, edge_list& edges) {
  entry_counter counter(source.name(), form.header);
  std::size_t bytes_done = 0;
  const auto parse = [&](std::string_view text, edge_columns& out) { return parse_coordinates(text, form, out); };
  const auto consume = [&](parsed_chunk<edge_columns>& parsed, std::uint64_t lines_before) {
    const std::string_view text = parsed.chunk.text;
    counter.add(parsed.columns.sources.size(), text, lines_before);
    check(parsed, source.name(), lines_before);
    bytes_done += text.size();
    append(edges, parsed.columns, text.size(), std::max(source.text_bytes(), bytes_done) - bytes_done);
  };
  counter.finish(parse_chunks<edge_columns>(source, parse, consume));
}

/// The place of the next value of an array, column by column, of the part of it that is stored.
struct array_position {
  std::uint64_t row = 1;
  std::uint64_t column = 1;

  void start(matrix_symmetry symmetry) { row = symmetry == matrix_symmetry::skew_symmetric ? 2 : 1; }
  void advance(const matrix_header& header) {
    if (row++ < header.rows) return;
    ++column;
    const bool general = header.symmetry == matrix_symmetry::general;
    const bool skew = header.symmetry == matrix_symmetry::skew_symmetric;
    row = general ? 1 : (skew ? column + 1 : column);
  }
};

void read_array(text_source& source, const entry_form& form, edge_list& edges) {
  entry_counter counter(source.name(), form.header);
  array_position position;
  position.start(form.header.symmetry);
  const auto parse = [&](std::string_view text, std::vector<double>& values) {
    return parse_array_values(text, form, values);
  };
  const auto consume = [&](parsed_chunk<std::vector<double>>& parsed, std::uint64_t lines_before) {
    counter.add(parsed.columns.size(), parsed.chunk.text, lines_before);
    check(parsed, source.name(), lines_before);
    for (const double value : parsed.columns) {
      if (value != 0) {
        edges.sources.push_back(position.row);
        edges.targets.push_back(position.column + form.column_offset);
        if (form.weights == edge_weights::keep) edges.weights.push_back(value);
      }
      position.advance(form.header);
    }
  };
  counter.finish(parse_chunks<std::vector<double>>(source, parse, consume));
}

std::uint64_t count_vertices(const text_source& source, const matrix_header& header, const read_options& options) {
  if (header.rows == header.columns) return header.rows;
  const std::string shape = std::to_string(header.rows) + " rows and " + std::to_string(header.columns) + " columns";
  if (options.rectangular == rectangular_matrix::reject) {
    throw io_error(source.name(), header.size_line, "expected a square matrix, found " + shape);
  }
  std::uint64_t vertices = 0;
  if (__builtin_add_overflow(header.rows, header.columns, &vertices)) {
    throw io_error(source.name(), header.size_line, shape + " are more vertices than 64 bits count");
  }
  return vertices;
}

}  // namespace

edge_list parse_matrix_market(text_source& source, const read_options& options) {
  const matrix_header header = read_matrix_header(source);
  edge_list edges;
  edges.vertex_count = count_vertices(source, header, options);
  const entry_form form{header, options.weights, header.rows == header.columns ? 0 : header.rows};
  if (header.layout == matrix_layout::coordinate) {
    read_coordinates(source, form, edges);
  } else {
    read_array(source, form, edges);
  }
  const bool general = header.symmetry == matrix_symmetry::general;
  const edge_direction wanted = options.direction;
  edges.directed = wanted == edge_direction::directed || (wanted == edge_direction::as_stored && general);
  if (edges.directed && !general) {
    const bool complex = header.field == matrix_field::complex;
    add_mirrored(edges, header.symmetry == matrix_symmetry::skew_symmetric && !complex ? -1 : 1);
  }
  return edges;
}

}  // namespace mangrove::io::detail
