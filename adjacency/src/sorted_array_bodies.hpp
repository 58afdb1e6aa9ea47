#pragma once

#include "mangrove/adjacency/detail/side_slot.hpp"
#include "mangrove/adjacency/detail/sorted_array_storage.hpp"
#include "ordered_batch.hpp"

/// @file
/// Steps of building a sorted array, and those of inserting a sorted batch that find out which keys are new and where
/// they go.

namespace mangrove::detail {

/// Body, once per key: takes it and its value from what `ordered_build_bodies.hpp` calls a source.
template <class Key, class Source>
struct place_given {
  Source from;
  Key* keys;
  std::byte* values;
  std::uint32_t value_bytes;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    keys[i] = from.key(i);
    move_value(values, i, from.values, from.source(i), value_bytes);
  }
};

/// Body, once per slot of all blocks of separators, and once per slot of a block of keys: writes the separators, and
/// the greatest key after the last key.
template <class Key>
struct write_separator {
  static constexpr std::uint32_t slots = array_levels<Key>::slots;
  array_levels<Key> levels;
  std::uint64_t size;
  Key* keys;
  Key* separators;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint64_t all = levels.blocks() * slots;
    if (i >= all) {
      const std::uint64_t at = size / slots * slots + (i - all);
      if (at >= size) keys[at] = array_levels<Key>::greatest;
      return;
    }
    std::uint32_t level = 1;
    std::uint64_t below = slots;  // keys below a separator
    while (level < levels.height && i >= levels.first[level + 1] * slots) {
      ++level;
      below *= slots;
    }
    const std::uint64_t next = i - levels.first[level] * slots + 1;
    separators[i] = next < levels.separators[level] ? keys[next * below - 1] : array_levels<Key>::greatest;
  }
};

/// Query, keys being in order: where a key is or would be, and whether it is the one of its equals that is new.
template <class Key>
struct locate_array_key {
  sorted_array_view<Key> view;
  batch_view<Key> batch;
  on_existing existing;
  std::uint32_t* fresh;
  std::uint32_t* places;
  std::uint8_t* inserted;  ///< where the caller wants to know, else null

  [[nodiscard]] MANGROVE_HOST_DEVICE Key wanted(std::size_t i) const { return batch.key(i); }
  template <class Tile>
  MANGROVE_HOST_DEVICE void answer(const Tile& tile, std::size_t i, std::uint64_t at) const {
    if (tile.lane() != 0) return;
    const bool chosen = existing == on_existing::keep ? batch.first_of_equals(i) : batch.last_of_equals(i);
    const bool is_fresh = chosen && !view.holds(at, batch.key(i));
    fresh[i] = is_fresh ? 1 : 0;
    places[i] = static_cast<std::uint32_t>(at);
    if (inserted != nullptr) inserted[batch.source(i)] = is_fresh ? 1 : 0;
  }
};

/// The new keys of a batch, in order.
template <class Key>
struct new_entries {
  Key* keys;
  std::uint32_t* sources;  ///< positions in the batch
  std::uint32_t* places;   ///< among all keys that there will be
};

/// Body, once per key of a batch in order: keeps the new ones, `before[i]` of them before the i-th key.
template <class Key>
struct pick_new_entry {
  batch_view<Key> batch;
  const std::uint32_t* before;
  const std::uint32_t* places;
  new_entries<Key> to;
  array_tally* tally;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t at = before[i];
    const bool is_fresh = before[i + 1] != at;
    if (i + 1 == batch.count) tally->fresh = before[i + 1];
    if (!is_fresh) return;
    to.keys[at] = batch.key(i);
    to.sources[at] = batch.source(i);
    to.places[at] = places[i] + at;
    if (at == 0) tally->first = places[i];
  }
};

/// Body, once per key of a batch in order: gives keys that are there already their new values.
template <class Key>
struct assign_in_array {
  batch_view<Key> batch;
  const std::uint32_t* before;
  const std::uint32_t* places;
  const void* values;
  std::byte* to;
  std::uint32_t value_bytes;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (before[i + 1] != before[i] || !batch.last_of_equals(i)) return;
    move_value(to, places[i], values, batch.source(i), value_bytes);
  }
};

}  // namespace mangrove::detail
