#pragma once

#include <array>

#include "mangrove/adjacency/detail/blink_nodes.hpp"
#include "mangrove/core/prefetch.hpp"

namespace mangrove::detail {

/// Where a key is, or would be: a leaf by its place in the order of leaves, and a slot.
struct blink_place {
  std::uint32_t rank;
  node_index leaf;
  std::uint32_t slot;
};

/// A B-link tree at rest, as bodies see it: nobody changes it meanwhile. Trivially copyable.
///
/// At rest the inner nodes of a level lie one after the other, each but the last with `fanout` children, so that a
/// node's children are known without reading them, and a search ends with the rank of its leaf.
template <class Key>
struct blink_view {
  using key_type = Key;
  using place = blink_place;
  using nodes_type = blink_nodes<Key>;
  static constexpr std::uint32_t slots = nodes_type::slots;
  /// Children of inner nodes as they are built; what is left is for tiles' splits.
  static constexpr std::uint32_t fanout = slots - slots / 8;
  static constexpr std::uint32_t max_height = 10;

  nodes_type nodes;
  key_codec<Key> codec;
  const node_index* order;              ///< [dim = leaves] the leaves from left to right
  std::uint32_t leaves;                 ///< at least 1; only a lone leaf may be empty
  std::uint32_t height;                 ///< levels of inner nodes, at least 1
  std::uint32_t first[max_height + 1];  ///< the first inner node of each level; the lowest level is 1

  /// Rank of the leaf that `key` belongs to.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t rank_of(const Tile& tile, Key key) const {
    std::uint32_t node = 0;
    for (std::uint32_t level = height; level != 0; --level) node = child(tile, level, node, key);
    return node;
  }

  /// The greatest key that a leaf may hold, by its rank.
  [[nodiscard]] MANGROVE_HOST_DEVICE Key high_of(std::uint32_t rank) const {
    return nodes.keys_of_inner(first[1] + rank / fanout)[rank % fanout];
  }

  /// One step down: of the `node`-th node of a level the child that `key` belongs to, as a place in the next level.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t child(const Tile& tile, std::uint32_t level, std::uint32_t node,
                                                         Key key) const {
    const Key* const keys = nodes.keys_of_inner(first[level] + node);
    return node * fanout + slots_below<slots>(tile, [&](std::uint32_t slot) { return keys[slot] < key; });
  }

  /// The first key that is not below `key`; the slot may be one after the leaf's last key.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE blink_place lower_bound(const Tile& tile, Key key) const {
    return lower_bound_in(tile, rank_of(tile, key), key);
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE blink_place lower_bound_in(const Tile& tile, std::uint32_t rank, Key key) const {
    const node_index leaf = order[rank];
    const Key* const keys = nodes.keys_of(leaf);
    const std::uint32_t slot = slots_below<slots>(tile, [&](std::uint32_t slot) { return keys[slot] < key; });
    return {rank, leaf, slot};
  }

  /// As `lower_bound` for `size` keys at a time, whose loads overlap: a CPU waits once a level for all of them.
  template <class Tile>
  MANGROVE_HOST_DEVICE void lower_bounds(const Tile& tile, const Key* keys, std::size_t size, blink_place* at) const {
    for (std::size_t k = 0; k < size; ++k) at[k].rank = 0;
    for (std::uint32_t level = height; level != 0; --level) {
      for (std::size_t k = 0; k < size; ++k) {
        at[k].rank = child(tile, level, at[k].rank, keys[k]);
        if (level > 1) prefetch_keys(nodes.keys_of_inner(first[level - 1] + at[k].rank));
        if (level == 1) prefetch(order + at[k].rank);
      }
    }
    for (std::size_t k = 0; k < size; ++k) prefetch_keys(nodes.keys_of(order[at[k].rank]));
    for (std::size_t k = 0; k < size; ++k) at[k] = lower_bound_in(tile, at[k].rank, keys[k]);
  }

  /// Whether `key` is at the place that `lower_bound` gave for it.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool holds(const blink_place& at, Key key) const {
    if (at.slot >= slots || nodes.keys_of(at.leaf)[at.slot] != key) return false;
    return key != nodes_type::greatest || at.slot < nodes.count_of(at.leaf);  // unused slots hold the greatest key too
  }

  /// The first key above `key`; the slot may be one after the leaf's last key.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE blink_place upper_bound_in(const Tile& tile, std::uint32_t rank, Key key) const {
    const node_index leaf = order[rank];
    const Key* const keys = nodes.keys_of(leaf);
    const std::uint32_t slot = slots_below<slots>(tile, [&](std::uint32_t slot) { return !(key < keys[slot]); });
    const std::uint32_t count = nodes.count_of(leaf);
    return {rank, leaf, slot < count ? slot : count};
  }

  /// Keys and values from a place to the end of its leaf.
  [[nodiscard]] MANGROVE_HOST_DEVICE const Key* keys_at(const blink_place& at) const {
    return nodes.keys_of(at.leaf) + at.slot;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE const std::byte* values_at(const blink_place& at) const {
    return nodes.values_of(at.leaf) + std::size_t{at.slot} * nodes.value_bytes;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t value_width() const { return nodes.value_bytes; }

  /// Leaves: the parts that can be visited apart.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t parts() const { return leaves; }
  /// Where a part begins; `size` becomes how many keys it has.
  [[nodiscard]] MANGROVE_HOST_DEVICE blink_place begin_of_part(std::size_t part, std::uint64_t& size) const {
    const node_index leaf = order[part];
    size = nodes.count_of(leaf);
    return {static_cast<std::uint32_t>(part), leaf, 0};
  }

  /// Calls `each(n, place, size)` for stretches of neighbouring keys from a place that `lower_bound` gave up to `high`,
  /// in order, the n-th key first; stops after `limit` keys. @return how many there were
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE std::uint64_t walk_from(const Tile& tile, blink_place at, Key high, std::uint64_t limit,
                                               Each each) const {
    if (limit == 0) return 0;
    for (std::uint64_t met = 0;;) {
      const leaf_head<Key> head = nodes.heads[at.leaf];
      std::uint32_t end = node_state::count(head.state);
      if (high < head.high) end = upper_bound_in(tile, at.rank, high).slot;
      if (at.slot < end) {
        const std::uint64_t left = limit - met;
        const std::uint32_t size = left < end - at.slot ? static_cast<std::uint32_t>(left) : end - at.slot;
        each(met, at, size);
        met += size;
      }
      if (!(head.high < high) || met == limit || at.rank + 1 == leaves) return met;
      at = {at.rank + 1, order[at.rank + 1], 0};
    }
  }

  /// Whether there is a key at a place that `lower_bound` gave, or after it; makes the place that key's.
  MANGROVE_HOST_DEVICE bool is_key(blink_place& at) const {
    if (at.slot < nodes.count_of(at.leaf)) return true;
    if (at.rank + 1 == leaves) return false;
    at = {at.rank + 1, order[at.rank + 1], 0};
    return true;
  }

  /// Whether there is a key before a place that `lower_bound` gave; makes the place that key's.
  MANGROVE_HOST_DEVICE bool step_back(blink_place& at) const {
    if (at.slot == 0) {
      if (at.rank == 0) return false;
      const node_index leaf = order[at.rank - 1];
      at = {at.rank - 1, leaf, nodes.count_of(leaf)};
    }
    --at.slot;
    return true;
  }

 private:
  MANGROVE_HOST_DEVICE static void prefetch_keys(const Key* keys) {
    prefetch(keys);
    prefetch(keys + slots / 2);
  }
};

}  // namespace mangrove::detail
