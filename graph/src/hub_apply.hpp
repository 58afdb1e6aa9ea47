#pragma once

#include "hub_updates.hpp"
#include "run_apply.hpp"

/// @file
/// Changing the tables of hubs, once these are where they will be. Each body runs in a launch of its own, in this
/// order.

namespace mangrove::detail {

/// Body: the dictionary gets a hub's table, as it is before its updates but with the degree after them. A hub of which
/// hardly anything will be left is listed piece by piece.
template <class Bits>
struct publish_hub : run_changes<Bits> {
  using base = run_changes<Bits>;
  using base::graph, base::plans, base::pool, base::status;
  using typename base::layout;

  hub* hubs;
  table_task* pieces;
  std::uint32_t capacity;  ///< pieces that there is room for, at least one a hub

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (!status->go()) return;
    hub& of = hubs[i];
    vertex_entry* const at = graph.entries + of.vertex;
    const vertex_entry old = *at;
    const bool moves = of.plan != vertex_run::in_place;
    vertex_entry entry = moves ? plans[of.plan].moved(pool) : old;
    entry.degree = old.degree + of.inserted - of.erased;
    *at = entry;
    if (moves && layout::kind(old) != adjacency_kind::inlined) base::give(old);
    count(edge_outcome::insert, of.inserted, of.loop);
    count(edge_outcome::overwrite, of.overwritten, of.loop);
    count(edge_outcome::erase, of.erased, of.loop);
    if (entry.degree <= layout::inline_capacity) list_pieces(static_cast<std::uint32_t>(i), of, entry);
  }

 private:
  MANGROVE_HOST_DEVICE void count(edge_outcome outcome, std::uint32_t edges, edge_outcome loop) const {
    const auto kind = static_cast<std::uint32_t>(outcome);
    count_up_by(&status->hub_outcomes[kind], edges);
    if (loop == outcome) count_up(&status->hub_loops[kind]);
  }

  /// The pieces are stretches of the table's buckets as long as is needed for all hubs' pieces to find room.
  MANGROVE_HOST_DEVICE void list_pieces(std::uint32_t number, hub& of, const vertex_entry& entry) const {
    const std::uint32_t buckets = graph.table_of(entry).buckets();
    const std::uint32_t share = capacity / status->hubs;
    const std::uint32_t least = (buckets + shrink_piece - 1) / shrink_piece;
    of.pieces = least < share ? least : share;
    of.left = 0;
    const std::uint32_t first = fetch_add(&status->shrinking, of.pieces);
    for (std::uint32_t k = 0; k < of.pieces; ++k) pieces[first + k] = {number, k};
  }

  /// Buckets that a tile looks through in no time.
  static constexpr std::uint32_t shrink_piece = 64;
};

/// What the bodies that change a hub's table for one update have in common.
template <class Bits>
struct hub_changes : run_changes<Bits> {
  static constexpr int prefetch_stages = 2;
  using base = run_changes<Bits>;
  using base::graph;
  using typename base::layout, typename base::table;

  hub_list list;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(source(i), target(i));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::size_t i) const { return key_source(list.edges[i]); }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::size_t i) const { return key_target(list.edges[i]); }
  /// The hub's table, whatever its degree will be.
  [[nodiscard]] MANGROVE_HOST_DEVICE table table_at(std::size_t i) const {
    return graph.table_of(graph.entries[source(i)]);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE Bits weight(std::size_t i) const {
    if constexpr (is_none<Bits>) {
      return {};
    } else {
      return base::weights == nullptr ? Bits{} : base::weights[list.positions[i]];
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

}  // namespace mangrove::detail
