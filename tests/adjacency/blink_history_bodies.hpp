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

/// Tiles do random operations on few keys and note what was answered when; between them they insert and erase keys
/// beside.
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

  static constexpr std::uint32_t others_a_step = 4;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t turns = shape.others == 0 ? 1 : 1 + others_a_step;
    for (std::uint32_t turn = 0; turn < shape.steps * turns; ++turn) {
      const std::size_t at = i * shape.steps + turn / turns;
      const std::uint64_t random = mix(seed + i * shape.steps * turns + turn);
      const bool is_noted = turn % turns == 0;
      key_event event = next_event(i, random, is_noted);
      event.value = number_of(value_of(at + 1));
      const key_type key = keys[shape.noted_key(event.key) + (is_noted ? 0 : 1 + below(random >> 16, shape.others))];
      if (is_noted) event.begin = clock.begin(tile);
      run(tile, event, key);
      if (is_noted) event.end = clock.end(tile);
      if (is_noted && tile.lane() == 0) events[at] = event;
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

  /// What a tile does next: any operation on a key whose history is kept, an insert or an erase of one beside.
  [[nodiscard]] MANGROVE_HOST_DEVICE key_event next_event(std::size_t tile, std::uint64_t random, bool is_noted) const {
    const std::uint32_t group = shape.group_of(static_cast<std::uint32_t>(tile));
    const auto any = static_cast<key_operation>(random >> 62);
    const auto change = random >> 62 == 0 ? key_operation::erase : key_operation::insert;
    return {group * shape.keys + below(random, shape.keys), is_noted ? any : change, 0, 0, 0, false};
  }

  /// Does an operation and notes its answer.
  template <class Tile>
  MANGROVE_HOST_DEVICE void run(const Tile& tile, key_event& event, key_type key) const {
    bool is_full = false;
    switch (event.operation) {
      case key_operation::insert: {
        const insert_result result = tree.insert(tile, key, value_of(event.value));
        event.succeeded = result == insert_result::inserted;
        is_full = result == insert_result::full;
        break;
      }
      case key_operation::assign: {
        const assign_result result = tree.insert_or_assign(tile, key, value_of(event.value));
        event.succeeded = result == assign_result::inserted;
        is_full = result == assign_result::full;
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
    if (is_full && tile.lane() == 0) fetch_add(full, 1U);
  }
};

}  // namespace mangrove::test
