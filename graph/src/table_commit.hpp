#pragma once

#include <cstddef>
#include <cstdint>

#include "vertex_plan.hpp"

/// @file
/// Commit's work on hash tables. Each body runs in a launch of its own, in the order of this file; within a launch all
/// edges differ, so the table's phase rules hold.

namespace mangrove::detail {

/// Body: gives every plan that asked for an extent the one it was granted.
struct assign_extent {
  vertex_plan* plans;
  pool_ref pool;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    vertex_plan& plan = plans[i];
    if (plan.taken == vertex_plan::no_request) return;
    plan.next.words[0] = pool.take(size_class_of(plan.next.granules()), plan.taken);
  }
};

/// The net edges, as bodies that look each up in a table read them.
template <class Bits>
struct edges_in_tables {
  static constexpr int prefetch_stages = 2;
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  const std::uint64_t* edges;
  const edge_action* actions;
  const Bits* weights;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(key_source(edges[i]), key_target(edges[i]));
  }
};

/// Body: erases, and overwrites weights, in the tables as they were before the batch.
template <class Bits>
struct change_in_tables : edges_in_tables<Bits> {
  using base = edges_in_tables<Bits>;
  using base::actions, base::edges, base::graph, base::weights;
  using typename base::layout;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t u = key_source(edges[i]);
    if (actions[i] == edge_action::insert || u >= graph.entry_count) return;
    vertex_entry& entry = graph.entries[u];
    if (layout::kind(entry) != adjacency_kind::hash) return;
    const auto table = graph.table_of(entry);
    const auto at = table.template find<access::relaxed>(tile, key_target(edges[i]));
    if (!at) return;
    if (actions[i] == edge_action::erase) {
      if (table.erase_at(tile, at) && tile.lane() == 0) fetch_add(&entry.words[2], 1U);
    } else if constexpr (!is_none<Bits>) {
      if (tile.lane() == 0) table.values(at.bucket)[at.slot] = weights[i];
    }
  }
};

/// Body: empties one slab of the new tables.
template <class Bits>
struct clear_new_slab {
  adjacency_view<Bits> graph;
  const std::uint32_t* rows;
  const vertex_plan* plans;
  const std::uint64_t* slab_offsets;
  std::size_t row_count;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t row = row_of(slab_offsets, row_count, std::uint64_t{i});
    const auto table = graph.table_of(plans[rows[row]].next);
    table.clear_bucket(tile, static_cast<std::uint32_t>(i - slab_offsets[row]));
  }
};

/// Body: moves one slab of an old table into the new one.
template <class Bits>
struct move_old_slab {
  adjacency_view<Bits> graph;
  const std::uint32_t* rows;
  const vertex_plan* plans;
  const std::uint64_t* slab_offsets;
  std::size_t row_count;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t row = row_of(slab_offsets, row_count, std::uint64_t{i});
    const vertex_plan& plan = plans[rows[row]];
    if (entry_layout<Bits>::kind(plan.old) != adjacency_kind::hash) return;
    const auto from = graph.table_of(plan.old);
    const auto to = graph.table_of(plan.next);
    const auto lane = tile.solo();
    from.for_each_in(tile, static_cast<std::uint32_t>(i - slab_offsets[row]), [&](std::uint32_t v, auto at) {
      const auto placed = to.insert_absent(lane, v);
      if constexpr (!is_none<Bits>) to.values(placed.bucket)[placed.slot] = from.values(at.bucket)[at.slot];
    });
  }
};

/// The changes of one vertex, looked up by target.
template <class Bits>
struct vertex_changes {
  const std::uint64_t* edges;
  const edge_action* actions;
  const Bits* weights;
  std::size_t first;
  std::size_t last;

  static constexpr std::size_t none_found = ~std::size_t{0};

  /// Position of the first change of an edge to `target` or beyond, `last` without one. Cost: a binary search.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t lower_bound(std::uint32_t target) const {
    std::size_t low = first;
    std::size_t high = last;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (key_target(edges[middle]) < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Position of the change of the edge to `target`, or `none_found`. Cost: a binary search.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t find(std::uint32_t target) const {
    const std::size_t at = lower_bound(target);
    return at < last && key_target(edges[at]) == target ? at : none_found;
  }

  /// The changes of the vertex with number `row` among those that change.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_changes of(const std::uint32_t* starts, std::size_t vertex_count,
                                                       std::size_t row) const {
    return {edges, actions, weights, starts[row], row + 1 == vertex_count ? last : starts[row + 1]};
  }
};

/// Body: moves the neighbours of a vertex that outgrew its array into its new table.
template <class Bits>
struct move_old_array {
  adjacency_view<Bits> graph;
  const std::uint32_t* rows;
  vertex_plan* plans;
  const std::uint32_t* starts;
  std::size_t vertex_count;
  vertex_changes<Bits> changes;  ///< of all vertices

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t row = rows[i];
    vertex_plan& plan = plans[row];
    if (plan.old.degree == 0 || has_slabs(entry_layout<Bits>::kind(plan.old))) return;
    const vertex_changes<Bits> own = changes.of(starts, vertex_count, row);
    const auto from = neighbor_array<Bits>::of(graph.pool, &plan.old);
    const auto to = graph.table_of(plan.next);
    const auto lane = tile.solo();
    tile.strided(plan.old.degree, [&](std::size_t k) {
      const std::size_t change = own.find(from.keys[k]);
      const bool changed = change != vertex_changes<Bits>::none_found;
      if (changed && changes.actions[change] == edge_action::erase) return;
      const auto placed = to.insert_absent(lane, from.keys[k]);
      if constexpr (!is_none<Bits>) {
        to.values(placed.bucket)[placed.slot] = changed ? changes.weights[change] : from.weights[k];
      }
    });
  }
};

/// Body: the dictionary gets the entries of vertices that are, or become, hash tables.
struct publish_tables {
  static constexpr int prefetch_stages = 1;

  const vertex_plan* plans;
  vertex_entry* entries;

  template <int Stage>
  void prefetch(std::size_t i) const {
    mangrove::prefetch(entries + plans[i].vertex);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const vertex_plan& plan = plans[i];
    if (plan.mode == vertex_mode::in_table) entries[plan.vertex].degree = plan.next.degree;
    if (plan.mode == vertex_mode::to_table) entries[plan.vertex] = plan.next;
  }
};

/// Body: inserts edges into the tables as they are after the batch.
template <class Bits>
struct insert_in_tables : edges_in_tables<Bits> {
  using base = edges_in_tables<Bits>;
  using base::actions, base::edges, base::graph, base::weights;
  using typename base::layout;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (actions[i] != edge_action::insert) return;
    vertex_entry& entry = graph.entries[key_source(edges[i])];
    if (layout::kind(entry) != adjacency_kind::hash) return;
    const auto table = graph.table_of(entry);
    const auto at = table.insert_absent(tile, key_target(edges[i]));
    if (tile.lane() != 0) return;
    if (at.reused_tombstone) fetch_add(&entry.words[2], ~std::uint32_t{0});
    if constexpr (!is_none<Bits>) table.values(at.bucket)[at.slot] = weights[i];
  }
};

/// Body: gives the extents that vertices no longer use back to the pool.
struct give_extent {
  const vertex_plan* plans;
  pool_ref pool;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const vertex_plan& plan = plans[i];
    if (plan.given == vertex_plan::no_request) return;
    pool.give(size_class_of(plan.old.granules()), plan.given, plan.old.extent());
  }
};

}  // namespace mangrove::detail
