#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bulk_rows.hpp"
#include "layout_choice.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "mangrove/core/slab_pool.hpp"

/// @file
/// Between the halves of a bulk build: every row gets a representation, a number among the requests to the pool, and a
/// place in the list of the launch that fills it.
///
/// Rows are planned by their size, which repeats make larger than the degree. Two things must not happen: that a vertex
/// is given an extent although its neighbours fit into its entry, because the degree decides how an entry is read; and
/// that a batch of many repeats takes much more memory than its edges need. Both are looked for here.

namespace mangrove::detail {

/// What planning counts: of one stretch of rows in a tile's scratch, of all in the backend's memory.
struct bulk_totals {
  std::uint32_t taken[size_classes];  ///< requests to the pool
  std::uint32_t rows[bulk_bins];
  std::uint32_t chunks;    ///< of hubs
  std::uint32_t doubtful;  ///< rows that may or may not fit into the entry
  std::uint32_t sampled;   ///< edges of rows that were looked at for repeats
  std::uint32_t repeated;  ///< edges of those of them in which one edge, the middle one, occurs again

  static constexpr std::size_t words = size_classes + bulk_bins + 4;

  /// Whether rows should be made again without repeats. Where a quarter of the edges has another one like it, an eighth
  /// at least need not be stored, which is about what the rounding of sizes wastes.
  [[nodiscard]] bool wants_no_repeats() const { return doubtful != 0 || repeated * std::uint64_t{4} > sampled; }
};
static_assert(sizeof(bulk_totals) == bulk_totals::words * sizeof(std::uint32_t));

/// How the rows of a bin are filled.
struct bulk_limits {
  static constexpr std::uint32_t tiny_edges = 4;
  static constexpr std::uint32_t small_edges = 32;
  static constexpr std::uint32_t table_slabs = 32;
  static constexpr std::uint32_t large_slabs = 256;
  static constexpr std::uint32_t larger_slabs = 1536;
  static constexpr std::uint32_t chunk_edges = 512;  ///< of a hub, for one tile
};

/// A part of a hub's edges, and the same share of its slabs.
struct hub_chunk {
  std::uint32_t vertex;
  std::uint32_t number;

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t count_for(std::uint32_t edges) {
    return (edges + bulk_limits::chunk_edges - 1) / bulk_limits::chunk_edges;
  }
};

/// Rows by bin, by vertex index. Tiny rows have no list: all rows are looked at instead.
struct bulk_lists {
  std::uint32_t* of_bin[bulk_bins];
  hub_chunk* chunks;
};

/// Which representation suits a row that has no repeats to speak of.
template <class Bits>
class bulk_chooser {
  using layout = entry_layout<Bits>;

 public:
  explicit bulk_chooser(adjacency_policy policy) : policy_(policy) {}

  /// Representation of `edges` neighbours, more than the entry has room for.
  [[nodiscard]] MANGROVE_HOST_DEVICE layout_choice choose(std::uint32_t edges) const {
    return policy_.choose(vertex_entry{}, edges, 0);
  }

