#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bulk_bins.hpp"
#include "bulk_rows.hpp"
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
bulk_plan<B> plan_bulk(const resources<B>& res, bulk_rows<B, Bits>& made, const adjacency_rule& rule) {
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
      body{chooser(rule), made.rows.data(), rows, made.targets.data(), plan.lists, totals.data()});
  plan.totals = read_back(res, totals.data());
  return plan;
}

}  // namespace mangrove::detail
