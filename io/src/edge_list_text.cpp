#include <algorithm>

#include "graph_parsers.hpp"
#include "parallel_chunks.hpp"

namespace mangrove::io::detail {

namespace {

constexpr const char* vertex_expected = "a vertex id, an unsigned 64-bit number";
constexpr const char* weight_expected = "a finite number as the edge's weight";
constexpr const char* end_of_pair_expected = "the line to end after two columns, as the lines before it do";
constexpr const char* end_expected = "the line to end after the weight";

enum class third_column { unknown, absent, present };

struct chunk_columns {
  edge_columns edges;
  third_column third = third_column::unknown;
  std::uint64_t first_data_line = 0;
};

std::uint64_t parse_lines(std::string_view text, edge_weights weights, chunk_columns& out) {
  constexpr std::size_t usual_line_bytes = 12;
  out.edges.sources.reserve(text.size() / usual_line_bytes);
  out.edges.targets.reserve(text.size() / usual_line_bytes);
  line_cursor cursor(text, comment_marks::percent_and_hash);
  while (cursor.next_data_line()) {
    out.edges.sources.push_back(cursor.unsigned_number(vertex_expected));
    out.edges.targets.push_back(cursor.unsigned_number(vertex_expected));
    if (out.third == third_column::unknown) {
      out.third = cursor.at_line_end() ? third_column::absent : third_column::present;
      out.first_data_line = cursor.line();
    }
    if (out.third == third_column::absent) {
      cursor.end_line(end_of_pair_expected);
    } else {
      const double weight = cursor.real_number(weight_expected);
      if (weights == edge_weights::keep) out.edges.weights.push_back(weight);
      cursor.end_line(end_expected);
    }
  }
  return cursor.newlines();
}

}  // namespace

void append(edge_list& edges, const edge_columns& columns, std::size_t chunk_bytes, std::size_t rest_bytes) {
  const std::size_t needed = edges.size() + columns.sources.size();
  if (needed > edges.sources.capacity()) {
    // The rest of the file is probably like this chunk; grow by a half at least, as the guess may be too small.
    const double edges_per_byte = static_cast<double>(columns.sources.size()) / static_cast<double>(chunk_bytes);
    const auto guess = needed + static_cast<std::size_t>(1.02 * edges_per_byte * static_cast<double>(rest_bytes));
    const std::size_t capacity = std::max(guess, edges.sources.capacity() + edges.sources.capacity() / 2);
    edges.sources.reserve(capacity);
    edges.targets.reserve(capacity);
    if (!columns.weights.empty()) edges.weights.reserve(capacity);
  }
  edges.sources.insert(edges.sources.end(), columns.sources.begin(), columns.sources.end());
  edges.targets.insert(edges.targets.end(), columns.targets.begin(), columns.targets.end());
  edges.weights.insert(edges.weights.end(), columns.weights.begin(), columns.weights.end());
}

void add_mirrored(edge_list& edges, double sign) {
  const std::size_t count = edges.size();
  edges.sources.reserve(2 * count);
  edges.targets.reserve(2 * count);
  if (edges.weighted()) edges.weights.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    if (edges.sources[i] == edges.targets[i]) continue;
    edges.sources.push_back(edges.targets[i]);
    edges.targets.push_back(edges.sources[i]);
    if (edges.weighted()) edges.weights.push_back(sign * edges.weights[i]);
  }
}

edge_list parse_edge_list(text_source& source, const read_options& options) {
  edge_list edges;
  edges.directed = options.direction == edge_direction::directed;
  third_column third = third_column::unknown;
  std::size_t bytes_done = 0;
  const auto parse = [&](std::string_view text, chunk_columns& out) { return parse_lines(text, options.weights, out); };
  const auto consume = [&](parsed_chunk<chunk_columns>& parsed, std::uint64_t lines_before) {
    const chunk_columns& columns = parsed.columns;
    if (third == third_column::unknown) third = columns.third;
    if (columns.third != third_column::unknown && columns.third != third) {
      const char* wanted = third == third_column::absent ? "two columns" : "three columns";
      throw io_error(source.name(), lines_before + columns.first_data_line,
                     std::string("expected ") + wanted + ", as on the lines before");
    }
    check(parsed, source.name(), lines_before);
    bytes_done += parsed.chunk.text.size();
    const std::size_t total = std::max(source.text_bytes(), bytes_done);
    append(edges, columns.edges, parsed.chunk.text.size(), total - bytes_done);
  };
  parse_chunks<chunk_columns>(source, parse, consume);
  return edges;
}

}  // namespace mangrove::io::detail
