#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

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

/// How many of a node's slots come before what is sought; `below(slot)` is true for a prefix of the slots. Halves them.
template <std::uint32_t Slots, class Below>
MANGROVE_HOST_DEVICE std::uint32_t slots_below_halving(Below below) {
  std::uint32_t at = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (std::uint32_t step = Slots / 2; step != 0; step /= 2) {
    if (below(at + step - 1)) at += step;
  }
  return at + (below(at) ? 1 : 0);
}

/// The same by all lanes of a tile at once. Same result in every lane.
template <std::uint32_t Slots, class Tile, class Below>
MANGROVE_HOST_DEVICE std::uint32_t slots_below_voting(const Tile& tile, Below below) {
  const std::uint32_t votes =
      tile.template match<static_cast<int>(Slots)>([&](int slot) { return below(static_cast<std::uint32_t>(slot)); });
  return count_bits(votes);
}

/// The same in a node that nobody changes: few lanes halve all together, which reads fewer bytes; many vote; a CPU
/// counts with SIMD.
template <std::uint32_t Slots, class Tile, class Below>
MANGROVE_HOST_DEVICE std::uint32_t slots_below([[maybe_unused]] const Tile& tile, Below below) {
#if defined(__CUDA_ARCH__)
  if constexpr (Tile::lanes <= 8) {
    return slots_below_halving<Slots>(below);
  } else {
    return slots_below_voting<Slots>(tile, below);
  }
#else
  std::uint32_t count = 0;
  for (std::uint32_t slot = 0; slot < Slots; ++slot) count += below(slot) ? 1 : 0;
  return count;
#endif
}

/// Copies a value of `bytes` bytes (0, 4 or 8) from slot `j` of one array to slot `i` of another.
MANGROVE_HOST_DEVICE inline void move_value(void* to, std::size_t i, const void* from, std::size_t j,
                                            std::uint32_t bytes) {
  if (bytes == 4) {
    store_bits(to, i, load_bits<std::uint32_t>(from, j));
  } else if (bytes == 8) {
    store_bits(to, i, load_bits<std::uint64_t>(from, j));
  }
}

/// The value in slot `i` of an array whose values are `bytes` wide, in the low bytes.
MANGROVE_HOST_DEVICE inline std::uint64_t value_at(const void* values, std::size_t i, std::uint32_t bytes) {
  if (bytes == 4) return load_bits<std::uint32_t>(values, i);
  return bytes == 8 ? load_bits<std::uint64_t>(values, i) : 0;
}

MANGROVE_HOST_DEVICE inline void put_value(void* values, std::size_t i, std::uint64_t value, std::uint32_t bytes) {
  if (bytes == 4) store_bits(values, i, static_cast<std::uint32_t>(value));
  if (bytes == 8) store_bits(values, i, value);
}

}  // namespace mangrove::detail
