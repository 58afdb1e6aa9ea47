#pragma once

#include <cstddef>
#include <cstdint>

#include "tree_rows.hpp"

/// @file
/// Commit's work on vertices that stop being trees, and on the leaves that are given back.

namespace mangrove::detail {

/// Body: leaves of a tree that is dropped, to be scanned.
struct measure_dropped {
  const std::uint32_t* dropped;
  const vertex_plan* plans;
  std::uint64_t* leaves;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    leaves[i] = plans[dropped[i]].old.leaves();
  }
};

/// Body: notes the entry of a row's vertex.
struct settle_row {
  const vertex_plan* plans;
  const std::uint32_t* rows;
  vertex_entry* entries;  ///< by row

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    entries[i] = plans[rows[i]].next;
  }
};

/// Body: writes the row of a vertex that stops being a tree into its array or its entry.
template <class Bits>
struct write_row {
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  const vertex_plan* plans;
  const std::uint32_t* rows;
  const std::uint64_t* row_begin;
  const std::uint32_t* keys;
  const Bits* weights;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const vertex_plan& plan = plans[rows[i]];
    if (layout::kind(plan.next) == adjacency_kind::tree) return;
    vertex_entry& entry = graph.entries[plan.vertex];
    tile.elect([&] { entry = plan.next; });
    tile.sync();
    const auto to = neighbor_array<Bits>::of(graph.pool, &entry);
    tile.strided(plan.next.degree, [&](std::size_t k) {
      to.keys[k] = keys[row_begin[i] + k];
      if constexpr (!is_none<Bits>) to.weights[k] = weights[row_begin[i] + k];
    });
  }
};

/// Body: gives one leaf of the dropped trees back to the pool.
template <class Bits>
struct give_dropped {
  adjacency_view<Bits> graph;
  const std::uint32_t* dropped;
  const vertex_plan* plans;
  const std::uint64_t* leaf_offsets;
  std::size_t count;
  pool_ref pool;
  std::uint32_t first_gift;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::size_t tree = row_of(leaf_offsets, count, std::uint64_t{i});
    const auto leaf = static_cast<std::uint32_t>(i - leaf_offsets[tree]);
    const slab_index slab = graph.tree_of(plans[dropped[tree]].old).directory().slabs()[leaf];
    pool.give(leaf_class, first_gift + static_cast<std::uint32_t>(i), slab);
  }
};

/// Body: moves one leaf of a tree that becomes a hash table into the table. Slabs are those of old tables and trees.
template <class Bits>
struct move_old_leaf {
  adjacency_view<Bits> graph;
  const std::uint32_t* tables;
  const vertex_plan* plans;
  const std::uint64_t* slab_offsets;
  std::size_t table_count;
  const std::uint32_t* starts;
  std::size_t vertex_count;
  vertex_changes<Bits> changes;  ///< of all vertices

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t row = row_of(slab_offsets, table_count, std::uint64_t{i});
    const vertex_plan& plan = plans[tables[row]];
    if (entry_layout<Bits>::kind(plan.old) != adjacency_kind::tree) return;
    const vertex_changes<Bits> own = changes.of(starts, vertex_count, tables[row]);
    const auto from = graph.tree_of(plan.old);
    const auto to = graph.table_of(plan.next);
    const auto lane = tile.solo();
    const auto leaf = static_cast<std::uint32_t>(i - slab_offsets[row]);
    from.for_each(tile, leaf, leaf + 1, [&](std::uint32_t v, const Bits* weight) {
      const std::size_t change = own.find(v);
      const bool changed = change != own.none_found;
      if (changed && own.actions[change] == edge_action::erase) return;
      const auto placed = to.insert_absent(lane, v);
      if constexpr (!is_none<Bits>) to.values(placed.bucket)[placed.slot] = changed ? own.weights[change] : *weight;
    });
  }
};

}  // namespace mangrove::detail
