#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "binary_format.hpp"
#include "byte_reader.hpp"
#include "compact_ids.hpp"
#include "file_format.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/io/graph_file.hpp"
#include "output_file.hpp"
#include "text_writer.hpp"

namespace mangrove::io {

namespace detail {

namespace {

void check_columns(const edge_list& edges) {
  const bool same = edges.targets.size() == edges.size() && (!edges.weighted() || edges.weights.size() == edges.size());
  if (!same) throw usage_error("write_graph: the columns of the edge list differ in length");
}

std::uint64_t largest_id(const edge_list& edges) {
  std::uint64_t largest = 0;
  for (const std::uint64_t id : edges.sources) largest = std::max(largest, id);
  for (const std::uint64_t id : edges.targets) largest = std::max(largest, id);
  return largest;
}

/// Rows of the matrix for a graph whose ids become its rows.
std::uint64_t count_rows(const std::string& path, const edge_list& edges) {
  constexpr std::uint64_t always_fine = std::uint64_t{1} << 24;
  constexpr std::uint64_t most_rows_per_edge = 64;
  const auto has_zero = [](const std::vector<std::uint64_t>& column) {
    return std::find(column.begin(), column.end(), 0) != column.end();
  };
  if (has_zero(edges.sources) || has_zero(edges.targets)) {
    throw io_error(path, 0,
                   "the graph has a vertex 0, but the rows of Matrix Market begin with 1; write it with compact ids");
  }
  const std::uint64_t largest = largest_id(edges);
  if (largest > std::max({edges.vertex_count, always_fine, most_rows_per_edge * edges.size()})) {
    throw io_error(path, 0,
                   "the graph has a vertex " + std::to_string(largest) + " but only " + std::to_string(edges.size()) +
                       " edges: nearly all rows of the matrix would be empty; write it with compact ids");
  }
  return std::max(edges.vertex_count, largest);
}

void append_edge(std::string& text, std::uint64_t source, std::uint64_t target, const double* weight) {
  append_number(text, source);
  text += ' ';
  append_number(text, target);
  if (weight != nullptr) {
    text += ' ';
    append_number(text, *weight);
  }
  text += '\n';
}

void write_matrix_market(const std::string& path, const edge_list& edges, compression compress) {
  const std::string rows = std::to_string(count_rows(path, edges));
  const std::string begin = std::string("%%MatrixMarket matrix coordinate ") +
                            (edges.weighted() ? "real " : "pattern ") + (edges.directed ? "general\n" : "symmetric\n") +
                            rows + " " + rows + " " + std::to_string(edges.size()) + "\n";
  output_file file(path);
  write_lines(file, begin, edges.size(), compress, [&](std::string& text, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      std::uint64_t row = edges.sources[i];
      std::uint64_t column = edges.targets[i];
      if (!edges.directed && row < column) std::swap(row, column);  // symmetric files hold the lower triangle
      append_edge(text, row, column, edges.weighted() ? &edges.weights[i] : nullptr);
    }
  });
  file.commit();
}

void write_edge_list(const std::string& path, const edge_list& edges, compression compress) {
  output_file file(path);
  write_lines(file, "", edges.size(), compress, [&](std::string& text, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      append_edge(text, edges.sources[i], edges.targets[i], edges.weighted() ? &edges.weights[i] : nullptr);
    }
  });
  file.commit();
}

template <typename Value>
std::string_view bytes_of(const Value* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(Value)};
}

void write_binary(const std::string& path, const edge_list& edges) {
  binary_header header{};
  header.magic = binary_header::expected_magic;
  header.byte_order = binary_header::expected_byte_order;
  header.version = binary_header::current_version;
  header.flags =
      (edges.directed ? binary_header::directed_flag : 0) | (edges.weighted() ? binary_header::weighted_flag : 0);
  header.edge_count = edges.size();
  header.vertex_count = edges.vertex_count;
  header.checksum = header_checksum(header);
  output_file file(path);
  file.write(bytes_of(&header, 1));
  file.write(bytes_of(edges.sources.data(), edges.size()));
  file.write(bytes_of(edges.targets.data(), edges.size()));
  file.write(bytes_of(edges.weights.data(), edges.weights.size()));
  file.commit();
}

void write_as(graph_format format, const std::string& path, const edge_list& edges) {
  const compression compress = has_suffix(path, ".gz") ? compression::gzip : compression::none;
  switch (format) {
    case graph_format::matrix_market:
      return write_matrix_market(path, edges, compress);
    case graph_format::binary:
      return write_binary(path, edges);
    case graph_format::by_name:  // "-"
    case graph_format::edge_list:
      return write_edge_list(path, edges, compress);
  }
}

}  // namespace

}  // namespace detail

void write_graph(const std::string& path, const edge_list& edges, const write_options& options) {
  detail::check_columns(edges);
  const bool by_name = options.format == graph_format::by_name;
  const graph_format format = by_name ? detail::format_of_name(path) : options.format;
  if (options.vertex_ids == ids::compact) {
    detail::write_as(format, path, detail::with_compact_ids(edges));
  } else {
    detail::write_as(format, path, edges);
  }
}

}  // namespace mangrove::io
