#pragma once

#include "mangrove/algorithms/oriented_graph.hpp"
#include "mangrove/graph/graph_change.hpp"
#include "ranges.hpp"

namespace mangrove::detail::triangles {

/// The net edges of a batch as bodies see them: both directions of each, ascending.
struct batch_edges {
  const std::uint64_t* edges;
  const edge_action* actions;
  std::size_t size;

  /// Whether edge i is of a kind, and the one of its two directions that stands for it. Self loops stand for nothing.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool counts(std::size_t i, edge_action kind) const {
    return actions[i] == kind && source_of(edges[i]) < target_of(edges[i]);
  }

  /// Where the edges from a vertex stand.
  [[nodiscard]] MANGROVE_HOST_DEVICE edge_range row(std::uint32_t vertex) const {
    const std::uint64_t first = static_cast<std::uint64_t>(vertex) << 32;
    const std::size_t begin = lower_bound(edges, 0, size, first);
    std::size_t step = 1;  // most rows are short
    while (begin + step < size && source_of(edges[begin + step]) <= vertex) step *= 2;
    const std::size_t last = begin + step < size ? begin + step : size;
    return {begin, lower_bound(edges, begin, last, first | ~std::uint32_t{0})};
  }
};

template <backend B>
batch_edges view_of(const graph_change<B>& change) {
  return {change.edges.data(), change.actions.data(), change.size()};
}

}  // namespace mangrove::detail::triangles
