#pragma once

#include "blink_types.hpp"

namespace mangrove::test {

/// How far the keys of a stress test lie apart, integers and others.
template <class Key>
inline constexpr Key key_stride = std::is_floating_point_v<Key> ? Key(0.5) : Key(sizeof(Key) == 8 ? 1000000007 : 61);

/// The first of them.
template <class Key>
inline constexpr Key least_key = std::is_floating_point_v<Key> ? Key(-1000) : Key(0);

/// The n-th key of a stress test: keys ascend with their numbers. @param n below 2^26
template <class Key>
MANGROVE_HOST_DEVICE Key numbered_key(std::uint32_t n) {
  return least_key<Key> + static_cast<Key>(n) * key_stride<Key>;
}

/// The number of a key that `numbered_key` gave.
template <class Key>
MANGROVE_HOST_DEVICE std::uint32_t number_of_key(Key key) {
  return static_cast<std::uint32_t>((key - least_key<Key>) / key_stride<Key>);
}

/// What the updates of a round do with a key. All that name it do the same, so however they meet, the outcome is known.
enum class key_fate : std::uint32_t { is_read, is_inserted, is_assigned, is_erased, by_hash };

/// What a key holds: 0 for nothing, else 1 + the salt of its value.
using held_word = std::uint32_t;

/// A round of updates, and the oracle for it: one word a key says what it held before.
struct round_plan {
  const held_word* before;  ///< [dim = keys]
  std::uint32_t keys;
  std::uint32_t salt;  ///< of the values that the round writes, below 256
  std::uint64_t seed;
  key_fate fate;  ///< of every key; or `by_hash`

  /// The random number of an operation.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t random(std::size_t i) const { return mix(seed + i); }
  /// A key; one operation in four goes to the same 64th of them, so that some keys are wanted several times at once.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t any_key(std::uint64_t random) const {
    const auto low = static_cast<std::uint32_t>(random);
    const std::uint32_t few = keys / 64;
    if ((random >> 40) % 4 != 0) return reduce_range(low, keys);
    return reduce_range(static_cast<std::uint32_t>(mix(seed)), keys - few) + reduce_range(low, few);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE key_fate fate_of(std::uint32_t n) const {
    if (fate != key_fate::by_hash) return fate;
    const std::uint32_t percent = reduce_range(mix(n ^ static_cast<std::uint32_t>(seed)), 100);
    if (percent < 25) return key_fate::is_inserted;
    if (percent < 40) return key_fate::is_assigned;
    return percent < 65 ? key_fate::is_erased : key_fate::is_read;
  }

  /// What a key holds once an update of the round has reached it.
  [[nodiscard]] MANGROVE_HOST_DEVICE held_word after(std::uint32_t n) const {
    switch (fate_of(n)) {
      case key_fate::is_inserted:
        return before[n] != 0 ? before[n] : 1 + salt;
      case key_fate::is_assigned:
        return 1 + salt;
      case key_fate::is_erased:
        return 0;
      default:
        return before[n];
    }
  }

  /// Whether a key is there all the time, whatever happens when.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool stays(std::uint32_t n) const { return before[n] != 0 && after(n) != 0; }

  /// Whether a tile may find a key, with this value.
  template <class Key, class Value>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool may_hold(std::uint32_t n, Key key, Value value) const {
    return holds(before[n], key, value) || holds(after(n), key, value);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool may_be_absent(std::uint32_t n) const { return !stays(n); }

  /// Whether a word says that a key is there and has this value.
  template <class Key, class Value>
  static MANGROVE_HOST_DEVICE bool holds(held_word word, Key key, Value value) {
    if constexpr (is_none<Value>) {
      return word != 0;
    } else {
      return word != 0 && detail::to_bits(value) == detail::to_bits(ordered_value<Value>(key, word - 1));
    }
  }
};

/// What a stress test counts.
enum tally : std::uint32_t { wrong_finds, wrong_ranges, refused, wrong_wins, wrong_contents, wins, present, tallies };

}  // namespace mangrove::test
