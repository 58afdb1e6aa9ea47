#pragma once

#include "blink_types.hpp"
#include "key_history.hpp"
#include "shared_clock.hpp"

namespace mangrove::test {

/// Which tiles work on the same keys.
enum class key_sharing : std::uint8_t {
  neighbors,  ///< those beside each other, which on CUDA share a warp
  distant     ///< those far apart, which on CUDA run on other multiprocessors
};

/// How many tiles do what in a run whose history is kept.
struct history_shape {
  std::uint32_t groups;  ///< of tiles that have keys in common
  std::uint32_t tiles;   ///< of a group
  std::uint32_t steps;   ///< operations that a tile notes, one after the other
  std::uint32_t keys;    ///< of a group whose histories are kept
  std::uint32_t others;  ///< keys that follow each of these, with which leaves are filled, split and emptied
  key_sharing sharing;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t all_tiles() const { return groups * tiles; }
  [[nodiscard]] std::uint32_t all_keys() const { return groups * keys * (1 + others); }
  /// The key whose history is the n-th.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t noted_key(std::uint32_t n) const { return n * (1 + others); }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t group_of(std::uint32_t tile) const {
    return sharing == key_sharing::neighbors ? tile / tiles : tile % groups;
  }
};

/// Tiles do random operations on few keys and note what was answered when.
template <class Types>
struct record_history {
  using key_type = typename Types::key;
  using value_type = typename Types::value;
  typename Types::container::ref_type tree;
  const key_type* keys;  ///< [dim = shape.all_keys()] ascending
  key_event* events;     ///< [dim = shape.all_tiles() * shape.steps]
  std::uint32_t* full;   ///< counts inserts that were refused for want of nodes
  shared_clock clock;
  history_shape shape;
  std::uint64_t seed;

  static constexpr int others_a_step = 4;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    for (std::uint32_t step = 0; step < shape.steps; ++step) {
      const std::size_t at = i * shape.steps + step;
      const std::uint64_t random = mix(seed + at);
      const std::uint32_t n = shape.group_of(static_cast<std::uint32_t>(i)) * shape.keys + below(random, shape.keys);
      const auto operation = static_cast<key_operation>(random >> 62);
      const key_event noted = run(tile, {n, operation, at + 1, 0, 0, false});
      if (tile.lane() == 0) events[at] = noted;
      disturb(tile, n, random);
    }
  }

  /// Numbers below 2^32 as values, and what they were.
  static MANGROVE_HOST_DEVICE value_type value_of(std::uint64_t number) {
    if constexpr (is_none<value_type>) {
      return {};
    } else {
      return detail::from_bits<value_type>(static_cast<detail::value_bits<value_type>>(number));
    }
  }
  static MANGROVE_HOST_DEVICE std::uint64_t number_of(value_type value) {
    if constexpr (is_none<value_type>) {
      return 0;
    } else {
      return detail::to_bits(value);
    }
  }

 private:
  static MANGROVE_HOST_DEVICE std::uint32_t below(std::uint64_t random, std::uint32_t bound) {
    return reduce_range(static_cast<std::uint32_t>(random), bound);
  }

  MANGROVE_HOST_DEVICE void note_full(int lane) const {
    if (lane == 0) fetch_add(full, 1U);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE key_event run(const Tile& tile, key_event event) const {
    const key_type key = keys[shape.noted_key(event.key)];
    const value_type value = value_of(event.value);
    event.value = number_of(value);
    event.begin = clock.begin(tile);
    switch (event.operation) {
      case key_operation::insert: {
        const insert_result result = tree.insert(tile, key, value);
        event.succeeded = result == insert_result::inserted;
        if (result == insert_result::full) note_full(tile.lane());
        break;
      }
      case key_operation::assign: {
        const assign_result result = tree.insert_or_assign(tile, key, value);
        event.succeeded = result == assign_result::inserted;
        if (result == assign_result::full) note_full(tile.lane());
        break;
      }
      case key_operation::erase:
        event.succeeded = tree.erase(tile, key);
        break;
      case key_operation::find: {
        const auto found = tree.find(tile, key);
        event.succeeded = static_cast<bool>(found);
        event.value = found ? number_of(*found) : 0;
        break;
      }
    }
    event.end = clock.end(tile);
    return event;
  }

  /// Inserts and erases keys beside one whose history is kept.
  template <class Tile>
  MANGROVE_HOST_DEVICE void disturb(const Tile& tile, std::uint32_t n, std::uint64_t random) const {
    for (int k = 0; k < others_a_step && shape.others != 0; ++k) {
      random = mix(random + 1);
      const key_type key = keys[shape.noted_key(n) + 1 + below(random, shape.others)];
      if (random >> 62 == 0) {
        static_cast<void>(tree.erase(tile, key));
      } else if (tree.insert(tile, key, value_of(1)) == insert_result::full) {
        note_full(tile.lane());
      }
    }
  }
};

}  // namespace mangrove::test
