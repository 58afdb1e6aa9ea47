#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "graph_parsers.hpp"
#include "mangrove/core/error.hpp"

namespace mangrove::io::fuzz {

/// What came of parsing: a graph, or the line of the error.
struct outcome {
  edge_list graph;
  bool failed = false;
  std::uint64_t line = 0;
};

inline outcome parse(std::string_view bytes, graph_format format, std::size_t chunk_bytes) {
  read_options options;
  options.format = format;
  outcome result;
  try {
    detail::input input("fuzz", bytes);
    result.graph = detail::parse_graph(input, options, chunk_bytes);
  } catch (const io_error& error) {
    result.failed = true;
    result.line = error.line();
  }
  return result;
}

/// Weights are compared bit by bit.
inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Parses twice, with chunks so small that nearly every line is one of its own: the outcome must be the same.
inline void check_text_parser(const std::uint8_t* data, std::size_t size, graph_format format) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const outcome whole = parse(bytes, format, std::size_t{1} << 16);
  const outcome pieces = parse(bytes, format, 5);
  require(whole.failed == pieces.failed);
  // Where both a line and its compression are broken, either may be reported.
  require(whole.line == pieces.line || whole.line == 0 || pieces.line == 0);
  require(whole.graph.sources == pieces.graph.sources);
  require(whole.graph.targets == pieces.graph.targets);
  require(same(whole.graph.weights, pieces.graph.weights));
  require(whole.graph.vertex_count == pieces.graph.vertex_count);
  require(whole.graph.targets.size() == whole.graph.size());
  require(!whole.graph.weighted() || whole.graph.weights.size() == whole.graph.size());
}

}  // namespace mangrove::io::fuzz
