#pragma once

#include "blink_group_bodies.hpp"

namespace mangrove::detail {

/// Keys that the lanes of a tile hold one each; leaves that get more are crowded.
inline constexpr std::uint32_t few_keys = 8;
/// Keys that a leaf can get here, repeats included; where one gets more the batch is skewed.
inline constexpr std::uint32_t most_for_leaf = 32;

/// Body: tells which keys of bin i belong to which leaf, and finds out what becomes of leaves that may have no room.
/// Changes nothing in the tree. Empties the bin's counter.
template <class Key>
struct gather_leaves : bin_groups<Key> {
  using base = bin_groups<Key>;
  using base::tree, base::bins, base::tally, base::max_leaves, base::slots;

  /// A tile's memory.
  struct room : base::groups {
    std::uint16_t crowded[max_leaves];  ///< places of crowded leaves in `listed`
    std::uint32_t first_touched;        ///< of the listed ones in the list for all bins
    std::uint32_t crowds;               ///< crowded leaves
    std::uint32_t first_crowded;
    std::uint32_t rejected;  ///< keys, of crowded leaves
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  std::uint32_t keys_per_leaf;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const auto bin = static_cast<std::uint32_t>(i);
    const std::uint32_t size = base::take_bin(tile, bin);
    if (size == 0) return;
    base::group_keys(tile, in, bin, size);
    if (tile.lane() == 0) {
      in.first_touched = fetch_add(&tally->touched, in.listed_count);
      in.crowds = 0;
      in.rejected = 0;
    }
    const std::size_t first = std::size_t{bin} * bins.shape.capacity;
    tile.strided(size, [&](std::size_t k) {
      bins.keys[first + k] = in.keys[k];
      bins.sources[first + k] = in.sources[k];
    });
    tile.sync();
    tile.strided(in.listed_count, [&](std::size_t k) { note_leaf(in, bin, static_cast<std::uint32_t>(k)); });
    tile.sync();
    if (in.crowds != 0) plan_crowd(tile, in, bin);
  }

 private:
  /// Notes what the k-th listed leaf gets.
  MANGROVE_HOST_DEVICE void note_leaf(room& in, std::uint32_t bin, std::uint32_t k) const {
    const std::uint32_t leaf = in.listed[k];
    const std::uint32_t begin = in.begin_of(leaf);
    const std::uint32_t size = in.ends[leaf] - begin;
    const std::uint32_t held = tree.nodes.count_of(in.nodes[k]);
    const bool is_crowded = size > few_keys || held + size > slots;
    if (size > most_for_leaf) store_relaxed(&tally->skewed, 1U);
    bins.touched[in.first_touched + k] = {in.nodes[k], bin * bins.shape.leaves + leaf,
                                          bin * bins.shape.capacity + begin, static_cast<std::uint16_t>(held),
                                          static_cast<std::uint16_t>(size | (is_crowded ? dealt_leaf::crowded : 0U))};
    if (!is_crowded) return;
    prefetch_early(tree.nodes.keys_of(in.nodes[k]));
    in.crowded[fetch_add(&in.crowds, 1U)] = static_cast<std::uint16_t>(k);
  }

  /// Finds out how many leaves the bin's crowded leaves become, and lists them.
  template <class Tile>
  MANGROVE_HOST_DEVICE void plan_crowd(const Tile& tile, room& in, std::uint32_t bin) const {
    clear_counters(tile, in.shift, in.leaves);
    if (tile.lane() == 0) in.first_crowded = fetch_add(&tally->crowded, in.crowds);
    tile.sync();
    tile.template for_each_part<leaf_lanes>(in.crowds, [&](const auto& part, std::size_t c) {
      const std::uint32_t k = in.crowded[c];
      const std::uint32_t leaf = in.listed[k];
      const dealt_leaf of = bins.touched[in.first_touched + k];
      if (of.count() > most_for_leaf) return;
      const std::uint32_t fresh = count_new(part, in.keys + in.begin_of(leaf), of);
      if (part.lane() != 0) return;
      in.shift[leaf] = extra_leaves(of.held + fresh);
      fetch_add(&in.rejected, of.count() - fresh);
    });
    tile.sync();
    base::sum_shift(tile, in);
    tile.strided(in.crowds, [&](std::size_t c) {
      const std::uint32_t k = in.crowded[c];
      const std::uint32_t leaf = in.listed[k];
      const std::uint32_t before = in.shift[leaf];
      const std::uint32_t end = leaf + 1 == in.leaves ? in.all_shift : in.shift[leaf + 1];
      bins.crowded[in.first_crowded + c] = {bins.touched[in.first_touched + k], end - before, before};
    });
    base::note_shift(tile, in, bin);
    if (tile.lane() != 0) return;
    tally->reject(bin, in.rejected);
    if (in.all_shift != 0) fetch_add(&tally->extra, in.all_shift);
  }

  /// How many distinct keys of those that it gets a leaf does not have. @pre it has some
  template <class Part>
  MANGROVE_HOST_DEVICE std::uint32_t count_new(const Part& part, const Key* keys, const dealt_leaf& of) const {
    constexpr int rows = (slots + Part::lanes - 1) / Part::lanes;
    constexpr int given_rows = (most_for_leaf + Part::lanes - 1) / Part::lanes;
    const std::uint32_t size = of.count();
    const Key* const of_leaf = tree.nodes.keys_of(of.leaf);
    Key held[rows];
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Part::lanes + part.lane();
      held[row] = of_leaf[slot < of.held ? slot : 0];  // unused slots would look like the greatest key
    });
    Key given[given_rows];
    unrolled<given_rows>([&](int row) {
      const std::uint32_t j = row * Part::lanes + part.lane();
      given[row] = j < size ? keys[j] : Key{0};
    });
    std::uint32_t fresh = 0;
    for (std::uint32_t j = 0; j < size; ++j) {
      const Key key = keys[j];
      bool is_met = false;  // in the leaf, or before among those that it gets; bits, for branches take longer
      unrolled<rows>([&](int row) { is_met |= held[row] == key; });
      unrolled<given_rows>([&](int row) {
        const std::uint32_t other = row * Part::lanes + part.lane();
        is_met |= (given[row] == key) & (other < j);
      });
      fresh += part.ballot(is_met) == 0 ? 1 : 0;
    }
    return fresh;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t extra_leaves(std::uint32_t total) const {
    return total <= slots ? 0 : (total + keys_per_leaf - 1) / keys_per_leaf - 1;
  }
};

}  // namespace mangrove::detail
