#pragma once

#include "bin_dealing.hpp"

/// @file
/// The way of large batches without much skew from updates to runs, first half: updates are dealt out to bins, each for
/// a range of vertices and small enough for a block's scratch; `gather_bin.hpp` does the rest there. One pass over the
/// updates instead of a sort by source, which takes three.

namespace mangrove::detail {

/// Body: deals a stretch of updates out to bins that all have the same room.
struct deal_out : bin_dealing {
  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const std::size_t first = i * stretch;
    clear_counters(tile, in.cursors, bins.format.bins);
    if (tile.lane() == 0) in.noted.count = 0;
    tile.sync();
    count_keys(tile, in, first);
    tile.sync();
    if (tile.lane() == 0) take_room_for_notes(in);
    begin_bins(tile, in);
    tile.sync();
    take_room(tile, in);
    list_notes(tile, in);
    tile.sync();
    order_keys(tile, in, first);
    tile.sync();
    tile.strided(in.count, [&](std::size_t k) {
      const std::uint32_t bin = in.bin_of[k];
      put(bin, in.offsets[bin] + static_cast<std::uint32_t>(k), in.keys[k]);
    });
  }

 private:
  /// Takes room in each bin. @pre offsets are counts
  template <class Tile>
  MANGROVE_HOST_DEVICE void take_room(const Tile& tile, room& in) const {
    const std::uint32_t all = bins.format.bins;
    for (std::uint32_t base = tile.lane(); base < all; base += together * Tile::lanes) {
      std::uint32_t first[together];
      unrolled<together>([&](int k) {
        const std::uint32_t bin = base + k * Tile::lanes;
        first[k] = bin < all && in.offsets[bin] != 0 ? fetch_add(bins.sizes + bin, in.offsets[bin]) : 0;
      });
      unrolled<together>([&](int k) {
        const std::uint32_t bin = base + k * Tile::lanes;
        if (bin < all) in.offsets[bin] = first[k] - in.cursors[bin];
      });
    }
  }

  MANGROVE_HOST_DEVICE void put(std::uint32_t bin, std::uint32_t at, std::uint64_t key) const {
    if (at < bins.format.capacity) {
      bins.keys[std::size_t{bin} * bins.format.capacity + at] = key;
    } else {
      store_relaxed(&status->crowded, 1U);
    }
  }
};

}  // namespace mangrove::detail
