#pragma once

#include <cstddef>
#include <cstdint>

#include "tree_plan.hpp"

/// @file
/// Vertices that become trees, stop being trees, or whose tree is built anew: `prepare` makes a sorted row of all
/// neighbours that each will have, and `commit` writes it where it belongs. In pieces of at most a slab's keys, so that
/// many tiles work on a hub.

namespace mangrove::detail {

/// Body: marks the plans that need a row, and those that give the leaves of a tree back.
template <class Bits>
struct mark_rows {
  const vertex_plan* plans;
  std::uint8_t* wants_row;
  std::uint8_t* drops_tree;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const vertex_plan& plan = plans[i];
    const bool had_tree = entry_layout<Bits>::kind(plan.old) == adjacency_kind::tree;
    wants_row[i] = plan.mode == vertex_mode::from_row;
    drops_tree[i] = had_tree && plan.mode != vertex_mode::in_tree;
  }
};

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

/// Changes that a tile puts into a row at a time.
inline constexpr std::uint32_t row_changes = 32;

/// What rows are made of, by row.
template <class Bits>
struct row_sources {
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  vertex_plan* plans;
  const std::uint32_t* starts;
  std::size_t vertex_count;
  vertex_changes<Bits> changes;  ///< of all vertices
  const std::uint32_t* rows;     ///< their plans

  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_changes<Bits> changes_of(std::uint32_t plan) const {
    return changes.of(starts, vertex_count, plan);
  }
  /// Pieces that the neighbours of a vertex are in.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t old_parts(const vertex_entry& old) {
    if (has_slabs(layout::kind(old))) return layout::slabs(old);
    return old.degree == 0 ? 0 : 1;
  }
};

/// Body: numbers a row and measures it; all numbers are to be scanned.
template <class Bits>
struct measure_row : row_sources<Bits> {
  std::uint64_t* degrees;
  std::uint64_t* parts;   ///< pieces that it is gathered from
  std::uint64_t* leaves;  ///< of the tree it becomes
  std::uint64_t* chunks;  ///< of that tree's directory

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    vertex_plan& plan = this->plans[this->rows[i]];
    plan.tree = static_cast<std::uint32_t>(i);
    const vertex_changes<Bits> own = this->changes_of(this->rows[i]);
    const bool tree = entry_layout<Bits>::kind(plan.next) == adjacency_kind::tree;
    degrees[i] = plan.next.degree;
    parts[i] = this->old_parts(plan.old) + (own.last - own.first + row_changes - 1) / row_changes;
    leaves[i] = tree ? plan.next.leaves() : 0;
    chunks[i] = tree ? tree_directory::chunks_for(plan.next.leaves()) : 0;
  }
};

/// Body: puts what stays of a piece of a vertex's neighbours, or what some changes insert, into its row, in any order.
template <class Bits>
struct gather_row : row_sources<Bits> {
  using base = row_sources<Bits>;
  using typename base::layout;

  const std::uint64_t* part_offsets;
  std::size_t row_count;
  const std::uint64_t* row_begin;
  std::uint32_t* cursors;  ///< by row, zero at first: the keys for which there is a place already
  std::uint32_t* keys;
  Bits* weights;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t row = row_of(part_offsets, row_count, std::uint64_t{i});
    const auto part = static_cast<std::uint32_t>(i - part_offsets[row]);
    vertex_plan& plan = this->plans[this->rows[row]];
    const vertex_changes<Bits> own = this->changes_of(this->rows[row]);
    const std::uint32_t old_parts = base::old_parts(plan.old);
    if (part < old_parts) {
      take_survivors(tile, row, old_part(plan, part), own);
    } else {
      take_inserts(tile, row, own, own.first + std::size_t{part - old_parts} * row_changes);
    }
  }

 private:
  /// Keys in a row, some of which may be none.
  struct piece {
    neighbor_array<Bits> in;
    std::uint32_t slots;
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE piece old_part(vertex_plan& plan, std::uint32_t part) const {
    const adjacency_kind kind = layout::kind(plan.old);
    if (kind == adjacency_kind::hash) {
      const auto table = this->graph.table_of(plan.old);
      return {{table.keys(part), table.values(part)}, layout::table::slots};
    }
    if (kind == adjacency_kind::tree) return {this->graph.tree_of(plan.old).leaf(part), tree_leaves<Bits>::slots};
    return {neighbor_array<Bits>::of(this->graph.pool, &plan.old), plan.old.degree};
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void take_survivors(const Tile& tile, std::size_t row, const piece& from,
                                           const vertex_changes<Bits>& own) const {
    const std::uint32_t kept = tile.template match<32>([&](int i) {
      if (static_cast<std::uint32_t>(i) >= from.slots || !slot_mark<std::uint32_t>::storable(from.in.keys[i])) {
        return false;
      }
      const std::size_t change = own.find(from.in.keys[i]);
      return change == own.none_found || own.actions[change] != edge_action::erase;
    });
    put(tile, row, kept, [&](std::size_t i, std::uint64_t to) {
      keys[to] = from.in.keys[i];
      if constexpr (!is_none<Bits>) {
        const std::size_t change = own.find(from.in.keys[i]);
        weights[to] = change == own.none_found ? from.in.weights[i] : own.weights[change];
      }
    });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void take_inserts(const Tile& tile, std::size_t row, const vertex_changes<Bits>& own,
                                         std::size_t first) const {
    const std::uint32_t kept = tile.template match<row_changes>(
        [&](int i) { return first + i < own.last && own.actions[first + i] == edge_action::insert; });
    put(tile, row, kept, [&](std::size_t i, std::uint64_t to) {
      keys[to] = key_target(own.edges[first + i]);
      if constexpr (!is_none<Bits>) weights[to] = own.weights[first + i];
    });
  }

  /// Calls `write(i, place)` for every bit i of `kept`.
  template <class Tile, class Write>
  MANGROVE_HOST_DEVICE void put(const Tile& tile, std::size_t row, std::uint32_t kept, Write write) const {
    if (kept == 0) return;
    const std::uint32_t at = tile.elect([&] { return fetch_add(cursors + row, count_bits(kept)); });
    tile.strided(32, [&](std::size_t i) {
      if ((kept >> i & 1) == 0) return;
      write(i, row_begin[row] + at + count_bits(kept & ((std::uint32_t{1} << i) - 1)));
    });
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
