#pragma once

#include "blink_deal_bodies.hpp"

namespace mangrove::detail {

/// Lanes that write one leaf.
inline constexpr int leaf_lanes = 8;

/// What bodies have in common for which one tile has the keys of one bin, and tells which belong to which leaf.
template <class Key>
struct bin_groups {
  static constexpr int width = 512;
  static constexpr int blocks_at_once = 2;
  static constexpr std::uint32_t max_keys = bin_shape<Key>::max_keys;
  static constexpr std::uint32_t max_leaves = bin_shape<Key>::max_leaves;
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;

  /// A tile's memory. Leaves are meant by their numbers in the bin.
  struct groups {
    Key keys[max_keys];  ///< by leaf
    std::uint32_t sources[max_keys];
    Key highs[split_heap::room(max_leaves)];  ///< a heap of the greatest keys that leaves may hold
    std::uint32_t ends[max_leaves];           ///< of a leaf's keys
    std::uint32_t shift[max_leaves];          ///< by leaf: how many leaves come or go here, later before it
    node_index nodes[max_leaves];             ///< of `listed`
    std::uint16_t leaf_of[max_keys];
    std::uint16_t listed[max_leaves];  ///< leaves that get keys
    std::uint32_t leaves;              ///< of the bin
    std::uint32_t listed_count;
    std::uint32_t all_shift;  ///< how many leaves come or go in the bin

    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t begin_of(std::uint32_t leaf) const {
      return leaf == 0 ? 0 : ends[leaf - 1];
    }
  };

  blink_view<Key> tree;
  bin_arrays<Key> bins;
  dealt_tally* tally;

 protected:
  /// Empties the counter of a bin. @return how many keys it has, 0 if there are too many
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t take_bin(const Tile& tile, std::uint32_t bin) const {
    const std::uint32_t size = bins.sizes[bin];
    tile.sync();
    if (tile.lane() == 0) bins.sizes[bin] = bins.shifts[bin] = 0;
    return size > bins.shape.capacity ? 0 : size;
  }

  /// Puts a bin's keys in order by leaf, and lists the leaves.
  template <class Tile>
  MANGROVE_HOST_DEVICE void group_keys(const Tile& tile, groups& in, std::uint32_t bin, std::uint32_t size) const {
    const dealt_key<Key>* const dealt = bins.dealt + std::size_t{bin} * bins.shape.capacity;
    const std::uint32_t first = bin * bins.shape.leaves;
    const std::uint32_t leaves = bins.shape.leaves_of(bin, tree.leaves);
    const split_heap highs = split_heap::of(leaves);
    clear_counters(tile, in.ends, leaves);
    highs.fill(tile, in.highs, leaves, [&](std::uint32_t leaf) { return tree.high_of(first + leaf); });
    if (tile.lane() == 0) in.leaves = leaves;
    tile.sync();
    for_each_key(tile, dealt, size, [&](std::uint32_t k, const dealt_key<Key>& of) {
      const std::uint32_t leaf = highs.below(in.highs, of.key);
      in.leaf_of[k] = static_cast<std::uint16_t>(leaf);
      fetch_add(in.ends + leaf, 1U);
    });
    tile.sync();
    list_leaves(tile, in);
    tile.sync();
    tile.strided(in.listed_count, [&](std::size_t k) {
      in.nodes[k] = tree.order[first + in.listed[k]];
      prefetch_early(tree.nodes.heads + in.nodes[k]);
    });
    for_each_key(tile, dealt, size, [&](std::uint32_t k, const dealt_key<Key>& of) {
      const std::uint32_t place = fetch_add(in.ends + in.leaf_of[k], 1U);
      in.keys[place] = of.key;
      in.sources[place] = of.source;
    });
    tile.sync();
  }

  /// From how many leaves come or go at each leaf to how many do before it.
  template <class Tile>
  MANGROVE_HOST_DEVICE void sum_shift(const Tile& tile, groups& in) const {
    sum_in_order(
        tile, in.shift, in.leaves, [](std::uint32_t here) { return here; },
        [](std::uint32_t, std::uint32_t& shift, std::uint32_t before) { shift = before; },
        [&](std::uint32_t all) { in.all_shift = all; });
    tile.sync();
  }

  /// Tells others what has been summed up.
  template <class Tile>
  MANGROVE_HOST_DEVICE void note_shift(const Tile& tile, const groups& in, std::uint32_t bin) const {
    if (in.all_shift == 0) return;
    tile.strided(in.leaves, [&](std::size_t k) {
      bins.shift[bin * bins.shape.leaves + k] = static_cast<std::uint16_t>(in.shift[k]);
    });
    if (tile.lane() == 0) bins.shifts[bin] = in.all_shift;
  }

 private:
  static constexpr int together = 4;  ///< what a lane has under way

  /// Calls `f(k, key)` for all keys. Lanes read a few before they work on any.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE static void for_each_key(const Tile& tile, const dealt_key<Key>* keys, std::uint32_t size, F f) {
    for (std::uint32_t base = tile.lane(); base < size; base += together * Tile::lanes) {
      dealt_key<Key> own[together];
      unrolled<together>([&](int k) {
        const std::uint32_t at = base + k * Tile::lanes;
        own[k] = at < size ? keys[at] : dealt_key<Key>{};
      });
      unrolled<together>([&](int k) {
        if (base + k * Tile::lanes < size) f(base + k * Tile::lanes, own[k]);
      });
    }
  }

  /// From counts of keys to where each leaf's keys begin. Each lane has a few neighbouring leaves.
  template <class Tile>
  MANGROVE_HOST_DEVICE void list_leaves(const Tile& tile, groups& in) const {
    constexpr std::uint32_t one_leaf = 1U << 16;  // above the keys
    sum_in_order(
        tile, in.ends, in.leaves,
        [](std::uint32_t keys_of_leaf) { return keys_of_leaf == 0 ? 0 : keys_of_leaf + one_leaf; },
        [&](std::uint32_t leaf, std::uint32_t& end, std::uint32_t before) {
          if (end != 0) in.listed[before / one_leaf] = static_cast<std::uint16_t>(leaf);
          end = before % one_leaf;
        },
        [&](std::uint32_t all) { in.listed_count = all / one_leaf; });
  }
};

}  // namespace mangrove::detail
