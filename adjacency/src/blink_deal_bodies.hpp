#pragma once

#include <algorithm>

#include "mangrove/adjacency/detail/blink_bins.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"
#include "mangrove/adjacency/detail/side_slot.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/counter_share.hpp"
#include "ordered_batch.hpp"
#include "split_heap.hpp"

namespace mangrove::detail {

/// Lanes that write the keys which one stretch has for one bin.
inline constexpr int bin_lanes = 8;

/// Body: deals a stretch of the batch out to bins. Its keys are put in order by bin in scratch first, so that what
/// goes to one bin is written together. Changes nothing in the tree.
template <class Key>
struct deal_keys {
  static constexpr int width = 512;
  static constexpr int blocks_at_once = 2;
  static constexpr std::size_t max_stretch = sizeof(Key) == 8 ? 4096 : 8192;
  static constexpr std::uint32_t max_bins = bin_shape<Key>::max_bins;

  /// A tile's memory.
  struct room {
    Key keys[max_stretch];  ///< by bin
    std::uint32_t sources[max_stretch];
    Key highs[split_heap::room(max_bins)];  ///< a heap of the greatest keys that bins may hold
    std::uint32_t cursors[max_bins];        ///< where the next key of a bin goes in `keys`
    std::uint32_t offsets[max_bins];        ///< from there to its place in the bin
    std::uint16_t bin_of[max_stretch];
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  blink_view<Key> tree;
  bin_arrays<Key> bins;
  const void* keys;
  std::size_t count;
  std::size_t stretch;
  std::uint8_t* noted;  ///< becomes 0 for each key where the caller wants to know what became of it, else null
  dealt_tally* tally;

  /// As many stretches as run at a time on 132 multiprocessors, or a multiple, but not too short ones.
  static std::size_t stretch_for(std::size_t count) {
    constexpr std::size_t at_once = 132 * blocks_at_once;
    const std::size_t rounds = (count + at_once * max_stretch - 1) / (at_once * max_stretch);
    return std::max<std::size_t>(2 * width, (count + rounds * at_once - 1) / (rounds * at_once));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const std::size_t first = i * stretch;
    clear_counters(tile, in.cursors, bins.shape.bins);
    heap().fill(tile, in.highs, bins.shape.bins, [&](std::uint32_t bin) { return high_of(bin); });
    tile.sync();
    count_keys(tile, in, first);
    tile.sync();
    begin_bins(tile, in);
    tile.sync();
    take_room(tile, in);
    tile.sync();
    for_each_key(tile, first, [&](std::uint32_t k, Key raw) {
      const std::uint32_t place = fetch_add(in.cursors + in.bin_of[k], 1U);
      in.keys[place] = tree.codec.encode(raw);
      in.sources[place] = static_cast<std::uint32_t>(first) + k;
    });
    tile.sync();
    write_bins(tile, in);
  }

 private:
  static constexpr int together = 4;  ///< what a lane has under way

  [[nodiscard]] MANGROVE_HOST_DEVICE split_heap heap() const { return split_heap::of(bins.shape.bins); }
  [[nodiscard]] MANGROVE_HOST_DEVICE Key high_of(std::uint32_t bin) const {
    if (bin + 1 == bins.shape.bins) return blink_nodes<Key>::greatest;
    return tree.high_of((bin + 1) * bins.shape.leaves - 1);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void count_keys(const Tile& tile, room& in, std::size_t first) const {
    const split_heap highs = heap();
    for_each_key(tile, first, [&](std::uint32_t k, Key raw) {
      if (tree.codec.refuses(raw)) store_relaxed(&tally->refused, 1U);
      if (noted != nullptr) noted[first + k] = 0;
      const std::uint32_t bin = highs.below(in.highs, tree.codec.encode(raw));
      in.bin_of[k] = static_cast<std::uint16_t>(bin);
      fetch_add(in.cursors + bin, 1U);
    });
  }

  /// From counts to where each bin begins among the stretch's keys. Each lane has a few neighbouring bins.
  template <class Tile>
  MANGROVE_HOST_DEVICE void begin_bins(const Tile& tile, room& in) const {
    begin_in_order(tile, in.cursors, in.offsets, bins.shape.bins, [](std::uint32_t) {});
  }

  /// Takes room in each bin. @pre offsets are counts
  template <class Tile>
  MANGROVE_HOST_DEVICE void take_room(const Tile& tile, room& in) const {
    tile.strided(bins.shape.bins, [&](std::size_t bin) {
      const std::uint32_t all = in.offsets[bin];
      if (all != 0) in.offsets[bin] = fetch_add(bins.sizes + bin, all) - in.cursors[bin];
    });
  }

  /// Calls `f(k, bits)` for the keys of the stretch from `first`. Lanes read a few before they work on any.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_key(const Tile& tile, std::size_t first, F f) const {
    const auto size = static_cast<std::uint32_t>(count - first < stretch ? count - first : stretch);
    for (std::uint32_t base = tile.lane(); base < size; base += together * Tile::lanes) {
      Key own[together];
      unrolled<together>([&](int k) {
        const std::uint32_t at = base + k * Tile::lanes;
        own[k] = at < size ? load_bits<Key>(keys, first + at) : Key{0};
      });
      unrolled<together>([&](int k) {
        if (base + k * Tile::lanes < size) f(base + k * Tile::lanes, own[k]);
      });
    }
  }

  /// @pre cursors are at the ends
  template <class Tile>
  MANGROVE_HOST_DEVICE void write_bins(const Tile& tile, const room& in) const {
    tile.template for_each_part<bin_lanes>(bins.shape.bins, [&](const auto& part, std::size_t bin) {
      const std::uint32_t begin = bin == 0 ? 0 : in.cursors[bin - 1];
      part.strided(in.cursors[bin] - begin, [&](std::size_t k) {
        const std::uint32_t at = begin + static_cast<std::uint32_t>(k);
        put(static_cast<std::uint32_t>(bin), in.offsets[bin] + at, {in.keys[at], in.sources[at]});
      });
    });
  }

  MANGROVE_HOST_DEVICE void put(std::uint32_t bin, std::uint32_t at, const dealt_key<Key>& key) const {
    if (at < bins.shape.capacity) {
      bins.dealt[std::size_t{bin} * bins.shape.capacity + at] = key;
    } else {
      store_relaxed(&tally->skewed, 1U);
    }
  }
};

/// Body, once: from leaves that come or go in each bin to those of the bins before it.
struct sum_bins {
  static constexpr int width = 512;
  static constexpr int max_bins = bin_shape<std::uint32_t>::max_bins;
  static constexpr int scratch_bytes = max_bins * sizeof(std::uint32_t);

  std::uint32_t bins;
  const std::uint32_t* shifts;
  std::uint32_t* before;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t, std::byte* scratch) const {
    auto* const sums = reinterpret_cast<std::uint32_t*>(scratch);
    clear_counters(tile, sums, bins);
    tile.sync();
    tile.strided(bins, [&](std::size_t bin) { sums[bin] = shifts[bin]; });
    tile.sync();
    sum_in_order(
        tile, sums, bins, [](std::uint32_t shift) { return shift; },
        [&](std::uint32_t bin, std::uint32_t&, std::uint32_t all) {
          if (bin < bins) before[bin] = all;
        },
        [&](std::uint32_t all) { before[bins] = all; });
  }
};

}  // namespace mangrove::detail
