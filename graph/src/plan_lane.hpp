#pragma once

#include "gather_runs.hpp"
#include "mangrove/core/shared_items.hpp"
#include "mangrove/core/tile_part.hpp"

namespace mangrove::detail {

/// Body: plans a growing run by one lane, as `plan_stretch` does many. Lanes of a warp share atomics, and the edges
/// that have to be looked up, which some runs have many of and most none. For CUDA.
template <class Bits>
struct plan_lane : run_lists<Bits> {
  using base = run_lists<Bits>;
  using base::growing, base::lists, base::status;
  static constexpr int blocks_at_once = 4;
  static constexpr bool in_step = true;

  template <class Part>
  MANGROVE_HOST_DEVICE void operator()(const Part& part, std::size_t i, bool is_there = true) const {
    const auto& warp = whole_of(part);
    vertex_run run{};
    vertex_entry old{};
    if (is_there) {
      run = load_whole(growing + i);
      old = base::graph.entries[run.vertex];
    }
    const run_decision<Bits> next = decide(warp, run, old);
    if (is_there) plan(warp.solo(), i, run, next);
  }

 private:
  /// What becomes of the lanes' vertices; all lanes together.
  template <class Warp>
  [[nodiscard]] MANGROVE_HOST_DEVICE run_decision<Bits> decide(const Warp& warp, const vertex_run& run,
                                                               const vertex_entry& old) const {
    const run_decision<Bits> made = base::decide_as_if_new(run, old);
    const bool counts = base::has_to_count(made);
    const shared_items shared(warp, counts ? run.count : 0);
    std::uint32_t inserts = 0;
    std::uint32_t erases = 0;
    for (std::uint32_t round = 0; round < shared.all(); round += shared.in_round) {
      const auto item = shared.mine(round);
      const std::uint32_t vertex = warp.broadcast(run.vertex, item.owner);
      const std::uint32_t at = warp.broadcast(run.first, item.owner) + item.k;
      const bool erase = item.is_there && base::kind_of(at) == update_kind::erase;
      const bool is_new = item.is_there && !erase && !base::graph.contains(warp.solo(), vertex, base::targets[at]);
      const std::uint32_t own = shared.lanes_with_own(round);
      inserts += count_bits(warp.ballot(is_new) & own);
      erases += count_bits(warp.ballot(erase) & own);
    }
    return counts ? base::decide(old, inserts, erases) : made;
  }

  template <class Lane>
  MANGROVE_HOST_DEVICE void plan(const Lane& lane, std::size_t i, vertex_run run,
                                 const run_decision<Bits>& next) const {
    if (next.has_tree()) return store_relaxed(&status->unsuited, 1U);
    if (next.gives_old()) base::give(next.old.granules());
    if (next.gives_new()) base::give(next.choice.granules);
    if (!next.stays) {
      run.plan = static_cast<std::uint32_t>(i);
      base::plan(run.plan, next.old, next.choice);
      if (next.moves_in_pieces()) base::list_pieces(lane, run.plan, next.old, next.choice);
    }
    const std::uint32_t list = next.list();
    store_whole(lists[list] + count_up(&status->listed[list].value), run);
  }
};

}  // namespace mangrove::detail
