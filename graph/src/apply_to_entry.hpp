#pragma once

#include "apply_run.hpp"
#include "array_neighbors.hpp"
#include "mangrove/core/prefetch.hpp"

namespace mangrove::detail {

/// Body: applies a run to neighbours that are, and stay, in the dictionary entry.
template <class Bits>
struct apply_to_entry : apply_run<Bits> {
  static constexpr int prefetch_stages = 1;
  static constexpr bool may_move = false;
  using base = apply_run<Bits>;
  using base::graph, base::runs;
  using typename base::array;

  template <int Stage>
  void prefetch(std::size_t i) const {
    mangrove::prefetch(graph.entries + runs[i].vertex);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE run_counts::totals operator()(const Tile& tile, const vertex_run& run) const {
    return base::apply_one(*this, tile, run);
  }

  /// @param entry the vertex's, a copy @param first the target of the run's first update
  template <class Lane>
  MANGROVE_HOST_DEVICE run_counts apply(const Lane&, const vertex_run& run, vertex_entry entry,
                                        std::uint32_t first) const {
    run_counts made{};
    held_in_entry<Lane, Bits> neighbors;
    neighbors.load(array::inlined(&entry), entry.degree);
    base::change_all(neighbors, run, first, made);
    neighbors.store(array::inlined(&entry));
    entry.degree = neighbors.size();
    graph.entries[run.vertex] = entry;
    return made;
  }
};

}  // namespace mangrove::detail
