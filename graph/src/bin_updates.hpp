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
    lane_bins<Tile> own;
    take_room(tile, in, own);
    list_notes(tile, in);
    tile.sync();
    order_keys(tile, in, first);
    tile.sync();
    set_offsets(tile, in, own);
    tile.sync();
    tile.strided(in.count, [&](std::size_t k) {
      const std::uint32_t bin = in.bin_of[k];
      put(bin, in.offsets[bin] + static_cast<std::uint32_t>(k), in.keys[k]);
    });
  }

 private:
  /// What a lane keeps of the bins that it takes room in: one of as many as there are lanes.
  template <class Tile>
  struct lane_bins {
    static constexpr std::uint32_t most = (bin_format::max_bins + Tile::lanes - 1) / Tile::lanes;
    std::uint32_t begins[most];  ///< of the room

    /// Calls `f(bin, begin)` for the lane's bins.
    template <class F>
    MANGROVE_HOST_DEVICE void for_each(const Tile& tile, std::uint32_t bins, F f) {
      for (std::uint32_t k = 0; k < most; ++k) {
        const std::uint32_t bin = tile.lane() + k * Tile::lanes;
        if (bin < bins) f(bin, begins[k]);
      }
    }
  };

  /// Takes room in each bin, which is under way while keys are put in order. @pre offsets are counts
  template <class Tile>
  MANGROVE_HOST_DEVICE void take_room(const Tile& tile, const room& in, lane_bins<Tile>& own) const {
    own.for_each(tile, bins.format.bins, [&](std::uint32_t bin, std::uint32_t& begin) {
      begin = in.offsets[bin] != 0 ? fetch_add(bins.sizes + bin, in.offsets[bin]) : 0;
    });
  }

  /// From counts to offsets. @pre cursors are where the keys of each bin end
  template <class Tile>
  MANGROVE_HOST_DEVICE void set_offsets(const Tile& tile, room& in, lane_bins<Tile>& own) const {
    own.for_each(tile, bins.format.bins,
                 [&](std::uint32_t bin, std::uint32_t begin) { in.offsets[bin] += begin - in.cursors[bin]; });
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
