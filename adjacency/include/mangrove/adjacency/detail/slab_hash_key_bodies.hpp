#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/concurrent_table.hpp"
#include "mangrove/adjacency/detail/slab_hash_outcomes.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"

/// @file
/// What the owner's operations do to one key, as named function objects for `for_each_tile`.

namespace mangrove::detail {

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

}  // namespace mangrove::detail
