#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/detail/free_rings.hpp"
#include "mangrove/core/detail/row_of.hpp"

/// @file
/// Joining freed extents that lie side by side: they are sorted by address, and each run of neighbours becomes a few
/// extents as large as can be.

namespace mangrove::detail {

/// Freed extents as numbers that sort by address: the first granule above, how many there are below.
struct extent_key {
  static constexpr int first_bit = 32;

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t of(slab_index first, std::uint32_t granules) {
    return std::uint64_t{first} << first_bit | granules;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t first(std::uint64_t key) { return key >> first_bit; }
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t end(std::uint64_t key) {
    return first(key) + static_cast<std::uint32_t>(key);
  }
};

/// Body, once per freed extent: lists it.
struct list_extents {
  std::array<pool_snapshot::ring, size_classes> rings;
  const std::uint32_t* offsets;  ///< extents of the classes before, one per class
  std::uint64_t* keys;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto c = static_cast<std::uint32_t>(row_of(offsets, size_classes, static_cast<std::uint32_t>(i)));
    const pool_snapshot::ring& ring = rings[c];
    const auto at = ring.head + (static_cast<std::uint32_t>(i) - offsets[c]);
    keys[i] = extent_key::of(ring.extents[at & (ring.slots - 1)], size_class_granules(c));
  }
};

/// Body, once per listed extent: whether no other ends where it starts.
struct mark_gaps {
  const std::uint64_t* keys;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    flags[i] = i == 0 || extent_key::end(keys[i - 1]) != extent_key::first(keys[i]) ? 1 : 0;
  }
};

/// Runs of neighbours among the listed extents.
struct extent_runs {
  const std::uint64_t* keys;
  const std::uint32_t* starts;  ///< position of each run's first extent
  std::size_t runs;
  std::size_t extents;

  /// Calls `f(size class, first granule)` for the pieces that run `i` becomes.
  template <class F>
  MANGROVE_HOST_DEVICE void for_each_piece(std::size_t i, const F& f) const {
    const std::size_t behind = i + 1 < runs ? starts[i + 1] : extents;
    const std::uint64_t end = extent_key::end(keys[behind - 1]);
    for (std::uint64_t first = extent_key::first(keys[starts[i]]); first != end;) {
      const std::uint32_t c = first_piece_class(first, end - first, granules_per_slab);
      f(c, static_cast<slab_index>(first));
      first += size_class_granules(c);
    }
  }
};

/// Body, once per run: counts its pieces.
struct count_pieces {
  extent_runs runs;
  std::uint32_t* counts;  ///< by class

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    runs.for_each_piece(i, [this](std::uint32_t c, slab_index) { count_up(counts + c); });
  }
};

/// Body, once per run: writes its pieces into the rings, which have room.
struct write_pieces {
  extent_runs runs;
  std::array<pool_snapshot::ring, size_classes> rings;
  std::uint32_t* counts;  ///< by class, written so far

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    runs.for_each_piece(i, [this](std::uint32_t c, slab_index first) {
      const pool_snapshot::ring& ring = rings[c];
      ring.extents[(ring.head + count_up(counts + c)) & (ring.slots - 1)] = first;
    });
  }
};

/// Joins freed extents that lie side by side. Waits twice for numbers. @throws memory_error with the extents as they
/// were
/// @param end granules handed out so far
/// Cost: a sort of all freed extents, and 17 bytes of scratch for each.
template <backend B>
void join_extents(const resources<B>& res, free_rings<B>& rings, std::uint64_t end) {
  const class_counts before = rings.counts();
  class_counts offsets{};
  std::exclusive_scan(before.begin(), before.end(), offsets.begin(), std::uint32_t{0});
  const std::size_t extents = std::size_t{offsets.back()} + before.back();
  const auto placed_offsets = make_buffer<B>(res, offsets.data(), size_classes);
  buffer<B, std::uint64_t> keys(res, extents);
  for_each_tile<1>(res, extents, list_extents{rings.snapshot(), placed_offsets.data(), keys.data()});
  sort(res, keys.data(), extents, extent_key::first_bit, extent_key::first_bit + std::bit_width(end));

  buffer<B, std::uint8_t> flags(res, extents);
  buffer<B, std::uint32_t> starts(res, extents);
  for_each_tile<1>(res, extents, mark_gaps{keys.data(), flags.data()});
  const extent_runs runs{keys.data(), starts.data(), select(res, flags.data(), starts.data(), extents), extents};

  buffer<B, class_counts> counts(res, 1);
  fill_bytes(res, counts.data(), 0, 1);
  auto* const by_class = reinterpret_cast<std::uint32_t*>(counts.data());
  for_each_tile<1>(res, runs.runs, count_pieces{runs, by_class});
  const class_counts made = read_back(res, counts.data());
  rings.make_room_for(res, made);
  fill_bytes(res, counts.data(), 0, 1);
  for_each_tile<1>(res, runs.runs, write_pieces{runs, rings.snapshot(), by_class});
  rings.book_anew(made);
}

}  // namespace mangrove::detail
