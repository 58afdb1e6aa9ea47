#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_bins.hpp"
#include "bulk_edges.hpp"
#include "bulk_table.hpp"
#include "lane_neighbors.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"
#include "scratch_table.hpp"

/// @file
/// The last part of a bulk build: bodies that fill the entries and extents of planned rows.

namespace mangrove::detail {

/// What all of them read.
template <class Bits>
struct bulk_source {
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  bulk_chooser<Bits> chooser;
  pool_ref pool;
  edge_values<Bits> values;

  /// The entry of a planned row with an extent, which is taken.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_entry take(const bulk_row& row) const {
    const layout_choice choice = chooser.choose(row.size());
    const slab_index extent = pool.take(size_class_of(choice.granules), row.request);
    return vertex_entry::make(0, choice.kind, extent, choice.granules);
  }
};

/// Body: sorts a row of few edges without its repeats into an array. A lane does it alone, in registers, and writes
/// whole sectors, but for weights of 8 bytes.
template <class Bits>
struct fill_few {
  static constexpr std::uint32_t most = bulk_limits::few_edges;

  bulk_source<Bits> from;
  const bulk_row* list;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const bulk_row row = list[i];
    std::uint32_t targets[most];
    Bits weights[most];
    const auto size = static_cast<int>(row.size());
    unrolled<most>([&](int k) {
      targets[k] = k < size ? from.values.target(row.begin + k) : 0;
      weights[k] = k < size ? from.values.weight(row.begin + k) : Bits{};
    });
    vertex_entry entry = from.take(row);
    lane_neighbors<Bits, most> neighbors;
    unrolled<most>([&](int k) {
      if (k < size) neighbors.put(targets[k], weights[k]);
    });
    entry.degree = neighbors.size();
    neighbors.store_extent(neighbor_array<Bits>::in_extent(from.graph.pool, entry.extent(), entry.granules()), 0);
    from.graph.entries[row.vertex] = entry;
  }
};

/// Body: sorts a row of at most `Most` edges without its repeats, into an array or into the entry. Its scratch holds
/// the targets, and a word for each.
template <class Bits, std::uint32_t Most>
struct fill_sorted {
  using array = neighbor_array<Bits>;
  static constexpr std::uint32_t repeated = ~std::uint32_t{0};  ///< no target, and above all
  static constexpr std::uint32_t pack = 4;                      ///< targets that a lane reads at once
  /// Scratch of a tile; four words more, so that tiles of a warp do not meet in the same banks.
  static constexpr int scratch_bytes = static_cast<int>(2 * Most * sizeof(std::uint32_t)) + 16;

