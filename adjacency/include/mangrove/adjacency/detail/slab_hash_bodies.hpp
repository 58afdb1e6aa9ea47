#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/concurrent_table.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"

/// @file
/// What the owner's operations do to one key, bucket or chunk, as named function objects for `for_each_tile`.

namespace mangrove::detail {

/// Outcomes that bodies write, one byte a key. Others than `nothing` are truths.
struct outcome {
  static constexpr std::uint8_t nothing = 0;
  static constexpr std::uint8_t done = 1;
  static constexpr std::uint8_t done_with_tombstone = 2;
};

/// The state and the prefetch stage of a body that does something to each key of an array.
template <class Key, class Bits>
struct keyed_body {
  static constexpr int prefetch_stages = 1;
  concurrent_table<Key, Bits> table;
  const Key* keys;

  template <int Stage>
  MANGROVE_HOST_DEVICE void prefetch(std::size_t i) const {
    table.table().prefetch_home(keys[i]);
  }
};

template <class Key, class Bits>
struct insert_key : keyed_body<Key, Bits> {
  const void* values;
  std::uint8_t* outcomes;
  on_existing existing;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const insert_result result = this->table.insert(tile, this->keys[i], load_bits<Bits>(values, i), existing);
    if (tile.lane() == 0) outcomes[i] = result == insert_result::inserted ? outcome::done : outcome::nothing;
  }
};

/// Inserts beside inserts of other absent keys only.
template <class Key, class Bits>
struct insert_absent_key : keyed_body<Key, Bits> {
  const void* values;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const Key key = this->keys[i];
    const Bits bits = load_bits<Bits>(values, i);
    if (!slot_mark<Key>::storable(key)) {
      static_cast<void>(this->table.insert(tile, key, bits, on_existing::keep));
      return;
    }
    const auto& table = this->table.table();
    const auto at = place(tile, table, key);
    if constexpr (!is_none<Bits>) {
      if (tile.lane() == 0) table.values(at.bucket)[at.slot] = bits;
    }
  }

 private:
  /// Lanes alone look first: those of one warp whose keys follow each other then do not want the same slot.
  template <class Tile, class Table>
  MANGROVE_HOST_DEVICE static auto place(const Tile& tile, const Table& table, Key key) {
    if constexpr (Tile::lanes == 1) {
      return table.find_or_insert(tile, key).at;
    } else {
      return table.insert_absent(tile, key);
    }
  }
};

/// Erases beside other erases only, and so leaves no tombstone in a sector where searches end anyway.
template <class Key, class Bits>
struct erase_key : keyed_body<Key, Bits> {
  std::uint8_t* outcomes;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint8_t result = erase(tile, this->keys[i]);
    if (tile.lane() == 0) outcomes[i] = result;
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint8_t erase(const Tile& tile, Key key) const {
    using mark = slot_mark<Key>;
    if (!mark::storable(key)) return this->table.erase(tile, key) ? outcome::done : outcome::nothing;
    const auto at = this->table.table().template find<access::relaxed>(tile, key);
    if (!at) return outcome::nothing;
    const bool ends_here = this->table.table().template has_empty<access::relaxed>(tile, at);
    if (!this->table.replace(tile, at, key, ends_here ? mark::empty : mark::tombstone)) return outcome::nothing;
    return ends_here ? outcome::done : outcome::done_with_tombstone;
  }
};

template <class Key, class Bits>
struct find_key : keyed_body<Key, Bits> {
  void* values;
  std::uint8_t* outcomes;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto found = this->table.template find<access::plain>(tile, this->keys[i]);
    if (tile.lane() != 0) return;
    if (found) store_bits<Bits>(values, i, *found);
    outcomes[i] = found ? outcome::done : outcome::nothing;
  }
};

template <class Key, class Bits>
struct contains_key : keyed_body<Key, Bits> {
  std::uint8_t* outcomes;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const bool found = this->table.template contains<access::plain>(tile, this->keys[i]);
    if (tile.lane() == 0) outcomes[i] = found ? outcome::done : outcome::nothing;
  }
};

template <class Key>
struct widen_key {
  const Key* keys;
  std::uint64_t* wide;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (tile.lane() == 0) wide[i] = keys[i];
  }
};

/// Marks, in a sorted array of keys, the first of each run of equal keys that the table does not hold.
template <class Key, class Bits>
struct mark_new_key {
  static constexpr int prefetch_stages = 1;
  concurrent_table<Key, Bits> table;
  const std::uint64_t* sorted;
  std::uint8_t* outcomes;

  template <int Stage>
  MANGROVE_HOST_DEVICE void prefetch(std::size_t i) const {
    table.table().prefetch_home(static_cast<Key>(sorted[i]));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const bool first = i == 0 || sorted[i] != sorted[i - 1];
    const bool fresh = first && !table.template contains<access::plain>(tile, static_cast<Key>(sorted[i]));
    if (tile.lane() == 0) outcomes[i] = fresh ? outcome::done : outcome::nothing;
  }
};

/// Adds up the outcomes of a chunk: all that are truths, and those with a tombstone.
struct sum_outcomes_of_chunk {
  static constexpr std::size_t chunk = 4096;
  const std::uint8_t* outcomes;
  std::size_t count;
  std::uint64_t* counters;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint8_t* const from = outcomes + i * chunk;
    std::uint32_t done = 0;
    std::uint32_t tombstones = 0;
    tile.strided(count - i * chunk < chunk ? count - i * chunk : chunk, [&](std::size_t j) {
      done += from[j] != outcome::nothing;
      tombstones += from[j] == outcome::done_with_tombstone;
    });
    done = tile.sum(done);
    tombstones = tile.sum(tombstones);
    if (tile.lane() != 0) return;
    if (done != 0) fetch_add(counters, std::uint64_t{done});
    if (tombstones != 0) fetch_add(counters + 1, std::uint64_t{tombstones});
  }
};

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