  /// Size class of the extent for them.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t class_for(std::uint32_t edges) const {
    return size_class_of(choose(edges).granules);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bulk_bin bin_for(std::uint32_t edges) const {
    const layout_choice choice = choose(edges);
    if (choice.kind != adjacency_kind::hash) return sorted_bin(edges);
    const std::uint32_t slabs = choice.granules / granules_per_slab;
    if (slabs <= bulk_limits::table_slabs) return bulk_bin::table;
    if (slabs <= bulk_limits::large_slabs) return bulk_bin::large;
    return slabs <= bulk_limits::larger_slabs ? bulk_bin::larger : bulk_bin::hub;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static bulk_bin sorted_bin(std::uint32_t edges) {
    return edges <= bulk_limits::tiny_edges ? bulk_bin::tiny : bulk_bin::small;
  }

  /// Fewest edges of a row in a bin, or less: what sizes the lists.
  [[nodiscard]] static std::uint32_t fewest_edges(bulk_bin bin) {
    constexpr std::uint32_t half_full = layout::table::slots / 2;  // tables are fuller, also once sizes are rounded up
    switch (bin) {
      case bulk_bin::none:
      case bulk_bin::tiny:
        return 1;
      case bulk_bin::small:
        return bulk_limits::tiny_edges + 1;
      case bulk_bin::table:
        return layout::inline_capacity + 1;
      case bulk_bin::large:
        return bulk_limits::table_slabs * half_full;
      case bulk_bin::larger:
        return bulk_limits::large_slabs * half_full;
      default:
        return bulk_limits::larger_slabs * half_full;
    }
  }

 private:
  layout_policy<Bits> policy_;
};

/// Body: plans a stretch of rows. Its scratch holds two `bulk_totals`.
template <class Bits>
struct plan_bulk_rows {
  using layout = entry_layout<Bits>;
  static constexpr std::size_t stretch = 1024;
  static constexpr std::uint32_t place_shift = 16;  ///< numbers within a stretch share a word until they are final
  static constexpr std::uint32_t no_request = (std::uint32_t{1} << place_shift) - 1;
  static constexpr std::size_t sampled_rows = 32;      ///< of a stretch, the first ones
  static constexpr std::uint32_t sampled_edges = 128;  ///< of a row at most

  bulk_chooser<Bits> chooser;
  bulk_row* rows;
  std::size_t row_count;
  const std::uint32_t* targets;
  bulk_lists lists;
  bulk_totals* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    auto* const own = reinterpret_cast<bulk_totals*>(scratch);
    bulk_totals* const bases = own + 1;
    auto* const own_words = reinterpret_cast<std::uint32_t*>(own);
    auto* const base_words = reinterpret_cast<std::uint32_t*>(bases);
    const std::size_t first = i * stretch;
    const std::size_t size = row_count - first < stretch ? row_count - first : stretch;
    tile.strided(bulk_totals::words, [&](std::size_t k) { own_words[k] = 0; });
    tile.sync();
    tile.strided(size, [&](std::size_t k) {
      if (k < sampled_rows) sample(rows[first + k], own);
      plan(rows[first + k], own);
    });
    tile.sync();
    auto* const total_words = reinterpret_cast<std::uint32_t*>(totals);
    tile.strided(bulk_totals::words, [&](std::size_t k) {
      if (own_words[k] != 0) base_words[k] = relaxed_add(total_words + k, own_words[k]);
    });
    tile.sync();
    tile.strided(size, [&](std::size_t k) { settle(static_cast<std::uint32_t>(first + k), *bases); });
  }

 private:
  /// Decides, and numbers the row among those of its stretch.
  MANGROVE_HOST_DEVICE void plan(bulk_row& row, bulk_totals* own) const {
    const std::uint32_t edges = row.size();
    if (edges == 0) return;
    const bool inlined = fits_entry(row);
    if (inlined && edges > bulk_limits::small_edges) {
      relaxed_add(&own->doubtful, 1U);
      return;
    }
    row.bin = inlined ? bulk_chooser<Bits>::sorted_bin(edges) : chooser.bin_for(edges);
    const std::uint32_t place = relaxed_add(&own->rows[static_cast<std::uint32_t>(row.bin)], 1U);
    const std::uint32_t request = inlined ? no_request : relaxed_add(&own->taken[chooser.class_for(edges)], 1U);
    row.request = request | place << place_shift;
  }

  /// Whether the row's targets are as few as fit into an entry. Of a long row some are looked at, from all over it
  /// because they may be sorted.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool fits_entry(const bulk_row& row) const {
    constexpr std::uint32_t room = layout::inline_capacity;
    std::uint32_t seen[room] = {};
    std::uint32_t count = 0;
    const std::uint32_t looks = row.size() < bulk_limits::small_edges ? row.size() : bulk_limits::small_edges;
    for (std::uint32_t k = 0; k < looks; ++k) {
      const std::uint64_t at = looks == row.size() ? k : std::uint64_t{k} * row.size() / looks;
      const std::uint32_t v = targets[row.begin + at];
      bool known = false;
      for (std::uint32_t s = 0; s < room; ++s) known = known || (s < count && seen[s] == v);
      if (known) continue;
      if (count == room) return false;
      for (std::uint32_t s = 0; s < room; ++s) seen[s] = s == count ? v : seen[s];
      ++count;
    }
    return true;
  }

