#pragma once

#include "hub_list.hpp"
#include "run_plan.hpp"

namespace mangrove::detail {

/// Plans the tables of hubs.
template <class Bits>
struct hub_planner {
  using layout = entry_layout<Bits>;

  hub_list list;
  adjacency_rule rule;
  run_planner<Bits> runs;

  /// Plans the table of a hub, by one lane, for all edges that its updates may insert or for those that they are known
  /// to. It stays or moves; if it is small enough, it is listed for being changed in scratch.
  MANGROVE_HOST_DEVICE void plan(hub& of, std::uint32_t number) const {
    const vertex_entry old = of.old;
    const std::uint32_t bound = old.degree + (of.bounded != 0 ? of.most_edges() : of.inserted);
    if (layout::kind(old) == adjacency_kind::tree || bound >= rule.tree_from) {
      return store_relaxed(&list.status->unsuited, 1U);  // only the sorted path changes trees
    }
    const std::uint32_t least = layout::inline_capacity + 1;  // a table even if few are left: it shrinks in the end
    const layout_choice choice =
        layout_policy<Bits>({adjacency_policy::hash}).choose(old, bound > least ? bound : least, of.erased);
    if (layout::kind(old) != adjacency_kind::inlined) runs.give(old.granules());
    if (!choice.same_extent) runs.give(choice.granules);
    const std::uint32_t most_slabs = choice.same_extent ? of.count : ~0U;
    of.in_scratch = list.put_table(number, choice.granules, most_slabs) ? 1 : 0;
    if (choice.same_extent) return;
    of.plan = list.first_plan + number;
    runs.plan(of.plan, old, choice);
  }

  /// Lists what is to be done with a planned table piece by piece, by a tile.
  template <class Tile>
  MANGROVE_HOST_DEVICE void list_pieces(const Tile& tile, const hub& of, std::uint32_t number) const {
    if (of.in_scratch != 0) return;
    if (of.plan != vertex_run::in_place) {
      runs.list_pieces(tile, of.plan, of.old, {adjacency_kind::hash, runs.plans[of.plan].granules, false});
    }
    list.put_placed(tile, number, of.count);
  }
};

/// Body: plans the table of a hub for which `begin_hub` could not, what its updates come to being known, and lists the
/// pieces of tables that are not changed in scratch.
template <class Bits>
struct plan_hub : hub_planner<Bits> {
  using base = hub_planner<Bits>;
  using base::list;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    hub& of = list.hubs[i];
    const auto number = static_cast<std::uint32_t>(i);
    if (of.foresight != hub_foresight::nothing) {
      if (tile.lane() == 0) {
        if (!of.is_decided()) note_study(of);
        base::plan(of, number);
      }
      tile.sync();
    }
    base::list_pieces(tile, of, number);
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
};

}  // namespace mangrove::detail
