#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "mangrove/adjacency/detail/ordered_slots.hpp"
#include "mangrove/adjacency/key_order.hpp"
#include "mangrove/core/backend.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/slab_size.hpp"

namespace mangrove::detail {

/// Levels of separators above a sorted array. Blocks of keys, and of separators, are a line of memory long: a block of
/// separators stands above as many blocks below it. A separator is the last key of the block below it; that of the
/// last block of a level, and those of blocks that do not exist, are the greatest key.
template <class Key>
struct array_levels {
  static constexpr std::uint32_t slots = slab_bytes / sizeof(Key);
  static constexpr Key greatest = std::numeric_limits<Key>::max();
  static constexpr std::uint32_t most = 8;

  std::uint32_t height;                ///< levels, at least 1
  std::uint64_t separators[most + 1];  ///< of each level; the lowest level is 1
  std::uint64_t first[most + 1];       ///< block, among those of all levels, that a level begins with

  /// The levels above `size` keys. There is always a block that is not full, so that every search ends in a block.
  static array_levels above(std::uint64_t size) {
    array_levels levels{};
    std::uint64_t blocks = size / slots + 1;
    std::uint64_t next = 0;
    do {
      levels.separators[++levels.height] = blocks;
      levels.first[levels.height] = next;
      blocks = (blocks + slots - 1) / slots;
      next += blocks;
    } while (blocks > 1);
    return levels;
  }

  /// Blocks of separators in all levels.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t blocks() const { return first[height] + 1; }
};

/// A sorted array as bodies see it: nobody changes it meanwhile. Trivially copyable.
template <class Key>
struct sorted_array_view {
  using key_type = Key;
  using place = std::uint64_t;  ///< index of a key
  using levels_type = array_levels<Key>;
  static constexpr std::uint32_t slots = levels_type::slots;

  const Key* keys;  ///< [dim = size] followed by the greatest key, up to the end of a block
  const std::byte* values;
  const Key* separators;
  std::uint64_t size;
  std::uint32_t value_bytes;
  key_codec<Key> codec;
  levels_type levels;

  /// Index of the first key that is not below `key`; `size` where there is none.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE place lower_bound(const Tile& tile, Key key) const {
    std::uint64_t block = 0;
    for (std::uint32_t level = levels.height; level != 0; --level) block = child(tile, level, block, key);
    return place_in(tile, keys, block, key);
  }

  /// As `lower_bound` for `count` keys at a time, whose loads overlap: a CPU waits once a level for all of them.
  template <class Tile>
  MANGROVE_HOST_DEVICE void lower_bounds(const Tile& tile, const Key* wanted, std::size_t count, place* at) const {
    for (std::size_t k = 0; k < count; ++k) at[k] = 0;
    for (std::uint32_t level = levels.height; level != 0; --level) {
      const Key* const below = level > 1 ? separators + levels.first[level - 1] * slots : keys;
      for (std::size_t k = 0; k < count; ++k) {
        at[k] = child(tile, level, at[k], wanted[k]);
        prefetch(below + at[k] * slots);
        prefetch(below + at[k] * slots + slots / 2);
      }
    }
    for (std::size_t k = 0; k < count; ++k) at[k] = place_in(tile, keys, at[k], wanted[k]);
  }

  /// Whether `key` is at the place that `lower_bound` gave for it.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool holds(place at, Key key) const { return at < size && keys[at] == key; }

  [[nodiscard]] MANGROVE_HOST_DEVICE const Key* keys_at(place at) const { return keys + at; }
  [[nodiscard]] MANGROVE_HOST_DEVICE const std::byte* values_at(place at) const { return values + at * value_bytes; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t value_width() const { return value_bytes; }

  /// Parts that can be visited apart: blocks with keys.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t parts() const { return (size + slots - 1) / slots; }
  /// Where a part begins; `count` becomes how many keys it has.
  [[nodiscard]] MANGROVE_HOST_DEVICE place begin_of_part(std::size_t part, std::uint64_t& count) const {
    const place first = std::uint64_t{part} * slots;
    count = size - first < slots ? size - first : slots;
    return first;
  }

  /// Calls `each(0, place, count)` for the keys from a place up to `high`, at most `limit`, where there are any.
  /// @return how many there were
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE std::uint64_t walk_from(const Tile& tile, place first, Key high, std::uint64_t limit,
                                               Each each) const {
    place end = limit < size - first ? first + limit : size;
    if (first == end) return 0;
    if (high < keys[end - 1]) end = lower_bound(tile, static_cast<Key>(high + 1));
    if (first != end) each(std::uint64_t{0}, first, end - first);
    return end - first;
  }

  /// Whether there is a key at a place that `lower_bound` gave.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_key(place at) const { return at < size; }

  /// Whether there is a key before a place; makes the place that key's.
  MANGROVE_HOST_DEVICE bool step_back(place& at) const {
    if (at == 0) return false;
    --at;
    return true;
  }

 private:
  /// One step down: of the block-th block of a level, the block below it that `key` belongs to.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t child(const Tile& tile, std::uint32_t level, std::uint64_t block,
                                                         Key key) const {
    return place_in(tile, separators + levels.first[level] * slots, block, key);
  }

  /// Index of the first key of a block that is not below `key`, which the block above has found to be in it.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t place_in(const Tile& tile, const Key* level,
                                                                   std::uint64_t block, Key key) {
    const Key* const held = level + block * slots;
    return block * slots + slots_below_but_last<slots>(tile, [&](std::uint32_t slot) { return held[slot] < key; });
  }
};

}  // namespace mangrove::detail
