#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "file_format.hpp"
#include "graph_parsers.hpp"
#include "mangrove/core/error.hpp"
#include "matrix_market_header.hpp"

namespace mangrove::io {

namespace detail {

namespace {

/// All that a reader gives, for formats that are not parsed piecewise.
std::vector<char> read_all(byte_reader& reader) {
  constexpr std::size_t first_bytes = std::size_t{1} << 20;
  std::vector<char> bytes(first_bytes);
  std::size_t size = 0;
  while (const std::size_t got = reader.read(bytes.data() + size, bytes.size() - size)) {
    size += got;
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
  return bytes;
}

edge_list parse_binary_input(const input& input, const read_options& options) {
  if (input.reader() == nullptr) return parse_binary(input.name(), input.memory(), options);
  const std::vector<char> bytes = read_all(*input.reader());
  return parse_binary(input.name(), {bytes.data(), bytes.size()}, options);
}

}  // namespace

graph_format format_of_name(const std::string& path) {
  if (path == "-") return graph_format::by_name;
  const std::string_view name = has_suffix(path, ".gz") ? std::string_view(path).substr(0, path.size() - 3) : path;
  if (has_suffix(name, ".mtx")) return graph_format::matrix_market;
  for (const std::string_view extension : {".txt", ".el", ".edges", ".tsv"}) {
    if (has_suffix(name, extension)) return graph_format::edge_list;
  }
  if (has_suffix(path, ".mgb")) return graph_format::binary;
  throw io_error(path, 0,
                 "has an unknown extension, expected .mtx, .txt, .el, .edges, .tsv (each also with .gz) or .mgb");
}

edge_list parse_graph(input& input, const read_options& options, std::size_t chunk_bytes) {
  graph_format format = options.format;
  if (format == graph_format::by_name) format = format_of_name(input.name());
  if (format == graph_format::by_name && is_binary(input.peek(magic_bytes))) format = graph_format::binary;
  if (format == graph_format::binary) return parse_binary_input(input, options);
  text_source source(input, chunk_bytes);
  if (options.format == graph_format::by_name) {
    std::string_view first_line;
    if (source.next_line(first_line)) {
      if (is_matrix_market_banner(first_line)) format = graph_format::matrix_market;
      source.unread_line();
    }
  }
  if (format == graph_format::matrix_market) return parse_matrix_market(source, options);
  return parse_edge_list(source, options);
}

}  // namespace detail

edge_list read_graph(const std::string& path, const read_options& options) {
  if (options.format == graph_format::by_name) static_cast<void>(detail::format_of_name(path));
  detail::input input(path);
  try {
    return detail::parse_graph(input, options);
  } catch (const std::bad_alloc&) {
    throw memory_error(path + ": the graph needs more memory than there is");
  }
}

}  // namespace mangrove::io
