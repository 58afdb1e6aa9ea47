#pragma once

#include "mangrove/core/atomic.hpp"
#include "sorted_array_merge_bodies.hpp"

/// @file
/// Steps of erasing a batch from a sorted array: mark the places of its keys, count what is left, write it in one pass.

namespace mangrove::detail {

/// Query, keys being in any order: marks the place of a key.
template <class Key>
struct mark_array_key {
  sorted_array_view<Key> view;
  const void* keys;
  std::uint32_t* marks;  ///< a bit for each place
  std::uint8_t* erased;  ///< where the caller wants to know, else null

  [[nodiscard]] MANGROVE_HOST_DEVICE Key wanted(std::size_t i) const {
    return view.codec.encode(load_bits<Key>(keys, i));
  }
  template <class Tile>
  MANGROVE_HOST_DEVICE void answer(const Tile& tile, std::size_t i, std::uint64_t at) const {
    if (tile.lane() != 0) return;
    const bool is_there = view.holds(at, wanted(i)) && !view.codec.refuses(load_bits<Key>(keys, i));
    const std::uint32_t bit = 1U << (at % 32);
    const bool is_erased = is_there && (fetch_or(marks + at / 32, bit) & bit) == 0;
    if (erased != nullptr) erased[i] = is_erased ? 1 : 0;
  }
};

/// What passes over the marks of an array share: places in chunks.
struct marked_places {
  const std::uint32_t* marks;
  std::uint64_t size;
  std::uint32_t chunk;  ///< a multiple of 32

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t size_of(std::size_t i) const {
    const std::uint64_t left = size - i * chunk;
    return left < chunk ? static_cast<std::uint32_t>(left) : chunk;
  }
};

/// Body, once per chunk: how many of its keys are not marked.
struct count_kept {
  marked_places places;
  std::uint32_t* kept;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t size = places.size_of(i);
    const std::uint32_t* const words = places.marks + i * places.chunk / 32;
    std::uint32_t gone = 0;
    tile.strided((size + 31) / 32, [&](std::size_t k) { gone += count_bits(words[k]); });
    gone = tile.sum(gone);
    if (tile.lane() == 0) kept[i] = size - gone;
  }
};

/// Body, once per chunk: writes the keys that are not marked, `kept_before[i]` of them before the chunk.
template <class Key>
struct write_kept {
  static constexpr std::uint32_t row = 32;
  sorted_array_view<Key> view;
  marked_places places;
  const std::uint32_t* kept_before;
  array_output<Key> to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t first = i * places.chunk;
    const std::uint32_t size = places.size_of(i);
    std::uint64_t at = kept_before[i];
    for (std::uint32_t done = 0; done < size; done += row) {
      at += write_row(tile, first + done, size - done < row ? size - done : row, at);
    }
  }

 private:
  /// @return how many keys of the row are left
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t write_row(const Tile& tile, std::uint64_t from, std::uint32_t size,
                                               std::uint64_t at) const {
    const std::uint32_t gone = places.marks[from / row];
    if (gone == 0) {
      to.copy_row(tile, at, view, from, size);
      return size;
    }
    tile.strided(size, [&](std::size_t k) {
      if ((gone >> k & 1) == 0) to.copy_one(at + k - count_bits(gone & ((1U << k) - 1)), view, from + k);
    });
    return size - count_bits(gone);
  }
};

}  // namespace mangrove::detail
