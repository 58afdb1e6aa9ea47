#pragma once

#include "gather_runs.hpp"

namespace mangrove::detail {

/// Body: plans a growing run by one lane, as `plan_stretch` does many; lanes of a warp share atomics. For CUDA.
template <class Bits>
struct plan_lane : run_lists<Bits> {
  using base = run_lists<Bits>;
  using base::growing, base::lists, base::status;
  static constexpr int blocks_at_once = 6;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    vertex_run run = load_whole(growing + i);
    const run_decision<Bits> next = base::decide_ahead(tile, run, base::graph.entries[run.vertex]);
    if (next.has_tree()) return store_relaxed(&status->unsuited, 1U);
    if (next.gives_old()) base::give(next.old.granules());
    if (next.gives_new()) base::give(next.choice.granules);
    if (!next.stays) {
      run.plan = static_cast<std::uint32_t>(i);
      base::plan(run.plan, next.old, next.choice);
      if (next.moves_in_pieces()) base::list_pieces(tile, run.plan, next.old, next.choice);
    }
    const std::uint32_t list = next.list();
    store_whole(lists[list] + count_up(&status->listed[list].value), run);
  }
};

}  // namespace mangrove::detail
