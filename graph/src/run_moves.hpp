#pragma once

#include "run_plan.hpp"
#include "scratch_table.hpp"

/// @file
/// Moving neighbours to the extents that were planned, where one of the two is a hash table. The old extent is left as
/// it is; the vertex's run is applied afterwards.

namespace mangrove::detail {

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

  /// Calls `f(bucket)` for the buckets of a piece.
  template <class F>
  MANGROVE_HOST_DEVICE static void for_each_bucket(const table& of, std::uint32_t piece, F f) {
    const std::uint32_t first = piece * table_task::slabs;
    for (std::uint32_t k = 0; k < table_task::slabs && first + k < of.buckets(); ++k) f(first + k);
  }
};

/// Body: fills a new table in scratch with all that the vertex had, and writes it to where it goes; or empties a piece
/// of one that is too large for that.
template <class Bits>
struct begin_table : table_moves<Bits> {
  using base = table_moves<Bits>;
  using base::graph, base::plans, base::pool, base::status, base::tasks;
  using typename base::layout, typename base::table;
  static constexpr int scratch_bytes = scratch_table<Bits>::bytes_for(table_task::whole_slabs);

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    if (!status->go()) return;
    const run_plan& plan = plans[tasks[i].plan];
    if (plan.kind != adjacency_kind::hash) return;
    const table to = graph.table_of(plan.moved(pool));
    if (tasks[i].piece == table_task::whole_table) {
      fill_whole(tile, plan, to, scratch);
    } else {
      base::for_each_bucket(to, tasks[i].piece, [&](std::uint32_t bucket) { to.clear_bucket(tile, bucket); });
    }
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void fill_whole(const Tile& tile, const run_plan& plan, const table& to,
                                       std::byte* scratch) const {
    const scratch_table<Bits> made(scratch, table_task::whole_slabs, to.buckets());
    made.clear(tile);
    tile.sync();
    made.fill(tile, graph, plan.old);
    tile.sync();
    made.write(tile, to);
  }
};

/// Body: moves a piece of what the vertex had. The tables must be empty.
template <class Bits>
struct move_piece : table_moves<Bits> {
  using base = table_moves<Bits>;
  using base::graph, base::plans, base::pool, base::status, base::tasks;
  using typename base::layout, typename base::table;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->go() || tasks[i].piece == table_task::whole_table) return;
    const run_plan& plan = plans[tasks[i].plan];
    const vertex_entry moved = plan.moved(pool);
    if (plan.kind != adjacency_kind::hash) {
      gather(tile, plan, moved);
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
    base::for_each_bucket(from, piece, [&](std::uint32_t bucket) {
      from.for_each_in(tile, bucket, [&](std::uint32_t v, auto at) {
        const auto placed = to.insert_absent(lane, v);
        if constexpr (!is_none<Bits>) to.values(placed.bucket)[placed.slot] = from.values(at.bucket)[at.slot];
      });
    });
  }

  /// Array, or entry, to table.
  template <class Tile>
  MANGROVE_HOST_DEVICE void fill(const Tile& tile, const run_plan& plan, const table& to) const {
    vertex_entry old = plan.old;
    const auto from = neighbor_array<Bits>::of(graph.pool, &old);
    const auto lane = tile.solo();
    tile.strided(old.degree, [&](std::size_t k) {
      const auto placed = to.insert_absent(lane, from.keys[k]);
      if constexpr (!is_none<Bits>) to.values(placed.bucket)[placed.slot] = from.weights[k];
    });
  }

  /// Table to array: each neighbour goes where as many are smaller.
  template <class Tile>
  MANGROVE_HOST_DEVICE void gather(const Tile& tile, const run_plan& plan, const vertex_entry& moved) const {
    const table from = graph.table_of(plan.old);
    const auto to = neighbor_array<Bits>::in_extent(graph.pool, moved.extent(), moved.granules());
    const auto lane = tile.solo();
    for (std::uint32_t bucket = 0; bucket < from.buckets(); ++bucket) {
      from.for_each_in(tile, bucket, [&](std::uint32_t v, auto at) {
        const std::uint32_t smaller = count_below(lane, from, v);
        to.keys[smaller] = v;
        if constexpr (!is_none<Bits>) to.weights[smaller] = from.values(at.bucket)[at.slot];
      });
    }
  }

  template <class Lane>
  MANGROVE_HOST_DEVICE static std::uint32_t count_below(const Lane& lane, const table& in, std::uint32_t v) {
    std::uint32_t smaller = 0;
    for (std::uint32_t bucket = 0; bucket < in.buckets(); ++bucket) {
      in.for_each_in(lane, bucket, [&](std::uint32_t other, auto) { smaller += other < v ? 1 : 0; });
    }
    return smaller;
  }
};

}  // namespace mangrove::detail
