#pragma once

#include "ordered_batch.hpp"

/// @file
/// How given keys become distinct ones in order.

namespace mangrove::detail {

/// What containers are built from: distinct keys, ascending, as the caller gave them.
template <class Key>
struct given_keys {
  const void* keys;
  const void* values;
  key_codec<Key> codec;

  [[nodiscard]] MANGROVE_HOST_DEVICE Key key(std::size_t i) const { return codec.encode(load_bits<Key>(keys, i)); }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t source(std::size_t i) const { return i; }
};

/// What containers are built from: distinct keys, ascending and encoded, that come from other positions.
template <class Key>
struct picked_keys {
  const Key* keys;
  const std::uint32_t* sources;
  const void* values;

  [[nodiscard]] MANGROVE_HOST_DEVICE Key key(std::size_t i) const { return keys[i]; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t source(std::size_t i) const { return sources[i]; }
};

/// Body, once per `chunk` neighbours: notes NaNs, keys out of order, and equal keys.
template <class Key>
struct inspect_sorted {
  static constexpr std::size_t chunk = 256;
  const void* keys;
  std::size_t count;
  key_codec<Key> codec;
  std::uint32_t* refused;
  std::uint32_t* repeats;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t begin = i * chunk;
    bool is_refused = false;
    bool has_repeats = false;
    tile.strided(count - begin < chunk ? count - begin : chunk, [&](std::size_t k) {
      const Key raw = load_bits<Key>(keys, begin + k);
      const Key key = codec.encode(raw);
      const Key before = begin + k == 0 ? key : codec.encode(load_bits<Key>(keys, begin + k - 1));
      is_refused |= codec.refuses(raw) || key < before;
      has_repeats |= begin + k != 0 && key == before;
    });
    if (is_refused) store_relaxed(refused, 1U);
    if (has_repeats) store_relaxed(repeats, 1U);
  }
};

/// Body, once per key in order: 1 for the last one of equal keys, else 0.
template <class Key>
struct mark_last_of_equals {
  batch_view<Key> batch;
  std::uint32_t* marks;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    marks[i] = batch.last_of_equals(i) ? 1 : 0;
  }
};

/// Body, once per key in order: keeps those that were marked, `before[i]` of them before the i-th key.
template <class Key>
struct pick_keys {
  batch_view<Key> batch;
  const std::uint32_t* before;
  Key* keys;
  std::uint32_t* sources;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t to = before[i];
    if (before[i + 1] == to) return;
    keys[to] = batch.key(i);
    sources[to] = batch.source(i);
  }
};

}  // namespace mangrove::detail