  bulk_source<Bits> from;
  const bulk_row* list;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    const bulk_row row = list[i];
    auto* const all = reinterpret_cast<std::uint32_t*>(scratch);
    std::uint32_t* const numbers = all + Most;
    tile.strided((row.size() + pack - 1) / pack * pack,
                 [&](std::size_t k) { all[k] = k < row.size() ? from.values.target(row.begin + k) : repeated; });
    tile.sync();
    std::uint32_t own = 0;
    tile.strided(row.size(), [&](std::size_t k) { own += numbers[k] = count_up_to(all, all[k], row.size()); });
    const std::uint32_t all_numbers = tile.sum(own);
    if (all_numbers == row.size() * (row.size() + 1) / 2) {
      put(tile, row, all, row.size(), [&](std::size_t k) { return numbers[k] - 1; });
    } else {
      put_without_repeats(tile, row, all, numbers);
    }
  }

 private:
  /// Writes the entry, and edges to where `rank(k)` says.
  template <class Tile, class Rank>
  MANGROVE_HOST_DEVICE void put(const Tile& tile, const bulk_row& row, const std::uint32_t* kept, std::uint32_t degree,
                                Rank rank) const {
    vertex_entry& entry = from.graph.entries[row.vertex];
    array to = array::inlined(&entry);
    if (degree > entry_layout<Bits>::inline_capacity) {
      vertex_entry next = from.take(row);
      next.degree = degree;
      to = array::in_extent(from.graph.pool, next.extent(), next.granules());
      if (tile.lane() == 0) entry = next;
    } else if (tile.lane() == 0) {
      entry.degree = degree;
    }
    tile.strided(row.size(), [&](std::size_t k) {
      if (kept[k] == repeated) return;
      const std::uint32_t at = rank(k);
      to.keys[at] = kept[k];
      if constexpr (!is_none<Bits>) to.weights[at] = from.values.weight(row.begin + k);
    });
  }

  /// Of equal edges the last one counts.
  template <class Tile>
  MANGROVE_HOST_DEVICE void put_without_repeats(const Tile& tile, const bulk_row& row, const std::uint32_t* all,
                                                std::uint32_t* kept) const {
    tile.sync();
    std::uint32_t own = 0;
    tile.strided(row.size(), [&](std::size_t k) {
      bool again = false;
      for (std::size_t j = k + 1; j < row.size(); ++j) again = again || all[j] == all[k];
      kept[k] = again ? repeated : all[k];
      own += again ? 0 : 1;
    });
    const std::uint32_t degree = tile.sum(own);
    tile.sync();
    put(tile, row, kept, degree, [&](std::size_t k) {
      std::uint32_t below = 0;
      for (std::size_t j = 0; j < row.size(); ++j) below += kept[j] < kept[k] ? 1 : 0;
      return below;
    });
  }

  /// How many targets are not above one. If none are repeated, all of these numbers of a row differ.
  MANGROVE_HOST_DEVICE static std::uint32_t count_up_to(const std::uint32_t* all, std::uint32_t v, std::uint32_t size) {
    std::uint32_t count = 0;
    for (std::uint32_t j = 0; j < size; j += pack) {
      std::uint32_t four[pack];
      load_row<access::plain>(all + j, four);
      unrolled<pack>([&](int k) { count += four[k] <= v ? 1 : 0; });
    }
    return count;
  }
};

/// Body: builds the table of a row in scratch, which has room for it, and copies it to the pool.
///
/// The edges are put down as if none were repeated, which takes fewer instructions than looking for each first; where
/// one is, the table is built again.
template <class Bits, std::uint32_t Slabs>
struct fill_table {
  using layout = entry_layout<Bits>;
  using table = typename layout::table;
  static constexpr int table_bytes = scratch_table<Bits>::bytes_for(Slabs);
  static constexpr int scratch_bytes = table_bytes + static_cast<int>(Slabs * sizeof(std::uint32_t));

  bulk_source<Bits> from;
  const bulk_row* list;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    const bulk_row row = list[i];
    vertex_entry entry = from.take(row);
    const table to = from.graph.table_of(entry);
    const scratch_table<Bits> made(scratch, Slabs, to.buckets());
    entry.degree = row.size();
    auto* const displaced = reinterpret_cast<std::uint32_t*>(scratch + table_bytes);
    tile.strided(to.buckets(), [&](std::size_t bucket) { displaced[bucket] = 0; });
    made.clear(tile);
    tile.sync();
    const std::uint32_t left_out = made.put_all(tile, row.size(), from.values.from(row.begin), displaced);
    tile.sync();
    if (tile.sum(left_out + made.count_repeats(tile, displaced)) != 0) entry.degree = build_again(tile, row, made);
    made.write(tile, to);
    if (tile.lane() == 0) from.graph.entries[row.vertex] = entry;
  }

 private:
  /// Repeats are looked for while edges are inserted. @return how many edges there are
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t build_again(const Tile& tile, const bulk_row& row,
                                                 const scratch_table<Bits>& made) const {
    const bulk_table<Bits> built(made.get());
    const std::uint32_t slabs = made.get().buckets();
    tile.sync();
    built.clear(tile, 0, slabs);
    tile.sync();
    std::uint32_t own = 0;
    tile.strided(row.size(), [&](std::size_t k) {
      const auto number = static_cast<std::uint32_t>(k);
      own += built.template insert<access::plain>(from.values.target(row.begin + k), number) ? 1 : 0;
    });
    const std::uint32_t degree = tile.sum(own);
    tile.sync();
    if constexpr (!is_none<Bits>) {
      built.settle_weights(tile, 0, slabs, from.values.from(row.begin));
      tile.sync();
    }
    return degree;
  }
};

}  // namespace mangrove::detail
