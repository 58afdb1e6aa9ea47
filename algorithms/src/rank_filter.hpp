#pragma once

#include "batch_edges.hpp"

namespace mangrove::detail::triangles {

/// The edges of one kind that a batch has at a vertex.
struct row_changes {
  batch_edges batch;
  edge_action kind;
  std::uint32_t from;
  edge_range row;

  MANGROVE_HOST_DEVICE static row_changes of(const batch_edges& batch, edge_action kind, std::uint32_t vertex) {
    return {batch, kind, vertex, batch.row(vertex)};
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool holds(std::uint32_t to) const {
    const std::uint64_t edge = static_cast<std::uint64_t>(from) << 32 | to;
    const std::size_t at = lower_bound(batch.edges, row.begin, row.end, edge);
    return at < row.end && batch.edges[at] == edge && batch.actions[at] == kind;
  }
};

/// Whether the triangle of a batch edge (a, b) and a common neighbour w of its ends counts at that edge: at the edge of
/// the batch of highest rank, the rank being `edge_key`.
/// @param of_a, of_b the batch's edges at a and at b: anything that can say whether it `holds` a neighbour
template <class ChangesOfA, class ChangesOfB>
MANGROVE_HOST_DEVICE bool counts_here(std::uint32_t a, const ChangesOfA& of_a, std::uint32_t b, const ChangesOfB& of_b,
                                      std::uint32_t w) {
  if (w == a || w == b) return false;  // a self loop
  // (a, w) differs from (a, b) in one end, so it ranks higher exactly if w > b.
  if (w > b && of_a.holds(w)) return false;
  return w < a || !of_b.holds(w);
}

}  // namespace mangrove::detail::triangles
