#pragma once

#include "hub_list.hpp"
#include "run_plan.hpp"

namespace mangrove::detail {

/// Body: plans the table of a hub, what its updates come to being known, and lists its pieces unless that is changed in
/// scratch.
template <class Bits>
struct plan_hub {
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  hub_list list;
  adjacency_rule rule;
  run_planner<Bits> runs;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    hub& of = list.hubs[i];
    const auto number = static_cast<std::uint32_t>(i);
    if (of.foresight == hub_foresight::names || of.foresight == hub_foresight::sample) {
      if (tile.lane() == 0) note_study(of);
      tile.sync();
    }
    if (of.is_decided() || of.bounded != 0) plan(tile, of, number);
    tile.sync();
    if (of.in_scratch == 0) list.put_placed(tile, number, of.count);
  }

 private:
  /// The edges that updates name, which were counted as inserted ones, are known from here on, unless those of a sample
  /// were: where they are too few, the table would be more than twice as large as it has to be.
  MANGROVE_HOST_DEVICE void note_study(hub& of) const {
    if (of.foresight == hub_foresight::names) {
      of.distinct = of.inserted;
    } else if (std::uint64_t{2} * hub_list::sample_share * of.inserted < of.count) {
      store_relaxed(&list.status->unforeseen, 1U);
    }
    of.inserted = 0;
    of.foresight = hub_foresight::nothing;
    of.bounded = 1;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void plan(const Tile& tile, hub& of, std::uint32_t number) const {
    const vertex_entry old = graph.entries[of.vertex];
    const std::uint32_t bound = old.degree + (of.bounded != 0 ? of.most_edges() : of.inserted);
    if (layout::kind(old) == adjacency_kind::tree || bound >= rule.tree_from) {
      return store_relaxed(&list.status->unsuited, 1U);  // only the sorted path changes trees
    }
    const std::uint32_t least = layout::inline_capacity + 1;  // a table even if few are left: it shrinks in the end
    const layout_choice choice =
        layout_policy<Bits>({adjacency_policy::hash}).choose(old, bound > least ? bound : least, of.erased);
    const std::uint32_t in_scratch = tile.elect([&] { return plan_in_scratch(of, number, old, choice); });
    if (in_scratch != 0 || choice.same_extent) return;
    if (tile.lane() == 0) {
      of.plan = list.first_plan + number;
      runs.plan(of.plan, old, choice);
    }
    runs.list_pieces(tile, list.first_plan + number, old, choice);
  }

  /// Counts the extents that may be given back, and plans the table if it is to be changed in scratch. By one lane.
  /// @return `hub::in_scratch`
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t plan_in_scratch(hub& of, std::uint32_t number,
                                                                   const vertex_entry& old,
                                                                   const layout_choice& choice) const {
    if (layout::kind(old) != adjacency_kind::inlined) runs.give(old.granules());
    if (!choice.same_extent) runs.give(choice.granules);
    const std::uint32_t most_slabs = choice.same_extent ? of.count : ~0U;
    of.in_scratch = list.put_table(number, choice.granules, most_slabs) ? 1 : 0;
    if (of.in_scratch != 0 && !choice.same_extent) {
      of.plan = list.first_plan + number;
      runs.plan(of.plan, old, choice);
    }
    return of.in_scratch;
  }
};

}  // namespace mangrove::detail
