#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "mangrove/adjacency/detail/ordered_slots.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"
#include "mangrove/adjacency/key_order.hpp"
#include "mangrove/core/backend.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/slab_size.hpp"

/// @file
/// Nodes of a B-link tree: arrays over node numbers, keys apart from what belongs to them.
///
/// Unused slots of a node hold the greatest key, so a search reads keys alone. Separators are the greatest keys that a
/// child may hold.

namespace mangrove::detail {

/// Number of a leaf, or of an inner node; the two are numbered apart.
using node_index = std::uint32_t;
inline constexpr node_index no_node = std::numeric_limits<node_index>::max();

/// The word that a node is locked and checked by: bit 0 is the lock, six bits are the number of keys, the rest counts
/// changes.
struct node_state {
  static constexpr std::uint32_t lock = 1;
  static constexpr std::uint32_t one_change = 1U << 7;

  MANGROVE_HOST_DEVICE static constexpr std::uint32_t of(std::uint32_t count) { return count << 1; }
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t count(std::uint32_t state) { return (state >> 1) & 63; }
  /// The state after a change, unlocked, with another number of keys.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t changed(std::uint32_t state, std::uint32_t count) {
    return ((state & ~(one_change - 1)) + one_change) | of(count);
  }
};

/// What a leaf has beside keys and values. A leaf holds keys from `low` to `high`, both included.
template <class Key>
struct leaf_head {
  std::uint32_t state;
  node_index right;  ///< the next leaf, `no_node` after the last one
  Key low;
  Key high;  ///< the greatest key of the type in the last leaf
};

/// The arrays that nodes live in.
template <class Key>
struct blink_nodes {
  static constexpr std::uint32_t slots = slab_bytes / sizeof(Key);
  static constexpr Key greatest = std::numeric_limits<Key>::max();

  Key* leaf_keys;
  std::byte* leaf_values;
  leaf_head<Key>* heads;
  Key* inner_keys;
  node_index* inner_children;   ///< unused slots repeat the last child
  std::uint32_t* inner_states;  ///< of nodes that tiles change; at rest nobody reads them
  std::uint32_t value_bytes;    ///< 0, 4 or 8

  [[nodiscard]] MANGROVE_HOST_DEVICE Key* keys_of(node_index leaf) const {
    return leaf_keys + std::size_t{leaf} * slots;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::byte* values_of(node_index leaf) const {
    return leaf_values + std::size_t{leaf} * slots * value_bytes;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE Key* keys_of_inner(node_index node) const {
    return inner_keys + std::size_t{node} * slots;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index* children_of(node_index node) const {
    return inner_children + std::size_t{node} * slots;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_of(node_index leaf) const {
    return node_state::count(heads[leaf].state);
  }
};

}  // namespace mangrove::detail
