#pragma once

#include <cstdint>
#include <vector>

#include "apps/graph_input.hpp"

namespace mangrove::app {

/// What a graph knows about the vertex with each index, in host memory.
struct vertex_rows {
  static constexpr std::uint32_t absent = ~std::uint32_t{0};

  std::vector<std::uint64_t> ids;
  std::vector<std::uint32_t> degrees;  ///< `absent` where no vertex has the index

  [[nodiscard]] bool exists(std::size_t index) const { return degrees[index] != absent; }
};

/// Reads all vertices of a graph. Instantiated for both backends.
template <backend B>
vertex_rows read_vertices(const resources<B>& res, const app_graph<B>& graph);

}  // namespace mangrove::app
