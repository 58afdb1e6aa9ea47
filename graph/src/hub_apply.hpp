#pragma once

#include "hub_updates.hpp"
#include "run_apply.hpp"

/// @file
/// Changing the tables of hubs, once these are where they will be. Each body runs in a launch of its own, in this
/// order.

namespace mangrove::detail {

/// Body: the dictionary gets a hub's table, as it is before its updates but with the degree after them.
template <class Bits>
struct publish_hub : run_changes<Bits> {
  using base = run_changes<Bits>;
  using base::graph, base::plans, base::pool, base::status;
  using typename base::layout;

  const hub* hubs;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (!status->go()) return;
    const hub& of = hubs[i];
    vertex_entry* const at = graph.entries + of.vertex;
    const vertex_entry old = *at;
    const bool moves = of.plan != vertex_run::in_place;
    vertex_entry entry = moves ? plans[of.plan].moved(pool) : old;
    entry.degree = old.degree + of.inserted - of.erased;
    *at = entry;
    if (moves && layout::kind(old) != adjacency_kind::inlined) base::give(old);
  }
};

/// What the bodies that change a hub's table for one update have in common.
template <class Bits>
struct hub_changes : run_changes<Bits> {
  static constexpr int prefetch_stages = 2;
  using base = run_changes<Bits>;
  using base::graph;
  using typename base::layout, typename base::table;

  edge_updates updates;
  hub_list list;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(source(i), target(i));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::size_t i) const {
    return updates.source(list.updates[i]);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::size_t i) const {
    return updates.target(list.updates[i]);
  }
  /// The hub's table, whatever its degree will be.
  [[nodiscard]] MANGROVE_HOST_DEVICE table table_at(std::size_t i) const {
    return graph.table_of(graph.entries[source(i)]);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE Bits weight(std::size_t i) const {
    if constexpr (is_none<Bits>) {
      return {};
    } else {
      return base::weights == nullptr ? Bits{} : base::weights[updates.sequence(list.updates[i])];
    }
  }
};

/// Body: erases an edge of a hub, or overwrites its weight.
template <class Bits>
struct change_hub_edge : hub_changes<Bits> {
  using base = hub_changes<Bits>;
  using base::graph, base::list, base::status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const edge_outcome outcome = list.outcomes[i];
    if (outcome != edge_outcome::erase && (is_none<Bits> || outcome != edge_outcome::overwrite)) return;
    if (!status->go()) return;
    const auto in = base::table_at(i);
    const auto at = in.template find<access::relaxed>(tile, base::target(i));
    if (outcome == edge_outcome::erase) {
      if (in.erase_at(tile, at) && tile.lane() == 0) count_up(&graph.entries[base::source(i)].words[2]);
    } else if constexpr (!is_none<Bits>) {
      if (tile.lane() == 0) in.values(at.bucket)[at.slot] = base::weight(i);
    }
  }
};

/// Body: inserts an edge of a hub.
template <class Bits>
struct insert_hub_edge : hub_changes<Bits> {
  using base = hub_changes<Bits>;
  using base::graph, base::list, base::status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (list.outcomes[i] != edge_outcome::insert || !status->go()) return;
    const auto in = base::table_at(i);
    const auto at = in.insert_absent(tile, base::target(i));
    if (tile.lane() != 0) return;
    if (at.reused_tombstone) fetch_add(&graph.entries[base::source(i)].words[2], ~std::uint32_t{0});
    if constexpr (!is_none<Bits>) in.values(at.bucket)[at.slot] = base::weight(i);
  }
};

/// Body: a hub of which hardly anything is left moves into its entry.
template <class Bits>
struct shrink_hub : run_changes<Bits> {
  using base = run_changes<Bits>;
  using base::graph, base::status;

  const hub* hubs;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->go()) return;
    vertex_entry* const at = graph.entries + hubs[i].vertex;
    const vertex_entry entry = *at;
    if (entry.degree > entry_layout<Bits>::inline_capacity) return;
    tile.sync();  // what was read stays until all lanes have it
    base::shrink_into_entry(tile, graph.table_of(entry), entry, at);
  }
};

}  // namespace mangrove::detail
