#pragma once

#include <cstddef>
#include <cstdint>

#include "tree_plan.hpp"

/// @file
/// Vertices that become trees, stop being trees, or whose tree is built anew: `prepare` makes a sorted row of all
/// neighbours that each will have, and `commit` writes it where it belongs (`tree_moves.hpp`). In pieces of at most a
/// slab's keys, so that many tiles work on a hub.

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

}  // namespace mangrove::detail
