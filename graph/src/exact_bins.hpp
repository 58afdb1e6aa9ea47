#pragma once

#include "bin_dealing.hpp"

/// @file
/// The way of large batches with hubs from updates to runs, first half: updates are counted by bin, then dealt out to
/// bins that have as much room as that takes. `gather_full_bin.hpp` does the rest. Two passes over the updates instead
/// of a sort by source, which takes four.

namespace mangrove::detail {

/// What a stretch of updates has for a bin.
struct alignas(8) bin_share {
  std::uint32_t count;
  std::uint32_t first;  ///< its place among all keys of the bin
};

/// Body: counts the keys of a stretch of updates by bin, and takes places for them. Takes little fast memory, so that
/// the cache has room for the bits that tell which vertices exist.
struct count_by_bin : bin_dealing {
  static constexpr int blocks_at_once = 1;

  bin_share* shares;  ///< by stretch, then bin

  /// A tile's memory.
  struct counting_room {
    static constexpr std::uint32_t most_notes = 1024;

    std::uint32_t cursors[bin_format::max_bins];  ///< counts
    std::uint32_t noted_first[most_notes];
    noted_vertices noted;

    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t* notes() { return noted_first; }
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(counting_room) + 127) / 128 * 128);

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    counting_room& in = *reinterpret_cast<counting_room*>(scratch);
    clear_counters(tile, in.cursors, bins.format.bins);
    if (tile.lane() == 0) in.noted.count = 0;
    tile.sync();
    count_keys(tile, in, i * stretch);
    tile.sync();
    if (tile.lane() == 0) take_room_for_notes(in);
    take_places(tile, in, shares + i * bins.format.bins);
    tile.sync();
    list_notes(tile, in);
  }

 private:
  /// Lanes have a few atomics under way.
  template <class Tile>
  MANGROVE_HOST_DEVICE void take_places(const Tile& tile, const counting_room& in, bin_share* of) const {
    const std::uint32_t all = bins.format.bins;
    for (std::uint32_t base = tile.lane(); base < all; base += together * Tile::lanes) {
      bin_share mine[together];
      unrolled<together>([&](int k) {
        const std::uint32_t bin = base + k * Tile::lanes;
        mine[k].count = bin < all ? in.cursors[bin] : 0;
        mine[k].first = mine[k].count != 0 ? fetch_add(bins.sizes + bin, mine[k].count) : 0;
      });
      unrolled<together>([&](int k) {
        const std::uint32_t bin = base + k * Tile::lanes;
        if (bin < all) store_whole(of + bin, mine[k]);
      });
    }
  }
};

/// Body: deals a stretch of updates out, once those of all stretches have been counted. Bins stand close together.
struct deal_out_exactly : bin_dealing {
  const bin_share* shares;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    if (status->comes_again()) return;
    room& in = *reinterpret_cast<room*>(scratch);
    const bin_share* const of = shares + i * bins.format.bins;
    begin_all(tile, in, of, i == 0);
    tile.sync();
    tile.strided_briefly(bins.format.bins,
                         [&](std::size_t bin) { in.offsets[bin] += of[bin].first - in.cursors[bin]; });
    tile.sync();
    order_keys(tile, in, i * stretch);
    tile.sync();
    tile.strided_briefly(in.count, [&](std::size_t k) { bins.keys[in.offsets[in.bin_of[k]] + k] = in.keys[k]; });
  }

 private:
  /// Where the bins begin among all keys, and where they do among those of the stretch. @param tells whether this tile
  /// writes the former down
  template <class Tile>
  MANGROVE_HOST_DEVICE void begin_all(const Tile& tile, room& in, const bin_share* of, bool tells) const {
    const std::uint32_t all = bins.format.bins;
    clear_counters(tile, in.cursors, all);
    clear_counters(tile, in.offsets, all);
    tile.sync();
    tile.strided_briefly(all, [&](std::size_t bin) {
      in.cursors[bin] = of[bin].count;
      in.offsets[bin] = bins.sizes[bin];
    });
    tile.sync();
    const auto own = [](std::uint32_t count) { return count; };
    sum_in_order(
        tile, in.offsets, all, own,
        [&](std::uint32_t bin, std::uint32_t& begin, std::uint32_t before) {
          begin = before;
          if (tells && bin < all) bins.starts[bin] = before;
        },
        [](std::uint32_t) {});
    sum_in_order(
        tile, in.cursors, all, own, [](std::uint32_t, std::uint32_t& begin, std::uint32_t before) { begin = before; },
        [&](std::uint32_t count) { in.count = count; });
  }
};

}  // namespace mangrove::detail
