#pragma once

#include "sorted_array_bodies.hpp"

/// @file
/// The pass over a sorted array that writes its keys and new ones.

namespace mangrove::detail {

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
