#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "mangrove/adjacency/detail/value_bits.hpp"
#include "mangrove/adjacency/key_order.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/core/none.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

/// @file
/// What tests of ordered containers share. A container is described by a type with `backend_type`, `key`, `value` and
/// `container`, which is an `ordered_container` with a `view()`.

namespace mangrove::test {

/// A key type of a user: ordered by its first half, then by its second.
struct pair_key {
  std::uint16_t second;
  std::uint16_t first;
  friend bool operator<(pair_key a, pair_key b) { return a.first != b.first ? a.first < b.first : a.second < b.second; }
  friend bool operator==(pair_key a, pair_key b) { return a.first == b.first && a.second == b.second; }
};

/// Bits as a key; for floating-point types never NaN.
template <class Key>
Key key_of_bits(std::uint64_t number) {
  using bits = detail::key_bits<Key>;
  const auto key = std::bit_cast<Key>(static_cast<bits>(number));
  if constexpr (std::is_floating_point_v<Key>) {
    if (std::isnan(key)) return static_cast<Key>(static_cast<std::int32_t>(number));
  }
  return key;
}

/// The key at a place in a dense part of the key space; negative for signed types at times.
template <class Key>
Key dense_key(std::int32_t place) {
  if constexpr (std::is_arithmetic_v<Key>) {
    return static_cast<Key>(std::is_signed_v<Key> ? place - 500 : place);
  } else {
    return std::bit_cast<Key>(static_cast<detail::key_bits<Key>>(place));
  }
}

/// The least, the greatest, and what lies next to them.
template <class Key>
std::vector<Key> extreme_keys() {
  if constexpr (std::is_floating_point_v<Key>) {
    using limits = std::numeric_limits<Key>;
    return {-limits::infinity(),  limits::lowest(), -limits::denorm_min(), Key{0},
            limits::denorm_min(), limits::max(),    limits::infinity()};
  } else {
    std::vector<Key> keys;
    const std::uint64_t top = std::uint64_t{1} << (8 * sizeof(Key) - 1);
    for (const std::uint64_t number :
         {std::uint64_t{0}, std::uint64_t{1}, top - 1, top, ~std::uint64_t{0} - 1, ~std::uint64_t{0}}) {
      keys.push_back(key_of_bits<Key>(number));
    }
    return keys;
  }
}

/// `count` distinct keys, not less than 10, in any order: extreme ones, neighbours, and others from all over.
template <class Key>
std::vector<Key> ordered_key_pool(seeded_random& random, std::size_t count) {
  std::vector<Key> keys = extreme_keys<Key>();
  for (std::int32_t i = 0; keys.size() < count / 2; ++i) keys.push_back(dense_key<Key>(i));
  while (keys.size() < count + count / 2) keys.push_back(key_of_bits<Key>(random()));
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::shuffle(keys.begin(), keys.end(), random);
  auto kept = keys.begin();  // extreme ones stay in any case
  for (const Key extreme : extreme_keys<Key>()) std::iter_swap(kept++, std::find(keys.begin(), keys.end(), extreme));
  if (keys.size() > count) keys.resize(count);
  std::shuffle(keys.begin(), keys.end(), random);
  return keys;
}

/// A value that only fits `key`, so that a value read with the wrong key is noticed. `salt` is below 256.
template <class Value, class Key>
MANGROVE_HOST_DEVICE Value ordered_value(Key key, std::uint32_t salt) {
  using bits = detail::value_bits<Value>;
  if constexpr (is_none<Value>) {
    return {};
  } else {
    const std::uint64_t of_key = std::bit_cast<detail::key_bits<Key>>(key);
    return detail::from_bits<Value>((static_cast<bits>(mix(of_key)) & ~bits{0xff}) | (salt & 0xff));
  }
}

template <class Key, class Value>
MANGROVE_HOST_DEVICE bool value_fits(Key key, Value value) {
  if constexpr (is_none<Value>) {
    return true;
  } else {
    const auto bits = detail::to_bits(value);
    return bits == detail::to_bits(ordered_value<Value>(key, static_cast<std::uint32_t>(bits & 0xff)));
  }
}

template <class Value>
bool same_value(const Value& a, const Value& b) {
  if constexpr (is_none<Value>) {
    return true;
  } else {
    return detail::to_bits(a) == detail::to_bits(b);
  }
}

/// A key for messages.
template <class Key>
std::string shown(Key key) {
  if constexpr (std::is_arithmetic_v<Key>) {
    return std::to_string(key);
  } else {
    return "bits " + std::to_string(std::bit_cast<detail::key_bits<Key>>(key));
  }
}

}  // namespace mangrove::test

template <>
inline constexpr mangrove::key_order mangrove::key_order_of<mangrove::test::pair_key> =
    mangrove::key_order::unsigned_bits;
