#pragma once

#include "mangrove/adjacency/detail/blink_storage.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Body, once per key: its value.
template <class Key>
struct find_key {
  blink_view<Key> tree;
  const void* keys;
  void* values;  ///< null when nobody wants them
  std::uint8_t* found;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const Key raw = load_bits<Key>(keys, i);
    const Key key = tree.codec.encode(raw);
    const blink_place at = tree.lower_bound(tile, key);
    const bool is_found = tree.holds(at, key) && !tree.codec.refuses(raw);
    if (tile.lane() != 0) return;
    found[i] = is_found ? 1 : 0;
    if (is_found && values != nullptr) {
      move_value(values, i, tree.nodes.values_of(at.leaf), at.slot, tree.nodes.value_bytes);
    }
  }
};

/// Body, once per group of keys: as `find_key`, all keys of the group going down together, so that a CPU waits for
/// their nodes at the same time.
template <class Key>
struct find_key_group {
  static constexpr std::size_t group = 16;
  find_key<Key> one;
  std::size_t count;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t begin = i * group;
    const std::size_t size = count - begin < group ? count - begin : group;
    const blink_view<Key>& tree = one.tree;
    Key keys[group];
    std::uint32_t at[group] = {};
    for (std::size_t k = 0; k < size; ++k) keys[k] = tree.codec.encode(load_bits<Key>(one.keys, begin + k));
    for (std::uint32_t level = tree.height; level != 0; --level) {
      for (std::size_t k = 0; k < size; ++k) {
        at[k] = tree.child(tile, level, at[k], keys[k]);
        if (level > 1) prefetch_keys(tree.nodes.keys_of_inner(tree.first[level - 1] + at[k]));
        if (level == 1) prefetch(tree.order + at[k]);
      }
    }
    for (std::size_t k = 0; k < size; ++k) {
      at[k] = tree.order[at[k]];
      prefetch_keys(tree.nodes.keys_of(at[k]));
    }
    for (std::size_t k = 0; k < size; ++k) find_in(tile, begin + k, at[k], keys[k]);
  }

 private:
  MANGROVE_HOST_DEVICE static void prefetch_keys(const Key* keys) {
    prefetch(keys);
    prefetch(keys + blink_nodes<Key>::slots / 2);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void find_in(const Tile& tile, std::size_t i, node_index leaf, Key key) const {
    const blink_nodes<Key>& nodes = one.tree.nodes;
    const Key* const held = nodes.keys_of(leaf);
    const std::uint32_t slot =
        slots_below<blink_nodes<Key>::slots>(tile, [&](std::uint32_t k) { return held[k] < key; });
    const bool is_found = one.tree.holds({0, leaf, slot}, key) && !one.tree.codec.refuses(load_bits<Key>(one.keys, i));
    one.found[i] = is_found ? 1 : 0;
    if (is_found && one.values != nullptr) move_value(one.values, i, nodes.values_of(leaf), slot, nodes.value_bytes);
  }
};

/// What bodies over ranges share.
template <class Key>
struct range_reader {
  blink_view<Key> tree;
  key_ranges ranges;

  /// As the tree's `walk`, for range i.
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE std::uint64_t walk(const Tile& tile, std::size_t i, std::uint64_t limit, Each each) const {
    const Key low = load_bits<Key>(ranges.lows, i);
    const Key high = load_bits<Key>(ranges.highs, i);
    if (tree.codec.refuses(low) || tree.codec.refuses(high)) return 0;
    return tree.walk(tile, tree.codec.encode(low), tree.codec.encode(high), limit, each);
  }
};

/// Body, once per range: how many keys lie in it.
template <class Key>
struct count_range {
  range_reader<Key> reader;
  std::uint64_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t met = reader.walk(tile, i, ~std::uint64_t{0}, [](auto...) {});
    if (tile.lane() == 0) counts[i] = met;
  }
};

/// Where the keys of ranges are written to.
template <class Key>
struct range_output {
  void* keys;
  void* values;  ///< null when nobody wants them

