#pragma once

#include "mangrove/algorithms/oriented_graph.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/graph/dynamic_graph.hpp"

namespace mangrove::detail::triangles {

template <backend B, class Vertex, class Weight>
void require_undirected(const dynamic_graph<B, Vertex, Weight>& graph) {
  if (graph.options().direction == edge_direction::undirected) return;
  throw usage_error("triangles are counted in undirected graphs, but this graph is directed: load it as undirected");
}

/// The rows of an undirected graph, without its weights.
template <backend B, class Vertex, class Weight>
csr<B, none> undirected_rows(const resources<B>& res, const dynamic_graph<B, Vertex, Weight>& graph) {
  require_undirected(graph);
  auto rows = graph.to_csr(res);
  return {std::move(rows.offsets), std::move(rows.targets), {}};
}

}  // namespace mangrove::detail::triangles