  MANGROVE_HOST_DEVICE void sample(const bulk_row& row, bulk_totals* own) const {
    const std::uint32_t edges = row.size();
    if (edges == 0 || edges > sampled_edges) return;
    const std::uint32_t middle = edges / 2;
    bool repeated = false;
    for (std::uint32_t k = 0; k < edges && !repeated; ++k) {
      repeated = k != middle && targets[row.begin + k] == targets[row.begin + middle];
    }
    relaxed_add(&own->sampled, edges);
    if (repeated) relaxed_add(&own->repeated, edges);
  }

  /// Makes the numbers of a row final. @param bases where the numbers of its stretch begin
  MANGROVE_HOST_DEVICE void settle(std::uint32_t vertex, const bulk_totals& bases) const {
    bulk_row& row = rows[vertex];
    if (row.bin == bulk_bin::none) return;
    const std::uint32_t place = row.request >> place_shift;
    const std::uint32_t request = row.request & no_request;
    const auto bin = static_cast<std::uint32_t>(row.bin);
    row.request = request == no_request ? 0 : bases.taken[chooser.class_for(row.size())] + request;
    if (row.bin != bulk_bin::tiny) lists.of_bin[bin][bases.rows[bin] + place] = vertex;
    if (row.bin == bulk_bin::hub) list_chunks(vertex, hub_chunk::count_for(row.size()));
  }

  MANGROVE_HOST_DEVICE void list_chunks(std::uint32_t vertex, std::uint32_t count) const {
    const std::uint32_t first = relaxed_add(&totals->chunks, count);
    for (std::uint32_t k = 0; k < count; ++k) lists.chunks[first + k] = {vertex, k};
  }
};

/// Plans of all rows, and where they are listed.
template <backend B>
struct bulk_plan {
  buffer<B, std::uint32_t> listed;
  buffer<B, hub_chunk> chunks;
  bulk_lists lists{};
  bulk_totals totals{};

  [[nodiscard]] std::size_t rows_in(bulk_bin bin) const { return totals.rows[static_cast<std::uint32_t>(bin)]; }
};

/// Plans all rows. Waits for the counts.
template <backend B, class Bits>
bulk_plan<B> plan_bulk(const resources<B>& res, bulk_rows<B, Bits>& made, adjacency_policy policy) {
  using chooser = bulk_chooser<Bits>;
  const std::size_t rows = made.rows.size();
  const std::size_t edges = made.targets.size();
  std::size_t offsets[bulk_bins + 1] = {};
  for (std::uint32_t bin = 0; bin < bulk_bins; ++bin) {
    const bool listed = static_cast<bulk_bin>(bin) > bulk_bin::tiny;
    offsets[bin + 1] =
        offsets[bin] + (listed ? std::min(rows, edges / chooser::fewest_edges(static_cast<bulk_bin>(bin))) : 0);
  }
  bulk_plan<B> plan;
  plan.listed = buffer<B, std::uint32_t>(res, offsets[bulk_bins]);
  plan.chunks =
      buffer<B, hub_chunk>(res, edges / bulk_limits::chunk_edges + edges / chooser::fewest_edges(bulk_bin::hub));
  for (std::uint32_t bin = 0; bin < bulk_bins; ++bin) plan.lists.of_bin[bin] = plan.listed.data() + offsets[bin];
  plan.lists.chunks = plan.chunks.data();
  buffer<B, bulk_totals> totals(res, 1);
  fill_bytes(res, totals.data(), 0, 1);
  using body = plan_bulk_rows<Bits>;
  for_each_tile_with_scratch<256, 2 * sizeof(bulk_totals)>(
      res, (rows + body::stretch - 1) / body::stretch,
      body{chooser(policy), made.rows.data(), rows, made.targets.data(), plan.lists, totals.data()});
  plan.totals = read_back(res, totals.data());
  return plan;
}

}  // namespace mangrove::detail
