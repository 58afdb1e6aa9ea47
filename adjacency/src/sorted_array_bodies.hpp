#pragma once

#include "mangrove/adjacency/detail/side_slot.hpp"
#include "mangrove/adjacency/detail/sorted_array_storage.hpp"
#include "ordered_batch.hpp"

/// @file
/// Steps of building a sorted array and of inserting a sorted batch: find out which keys are new and where they go,
/// write all keys in one pass, write the separators.

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

/// Keys and values that passes over an array write.
template <class Key>
struct array_output {
  Key* keys;
  std::byte* values;

  /// Writes `size` neighbours from place `from` on as elements `to` and following.
  template <class Tile>
  MANGROVE_HOST_DEVICE void copy_row(const Tile& tile, std::uint64_t to, const sorted_array_view<Key>& view,
                                     std::uint64_t from, std::uint32_t size) const {
    Key* const to_keys = keys;
    const Key* const from_keys = view.keys;
    tile.strided(size, [=](std::size_t k) { to_keys[to + k] = from_keys[from + k]; });
    move_values(tile, values, to, view.values, from, size, view.value_bytes);
  }

  MANGROVE_HOST_DEVICE void copy_one(std::uint64_t to, const sorted_array_view<Key>& view, std::uint64_t from) const {
    keys[to] = view.keys[from];
    move_value(values, to, view.values, from, view.value_bytes);
  }
};

/// Body, once per `chunk` places that there will be, from `begin` to `end`: writes their keys and values, old and new.
///
/// Where the new keys go is known, so what stands at a place follows from how many new ones stand before it. Lanes
/// write neighbouring places, a row of 32 at a time; bits say which places of the row are new.
template <class Key>
struct merge_chunk {
  static constexpr std::uint32_t row = 32;
  sorted_array_view<Key> view;  ///< as it was
  new_entries<Key> fresh;
  std::uint32_t fresh_count;
  const void* values;  ///< the caller's
  array_output<Key> to;
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t chunk;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t first = begin + i * chunk;
    const std::uint32_t size = end - first < chunk ? static_cast<std::uint32_t>(end - first) : chunk;
    std::uint32_t next = keys_below(fresh.places, fresh_count, static_cast<std::uint32_t>(first));
    const std::uint32_t most = fresh_count - next < size ? fresh_count - next : size;
    const std::uint32_t last = next + keys_below(fresh.places + next, most, static_cast<std::uint32_t>(first + size));
    for (std::uint32_t done = 0; done < size; done += row) {
      next += write_row(tile, first + done, size - done < row ? size - done : row, next, last);
    }
  }

 private:
  /// Writes a row, `next` new keys standing before it; those from `last` on stand after it.
  /// @return how many new ones stand in it
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t write_row(const Tile& tile, std::uint64_t at, std::uint32_t size,
                                               std::uint32_t next, std::uint32_t last) const {
    const std::uint32_t mask = next == last ? 0 : new_in_row(tile, at, size, next, last);
    if (mask == 0) {
      to.copy_row(tile, at, view, at - next, size);
      return 0;
    }
    tile.strided(size, [&](std::size_t k) {
      const std::uint32_t before = next + count_bits(mask & ((1U << k) - 1));
      if ((mask >> k & 1) == 0) {
        to.copy_one(at + k, view, at + k - before);
      } else {
        to.keys[at + k] = fresh.keys[before];
        move_value(to.values, at + k, values, fresh.sources[before], view.value_bytes);
      }
    });
    return count_bits(mask);
  }

  /// Bit k is set where the k-th place of a row is a new key's.
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t new_in_row(const Tile& tile, std::uint64_t at, std::uint32_t size,
                                                std::uint32_t next, std::uint32_t last) const {
    std::uint32_t mine = 0;
    tile.strided(last - next < size ? last - next : size, [&](std::size_t k) {
      const std::uint64_t offset = fresh.places[next + k] - at;
      if (offset < size) mine |= 1U << offset;
    });
    return tile.sum(mine);
  }
};

}  // namespace mangrove::detail
