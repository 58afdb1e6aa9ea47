#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/concurrent_table.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"

/// @file
/// What the owner's operations do to one bucket or a chunk of them, as named function objects for `for_each_tile`.

namespace mangrove::detail {

/// Counts the keys and tombstones of a chunk of buckets, and with the first chunk the keys that mark slots.
template <class Key, class Bits>
struct count_slots_of_chunk {
  static constexpr std::uint32_t chunk = 64;
  using mark = slot_mark<Key>;
  concurrent_table<Key, Bits> table;
  std::uint64_t* counters;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    constexpr std::uint32_t slots = concurrent_table<Key, Bits>::slots;
    const auto first = static_cast<std::uint32_t>(i) * chunk;
    const std::uint32_t left = table.table().buckets() - first;
    std::uint32_t keys = i == 0 ? side_keys() : 0;
    std::uint32_t tombstones = 0;
    for (std::uint32_t bucket = first; bucket < first + (left < chunk ? left : chunk); ++bucket) {
      const Key* const in = table.table().keys(bucket);
      keys += count_bits(tile.template match<slots>([&](int slot) { return mark::storable(in[slot]); }));
      tombstones += count_bits(tile.template match<slots>([&](int slot) { return in[slot] == mark::tombstone; }));
    }
    if (tile.lane() != 0) return;
    if (keys != 0) fetch_add(counters, std::uint64_t{keys});
    if (tombstones != 0) fetch_add(counters + 1, std::uint64_t{tombstones});
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t side_keys() const {
    std::uint32_t keys = 0;
    for (const auto& slot : table.side().keys) keys += static_cast<bool>(slot.find());
    return keys;
  }
};

/// Moves the keys of one bucket to a table that holds other keys of the same set.
template <class Key, class Bits>
struct move_bucket {
  static constexpr int prefetch_stages = 1;
  using mark = slot_mark<Key>;
  slab_table<Key, Bits> from;
  slab_table<Key, Bits> to;

  template <int Stage>
  MANGROVE_HOST_DEVICE void prefetch(std::size_t i) const {
    const Key* const in = from.keys(static_cast<std::uint32_t>(i));
    for (std::uint32_t slot = 0; slot < slab_table<Key, Bits>::slots; ++slot) {
      if (mark::storable(in[slot])) to.prefetch_home(in[slot]);
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto bucket = static_cast<std::uint32_t>(i);
    const Key* const in = from.keys(bucket);
    std::uint32_t left =
        tile.template match<slab_table<Key, Bits>::slots>([&](int slot) { return mark::storable(in[slot]); });
    for (; left != 0; left &= left - 1) {
      const std::uint32_t slot = lowest_bit(left);
      const auto at = to.insert_absent(tile, in[slot]);
      if constexpr (!is_none<Bits>) {
        if (tile.lane() == 0) to.values(at.bucket)[at.slot] = from.values(bucket)[slot];
      }
    }
  }
};

/// Writes the keys of one bucket, and with the first those that mark slots, to wherever `counter` has come to.
template <class Key, class Bits>
struct retrieve_bucket {
  using mark = slot_mark<Key>;
  concurrent_table<Key, Bits> table;
  Key* keys;
  void* values;
  std::uint64_t* counter;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    constexpr std::uint32_t slots = concurrent_table<Key, Bits>::slots;
    const auto bucket = static_cast<std::uint32_t>(i);
    const Key* const in = table.table().keys(bucket);
    const std::uint32_t held = tile.template match<slots>([&](int slot) { return mark::storable(in[slot]); });
    const std::uint64_t base = tile.elect([&] { return fetch_add(counter, std::uint64_t{count_bits(held)}); });
    tile.strided(slots, [&](std::size_t slot) {
      if ((held >> slot & 1) == 0) return;
      const std::uint64_t to = base + count_bits(held & ((std::uint32_t{1} << slot) - 1));
      keys[to] = in[slot];
      if constexpr (!is_none<Bits>) store_bits(values, to, table.table().values(bucket)[slot]);
    });
    if (i == 0 && tile.lane() == 0) retrieve_side();
  }

 private:
  MANGROVE_HOST_DEVICE void retrieve_side() const {
    for (std::uint32_t i = 0; i < 3; ++i) {
      const auto found = table.side().keys[i].find();
      if (!found) continue;
      const std::uint64_t to = fetch_add(counter, std::uint64_t{1});
      keys[to] = static_cast<Key>(mark::empty - i);
      store_bits(values, to, *found);
    }
  }
};

}  // namespace mangrove::detail
