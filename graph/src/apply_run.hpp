#pragma once

#include "mangrove/core/load_row.hpp"
#include "run_changes.hpp"

namespace mangrove::detail {

/// What the bodies that apply runs have in common: one for each kind of adjacency, for one lane that has the vertex to
/// itself.
template <class Bits>
struct apply_run : run_changes<Bits> {
  using base = run_changes<Bits>;
  using base::runs, base::status;
  using sums_type = run_counts::totals;
  /// Lanes wait for memory most of the time; but those that hold weights as well would not have enough registers.
  static constexpr int blocks_at_once = is_none<Bits> ? 4 : 3;

  /// Asks for run i, which is there before it is known whether the batch may go.
  using asked_type = vertex_run;
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run ask(std::size_t i) const { return load_whole(runs + i); }

  /// Applies a run by the `apply` of a body.
  template <class Body, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE static run_counts::totals apply_one(const Body& body, const Tile& tile,
                                                                         const vertex_run& run) {
    return body.apply(tile, run, body.graph.entries[run.vertex], body.targets[run.first]).as_totals();
  }

  /// Counts what runs came to.
  MANGROVE_HOST_DEVICE void book(const sums_type& all) const {
    unrolled<3>([&](int k) {
      if (all.of[k] != 0) fetch_add(&status->outcomes.edges[k + 1], all.of[k]);
      if (all.of[3 + k] != 0) fetch_add(&status->outcomes.loops[k + 1], all.of[3 + k]);
    });
  }
};

}  // namespace mangrove::detail
