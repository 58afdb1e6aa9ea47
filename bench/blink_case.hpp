#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "mangrove/adjacency/blink_tree.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/io/counter_random.hpp"

/// @file
/// Trees and batches that benchmarks of ordered containers work on, and bodies that tiles run.

namespace mangrove::bench {

/// The i-th of keys that are all different and in no order.
template <class Key>
Key random_key(std::uint64_t i) {
  if constexpr (sizeof(Key) == 8) {
    return static_cast<Key>(mix(i + 1));
  } else {
    static const io::random_permutation key(3, 0, std::uint64_t{1} << 32);
    return static_cast<Key>(key(i));
  }
}

/// Keys `first` to `first + count` of `random_key`.
template <class Key>
std::vector<Key> random_keys(std::uint64_t first, std::size_t count) {
  std::vector<Key> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = random_key<Key>(first + i);
  return keys;
}

/// A tree, the keys that it holds, keys that it does not hold, and room for answers.
template <backend B, class Key, class Value>
struct blink_case {
  using tree_type = blink_tree<B, Key, Value>;
  static constexpr std::uint32_t longest_range = 32;

  resources<B> res;
  std::size_t count;
  buffer<B, Key> present, sorted, absent, tops;  ///< `tops` is the greatest key, again and again
  buffer<B, Value> values;
  buffer<B, std::uint8_t> outcomes;
  buffer<B, Key> found_keys;
  buffer<B, Value> found_values;
  buffer<B, std::uint32_t> counts;
  tree_type tree;

  blink_case(const resources<B>& resource, std::size_t size) : res(resource), count(size), tree(res) {
    auto keys = random_keys<Key>(0, count);
    present = place(keys);
    std::sort(keys.begin(), keys.end());
    sorted = place(keys);
    absent = place(random_keys<Key>(count, count));
    std::fill(keys.begin(), keys.end(), std::numeric_limits<Key>::max());
    tops = place(keys);
    values = buffer<B, Value>(res, count);
    fill_bytes(res, values.data(), 1, count);
    outcomes = buffer<B, std::uint8_t>(res, count);
    counts = buffer<B, std::uint32_t>(res, count);
    found_keys = buffer<B, Key>(res, longest_range * count / 4);
    found_values = buffer<B, Value>(res, longest_range * count / 4);
    fill();
  }

  /// Makes the tree hold `present`, as a bulk build does.
  void fill() { tree.bulk_build(res, sorted.data(), values.data(), count, key_sequence::sorted); }

  [[nodiscard]] buffer<B, Key> place(const std::vector<Key>& keys) const {
    auto placed = make_buffer<B>(res, keys.data(), keys.size());
    res.synchronize();
    return placed;
  }
};

/// Inserts keys, one a tile.
template <class Tree>
struct insert_one {
  typename Tree::ref_type tree;
  const typename Tree::key_type* keys;
  const typename Tree::mapped_type* values;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    tree.insert(tile, keys[i], values[i]);
  }
};

/// Of `i`-th operations, `updates` in 1000 change the tree, the others read it.
template <class Tree>
struct mixed_one {
  typename Tree::ref_type tree;
  const typename Tree::key_type* present;
  const typename Tree::key_type* absent;
  std::uint32_t updates;
  typename Tree::key_type* keys;  ///< answers to ranges
  typename Tree::mapped_type* values;
  std::uint8_t* found;

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_update(std::size_t i) const {
    return mix(static_cast<std::uint32_t>(i)) % 1000 < updates;
  }
};

/// Inserts, and ranges of 8 keys.
template <class Tree>
struct insert_and_range : mixed_one<Tree> {
  static constexpr std::uint64_t length = 8;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    using key = typename Tree::key_type;
    if (this->is_update(i)) {
      this->tree.insert(tile, this->absent[i], typename Tree::mapped_type(i));
    } else {
      this->tree.range(tile, this->present[i], static_cast<key>(~key{0}), length,
                       [&](std::uint64_t n, key at, typename Tree::mapped_type value) {
                         this->keys[i * length + n] = at;
                         this->values[i * length + n] = value;
                       });
    }
  }
};

/// Erases, and finds.
template <class Tree>
struct erase_and_find : mixed_one<Tree> {
  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (this->is_update(i)) {
      this->tree.erase(tile, this->present[i]);
    } else {
      const auto at = this->tree.find(tile, this->present[i]);
      if (tile.lane() != 0) return;
      this->found[i] = at ? 1 : 0;
      if (at) this->values[i] = *at;
    }
  }
};

}  // namespace mangrove::bench
