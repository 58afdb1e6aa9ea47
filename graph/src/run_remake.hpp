#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "apply_to_array.hpp"
#include "apply_to_table.hpp"
#include "run_moves.hpp"
#include "scratch_table.hpp"

namespace mangrove::detail {

/// Body: makes vertices' tables anew in scratch with all that the vertices had, applies their runs to them there, and
/// writes them to where they go. Or moves what a table had left to an array, and applies the run there. Every call
/// takes its share of the large tables by all lanes, then parts of 32 take the small ones, each the next one when it is
/// done with one, so that one launch serves both.
template <class Bits>
struct remake_tables : apply_to_table<Bits> {
  using base = apply_to_table<Bits>;
  using base::batch, base::graph, base::plans, base::pool, base::runs, base::status, base::targets, base::terms;
  using typename base::layout, typename base::table;
  using sums = run_counts::totals;
  static constexpr int width = 256;
  static constexpr int part_width = 32;
  static constexpr int parts = width / part_width;
  static constexpr int part_bytes = scratch_table<Bits>::bytes_for(slabs_in_scratch(0));
  static constexpr int tables_bytes = std::max(parts * part_bytes, scratch_table<Bits>::bytes_for(slabs_in_scratch(1)));
  static constexpr int scratch_bytes = tables_bytes + parts * static_cast<int>(sizeof(sums));

  const vertex_run* large_runs;
  std::size_t calls;

  /// Calls that suit a batch.
  static std::size_t calls_for(std::size_t updates) {
    return std::min<std::size_t>(132 * base::blocks_at_once, updates / 512 + 1);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE sums operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    static_cast<void>(load_acquire(&status->met));  // runs may have been planned by a launch that still goes on
    if (!status->ready(terms)) return {};
    // What is made is kept in scratch, a part's by its first lane: there are few registers.
    auto* const made = reinterpret_cast<sums*>(scratch + tables_bytes);
    tile.strided_briefly(parts, [&](std::size_t part) { made[part] = {}; });
    tile.sync();
    const std::size_t large = status->listed[remade_runs + 1].value;
    for (std::size_t k = i; k < large; k += calls, tile.sync()) {
      const run_counts counts = remake(tile, load_whole(large_runs + k), 1, scratch);
      if (tile.lane() == 0) made[0] += counts.as_totals();
    }
    constexpr std::uint32_t at_once = Tile::template part_count<part_width>;
    const auto first = static_cast<std::uint32_t>(i) * at_once;
    const auto begun = static_cast<std::uint32_t>(calls) * at_once;  // by all tiles, before any is taken
    tile.template for_each_part_taken<part_width>(
        first, status->listed[remade_runs].value, [&] { return begun + fetch_add(&status->remaking.value, 1U); },
        [&](const auto& part, std::uint32_t own, std::uint32_t k) {
          const run_counts counts = remake(part, load_whole(runs + k), 0, scratch + own * part_bytes);
          if (part.lane() == 0) made[own] += counts.as_totals();
          part.sync();
        });
    tile.sync();
    sums all;
    tile.strided_briefly(parts, [&](std::size_t part) { all += made[part]; });
    return all;
  }

 private:
  /// @param size of scratch @return what the run came to, in the first lane
  template <class Tile>
  MANGROVE_HOST_DEVICE run_counts remake(const Tile& tile, const vertex_run& run, std::uint32_t size,
                                         std::byte* scratch) const {
    const run_plan& plan = plans[run.plan];
    const vertex_entry entry = plan.moved(pool);
    if (plan.kind != adjacency_kind::hash) return shrink(tile, run, plan.old, entry);
    using scratch_type = scratch_table<Bits>;
    if (layout::kind(plan.old) == adjacency_kind::hash) scratch_type::ask_for(tile, graph.table_of(plan.old));
    const table to = graph.table_of(entry);
    const scratch_type made(scratch, slabs_in_scratch(size), to.buckets());
    made.clear(tile);
    tile.sync();
    made.fill(tile, graph, plan.old);
    tile.sync();
    run_counts counts;
    if (batch.kinds == nullptr && batch.kind == update_kind::insert) {
      counts = insert_all(tile, made, run, plan.old, entry);
    } else if (tile.lane() == 0) {
      counts = base::change_table(tile.solo(), made.get(), run, targets[run.first], plan.old, entry);
    }
    tile.sync();
    made.write(tile, to);
    return counts;
  }

  /// Inserts all edges of a run, lanes side by side, and gives the vertex the table. @param entry of the table
  template <class Tile>
  MANGROVE_HOST_DEVICE run_counts insert_all(const Tile& tile, const scratch_table<Bits>& made, const vertex_run& run,
                                             const vertex_entry& old, vertex_entry entry) const {
    const table& in = made.get();
    run_counts counts{};
    std::uint64_t known = 0;  // whether the lane's updates name edges that are there, a bit each
    tile.strided_briefly(run.count, [&](std::size_t k) {
      const auto at = run.first + static_cast<std::uint32_t>(k);
      const auto where = in.template find<access::plain>(tile.solo(), targets[at]);
      if (!where) return;
      known |= std::uint64_t{1} << (k / Tile::lanes);
      if constexpr (!is_none<Bits>) in.values(where.bucket)[where.slot] = base::weight_of(at);
    });
    tile.sync();  // from here on nobody searches
    tile.strided_briefly(run.count, [&](std::size_t k) {
      const auto at = run.first + static_cast<std::uint32_t>(k);
      const bool overwrites = (known >> (k / Tile::lanes) & 1) != 0;
      counts.add(overwrites ? edge_outcome::overwrite : edge_outcome::insert, targets[at] == run.vertex);
      if (overwrites) return;
      const auto where = made.add(targets[at]);
      if constexpr (!is_none<Bits>) in.values(where.bucket)[where.slot] = base::weight_of(at);
    });
    const run_counts all = counts.of_all(tile);
    entry.degree = old.degree + all.of(edge_outcome::insert);
    if (tile.lane() == 0) {
      graph.entries[run.vertex] = entry;
      if (layout::kind(old) != adjacency_kind::inlined) base::give(old);
    }
    return all;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE run_counts shrink(const Tile& tile, const vertex_run& run, const vertex_entry& old,
                                         const vertex_entry& entry) const {
    move_to_array(tile, graph.table_of(old), base::in_extent(entry));
    tile.sync();
    if (tile.lane() != 0) return {};
    return apply_to_array<Bits>{*this}.apply(tile.solo(), run, old, targets[run.first]);
  }
};

}  // namespace mangrove::detail