  /// Writes neighbouring keys of a leaf. Reads several before it writes, so that the reads overlap.
  template <class Tile>
  MANGROVE_HOST_DEVICE void write(const Tile& tile, const blink_view<Key>& tree, std::uint64_t to, node_index leaf,
                                  std::uint32_t slot, std::uint32_t size) const {
    constexpr int rows = 4;
    const Key* const held = tree.nodes.keys_of(leaf) + slot;
    const std::byte* const its_values = tree.nodes.values_of(leaf);
    for (std::uint32_t first = tile.lane(); first < size; first += rows * Tile::lanes) {
      Key read[rows] = {};
      std::uint64_t read_values[rows] = {};
      unrolled<rows>([&](int row) {
        const std::uint32_t k = first + row * Tile::lanes;
        if (k >= size) return;
        read[row] = held[k];
        if (values != nullptr) read_values[row] = value_at(its_values, slot + k, tree.nodes.value_bytes);
      });
      unrolled<rows>([&](int row) {
        const std::uint32_t k = first + row * Tile::lanes;
        if (k >= size) return;
        store_bits(keys, to + k, tree.codec.decode(read[row]));
        if (values != nullptr) put_value(values, to + k, read_values[row], tree.nodes.value_bytes);
      });
    }
  }
};

/// Body, once per range: its keys and values, each range from an offset of its own, none at or beyond `capacity`.
template <class Key>
struct write_range {
  range_reader<Key> reader;
  const std::uint64_t* offsets;
  std::uint64_t capacity;
  range_output<Key> output;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t begin = offsets[i];
    const std::uint64_t end = offsets[i + 1] < capacity ? offsets[i + 1] : capacity;
    if (begin >= end) return;
    reader.walk(tile, i, end - begin, [&](std::uint64_t n, node_index leaf, std::uint32_t slot, std::uint32_t size) {
      output.write(tile, reader.tree, begin + n, leaf, slot, size);
    });
  }
};

/// Body, once per range: its first keys and values, up to `limit`, in a row of its own.
template <class Key>
struct write_range_row {
  range_reader<Key> reader;
  std::uint32_t limit;
  std::uint32_t* counts;
  range_output<Key> output;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t begin = std::uint64_t{i} * limit;
    const std::uint64_t met =
        reader.walk(tile, i, limit, [&](std::uint64_t n, node_index leaf, std::uint32_t slot, std::uint32_t size) {
          output.write(tile, reader.tree, begin + n, leaf, slot, size);
        });
    if (tile.lane() == 0) counts[i] = static_cast<std::uint32_t>(met);
  }
};

/// Body, once per key: the nearest key below or above it.
template <class Key>
struct find_neighbor {
  blink_view<Key> tree;
  const void* keys;
  neighbor_side side;
  void* neighbors;
  void* values;  ///< null when nobody wants them
  std::uint8_t* found;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const Key raw = load_bits<Key>(keys, i);
    const Key key = tree.codec.encode(raw);
    blink_place at{};
    const bool is_found = !tree.codec.refuses(raw) && (side == neighbor_side::after ? tree.find_after(tile, key, at)
                                                                                    : tree.find_before(tile, key, at));
    if (tile.lane() != 0) return;
    found[i] = is_found ? 1 : 0;
    if (!is_found) return;
    store_bits(neighbors, i, tree.codec.decode(tree.nodes.keys_of(at.leaf)[at.slot]));
    if (values != nullptr) move_value(values, i, tree.nodes.values_of(at.leaf), at.slot, tree.nodes.value_bytes);
  }
};

/// Body, once per leaf in order: all its keys and values, from an offset of its own.
template <class Key>
struct retrieve_leaf {
  blink_view<Key> tree;
  const std::uint64_t* offsets;
  range_output<Key> output;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const node_index leaf = tree.order[i];
    output.write(tile, tree, offsets[i], leaf, 0, tree.nodes.count_of(leaf));
  }
};

}  // namespace mangrove::detail
