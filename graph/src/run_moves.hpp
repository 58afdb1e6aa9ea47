#pragma once

#include "run_plan.hpp"

/// @file
/// Moving neighbours to the extents that were planned, piece by piece, where a hash table is too large for scratch. The
/// old extent is left as it is; the vertex's run is applied afterwards.

namespace mangrove::detail {

/// How many keys of a table are smaller than v. By one lane.
template <class Lane, class Table>
[[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_below(const Lane& lane, const Table& in, std::uint32_t v) {
  std::uint32_t smaller = 0;
  for (std::uint32_t bucket = 0; bucket < in.buckets(); ++bucket) {
    in.for_each_in(lane, bucket, [&](std::uint32_t other, auto) { smaller += other < v ? 1 : 0; });
  }
  return smaller;
}

/// Moves what is left in a table to an array: each neighbour goes where as many are smaller.
template <class Tile, class Table, class Bits>
MANGROVE_HOST_DEVICE void move_to_array(const Tile& tile, const Table& from, const neighbor_array<Bits>& to) {
  tile.strided(from.buckets() * Table::slots, [&](std::size_t i) {
    const auto bucket = static_cast<std::uint32_t>(i / Table::slots);
    const std::uint32_t v = from.keys(bucket)[i % Table::slots];
    if (!Table::mark::storable(v)) return;
    const std::uint32_t smaller = count_below(tile.solo(), from, v);
    to.keys[smaller] = v;
    if constexpr (!is_none<Bits>) to.weights[smaller] = from.values(bucket)[i % Table::slots];
  });
}

/// What the bodies that move neighbours read.
template <class Bits>
struct table_moves {
  using layout = entry_layout<Bits>;
  using table = typename layout::table;

  adjacency_view<Bits> graph;
  pool_ref pool;
  const run_plan* plans;
  const table_task* tasks;
  const batch_status* status;
  change_terms terms;

  /// Calls `f(bucket)` for the buckets of a piece. @param of the old table or the new one
  template <class F>
  MANGROVE_HOST_DEVICE static void for_each_bucket(const run_plan& plan, const table& of, std::uint32_t piece, F f) {
    const std::uint32_t slabs = table_task::slabs_for(larger_table<Bits>(plan.old, plan.granules));
    const std::uint32_t first = piece * slabs;
    for (std::uint32_t k = 0; k < slabs && first + k < of.buckets(); ++k) f(first + k);
  }
};

/// Body: empties a piece of a new table.
template <class Bits>
struct clear_piece : table_moves<Bits> {
  using base = table_moves<Bits>;
  using base::graph, base::plans, base::pool, base::status, base::tasks, base::terms;
  using typename base::table;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->ready(terms)) return;
    const run_plan& plan = plans[tasks[i].plan];
    if (plan.kind != adjacency_kind::hash) return;
    const table to = graph.table_of(plan.moved(pool));
    base::for_each_bucket(plan, to, tasks[i].piece, [&](std::uint32_t bucket) { to.clear_bucket(tile, bucket); });
  }
};

/// Body: moves a piece of what the vertex had. The tables must be empty.
template <class Bits>
struct move_piece : table_moves<Bits> {
  using base = table_moves<Bits>;
  using base::graph, base::plans, base::pool, base::status, base::tasks, base::terms;
  using typename base::layout, typename base::table;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->ready(terms)) return;
    const run_plan& plan = plans[tasks[i].plan];
    const vertex_entry moved = plan.moved(pool);
    if (plan.kind != adjacency_kind::hash) {
      const auto to = neighbor_array<Bits>::in_extent(graph.pool, moved.extent(), moved.granules());
      move_to_array(tile, graph.table_of(plan.old), to);
    } else if (layout::kind(plan.old) == adjacency_kind::hash) {
      rehash(tile, plan, graph.table_of(moved), tasks[i].piece);
    } else if (tasks[i].piece == 0) {
      fill(tile, plan, graph.table_of(moved));
    }
  }

 private:
  /// Table to table.
  template <class Tile>
  MANGROVE_HOST_DEVICE void rehash(const Tile& tile, const run_plan& plan, const table& to, std::uint32_t piece) const {
    const table from = graph.table_of(plan.old);
    const auto lane = tile.solo();
    base::for_each_bucket(plan, from, piece, [&](std::uint32_t bucket) {
      from.for_each_in(tile, bucket, [&](std::uint32_t v, auto at) {
        const auto placed = to.insert_absent(lane, v);
        if constexpr (!is_none<Bits>) to.values(placed.bucket)[placed.slot] = from.values(at.bucket)[at.slot];
      });
      tile.sync();  // so that lanes go on together
    });
  }

  /// Array, or entry, to table.
  template <class Tile>
  MANGROVE_HOST_DEVICE void fill(const Tile& tile, const run_plan& plan, const table& to) const {
    const auto from = neighbor_array<Bits>::of(graph.pool, &plan.old);
    const auto lane = tile.solo();
    tile.strided(plan.old.degree, [&](std::size_t k) {
      const auto placed = to.insert_absent(lane, from.keys[k]);
      if constexpr (!is_none<Bits>) to.values(placed.bucket)[placed.slot] = from.weights[k];
    });
  }
};

}  // namespace mangrove::detail
