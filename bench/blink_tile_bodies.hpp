#pragma once

#include <cstdint>

#include "mangrove/adjacency/blink_tree.hpp"
#include "mangrove/core/hash.hpp"

/// @file
/// What tiles do with a B-link tree in benchmarks.

namespace mangrove::bench {

/// Inserts keys, one a tile.
template <class Tree>
struct insert_one {
  static constexpr int blocks_at_once = 8;  ///< tiles wait for memory most of the time
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
  static constexpr int blocks_at_once = 8;
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
