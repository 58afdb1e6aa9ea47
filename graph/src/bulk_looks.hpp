#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bulk_bins.hpp"
#include "bulk_edges.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/unrolled.hpp"

/// @file
/// Sorted edges, and what is looked at in a row of them before it is planned.
///
/// Rows are planned by their size, which repeats make larger than the degree. Two things must not happen: that a vertex
/// is given an extent although its neighbours fit into its entry, because the degree decides how an entry is read; and
/// that a batch of many repeats takes much more memory than its edges need. Both are looked for here.

namespace mangrove::detail {

/// Sorted edges as bodies read them.
template <class Bits>
struct sorted_edges {
  const std::uint32_t* sources;
  edge_values<Bits> values;
  std::size_t count;
  std::uint32_t none;  ///< the source of what is no edge

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_of(std::size_t at, std::uint32_t vertex) const {
    return at < count && sources[at] == vertex;
  }

  /// Where the edges of a vertex end, of which `at` is at most one more than one. Lanes look at 32 places at a time,
  /// first further and further away, then closer and closer to the end.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t end_of(const Tile& tile, std::size_t at, std::uint32_t vertex) const {
    const auto count_hits = [&](std::size_t first, auto place) {
      return count_bits(tile.template match<32>([&](int k) { return is_of(first + place(k), vertex); }));
    };
    const std::uint32_t doublings = count_hits(at, [](int k) { return (std::size_t{1} << k) - 1; });
    if (doublings == 0) return at;
    std::size_t reach = std::size_t{1} << doublings;  // edge at + reach / 2 - 1 is of the vertex, at + reach - 1 is not
    at += reach / 2;
    for (reach /= 2; reach != 0;) {  // the end is one of `reach` places from `at` on
      const std::size_t step = (reach + 31) / 32;
      at += step * count_hits(at, [step](int k) { return step * static_cast<std::size_t>(k + 1) - 1; });
      reach = step == 1 ? 0 : step;
    }
    return at;
  }
};

/// Looks at the targets of a row.
template <class Bits>
struct row_looks {
  static constexpr std::uint32_t room = entry_layout<Bits>::inline_capacity;
  static constexpr std::uint32_t most_at_once = bulk_limits::few_edges;
  static constexpr std::uint32_t sampled_edges = 128;           ///< of a row at most, to be looked at for repeats
  static constexpr std::uint32_t repeated = ~std::uint32_t{0};  ///< no target, and above all

  const sorted_edges<Bits>& edges;

  /// Writes the entry of a row of at most `most_at_once` edges. @return false if it has no room
  MANGROVE_HOST_DEVICE bool put(const bulk_row& row, vertex_entry* entries) const {
    std::uint32_t kept[most_at_once];
    std::uint32_t degree = 0;
    const auto size = static_cast<int>(row.size());
    unrolled<most_at_once>([&](int k) { kept[k] = k < size ? edges.values.target(row.begin + k) : repeated; });
    unrolled<most_at_once>([&](int k) {
      bool again = kept[k] == repeated;
      unrolled<most_at_once>([&](int j) { again = again || (j > k && kept[j] == kept[k]); });
      if (again) kept[k] = repeated;
      degree += again ? 0 : 1;
    });
    if (degree > room) return false;
    std::uint32_t words[4] = {degree, 0, 0, 0};
    unrolled<most_at_once>([&](int k) {
      int rank = 0;
      unrolled<most_at_once>([&](int j) { rank += kept[j] < kept[k] ? 1 : 0; });
      unrolled<room>([&](int s) { words[1 + s] = kept[k] != repeated && rank == s ? kept[k] : words[1 + s]; });
    });
    if constexpr (!is_none<Bits>) {  // there is room for one edge, of which the last one counts
      static_assert(room == 1);
      const Bits weight = edges.values.weight(row.end - 1);
      std::memcpy(words + 2, &weight, sizeof(Bits));
    }
    store_whole(entries + row.vertex, vertex_entry{words[0], {words[1], words[2], words[3]}});
    return true;
  }

  /// Whether the row's targets are as few as fit into an entry. Of a long row some are looked at, from all over it
  /// because they may be sorted.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool fits_entry(const bulk_row& row) const {
    std::uint32_t seen[room] = {};
    std::uint32_t count = 0;
    const std::uint32_t looks = row.size() < bulk_limits::small_edges ? row.size() : bulk_limits::small_edges;
    if (begins_differently(row)) return false;
    for (std::uint32_t k = 0; k < looks; ++k) {
      const std::uint64_t at = looks == row.size() ? k : std::uint64_t{k} * row.size() / looks;
      const std::uint32_t v = edges.values.target(row.begin + at);
      bool known = false;
      for (std::uint32_t s = 0; s < room; ++s) known = known || (s < count && seen[s] == v);
      if (known) continue;
      if (count == room) return false;
      for (std::uint32_t s = 0; s < room; ++s) seen[s] = s == count ? v : seen[s];
      ++count;
    }
    return true;
  }

  /// Counts a row, if it is not too long, and whether its middle edge occurs again.
  template <class Tile>
  MANGROVE_HOST_DEVICE void sample(const Tile& tile, const bulk_row& row, bulk_totals* to) const {
    const std::uint32_t size = row.size();
    if (size > sampled_edges) return;
    const std::uint32_t middle = edges.values.target(row.begin + size / 2);
    std::uint32_t own = 0;
    tile.strided(size, [&](std::size_t k) { own += edges.values.target(row.begin + k) == middle ? 1 : 0; });
    const bool again = tile.sum(own) > 1;
    if (tile.lane() != 0) return;
    fetch_add(&to->sampled, size);
    if (again) fetch_add(&to->repeated, size);
  }

 private:
  /// Whether the first targets of a row are different, and too many. They are read at once.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool begins_differently(const bulk_row& row) const {
    std::uint32_t first[room + 1];
    unrolled<room + 1>([&](int k) { first[k] = edges.values.target(row.begin + k); });
    bool different = true;
    unrolled<room + 1>(
        [&](int k) { unrolled<room + 1>([&](int j) { different = different && (j <= k || first[j] != first[k]); }); });
    return different;
  }
};

}  // namespace mangrove::detail
