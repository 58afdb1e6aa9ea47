#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "mangrove/core/error.hpp"
#include "mangrove/core/none.hpp"

/// @file
/// BS-trees keep unsigned keys and values of 0, 4 or 8 bytes; these map the user's types to them and back.

namespace mangrove {

/// Types that a BS-tree takes as keys: integers and floating-point numbers of 32 or 64 bits.
template <class Key>
concept bs_tree_key = std::is_arithmetic_v<Key> &&(sizeof(Key) == 4 || sizeof(Key) == 8);

/// Types that a BS-tree takes as values: anything of up to 8 bytes that may be copied as bytes, or `none`.
template <class Value>
concept bs_tree_value = std::is_trivially_copyable_v<Value> && sizeof(Value) <= 8;

namespace detail {

template <class T>
using bs_key_bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <class Value>
using bs_value_bits =
    std::conditional_t<is_none<Value>, none, std::conditional_t<(sizeof(Value) > 4), std::uint64_t, std::uint32_t>>;

/// Keeps the order: `a < b` exactly when `bs_encode_key(a) < bs_encode_key(b)`. The two zeros are one key.
/// @throws usage_error for NaN, which has no place in an order
template <class Key>
bs_key_bits<Key> bs_encode_key(Key key) {
  using bits = bs_key_bits<Key>;
  constexpr bits sign = bits{1} << (std::numeric_limits<bits>::digits - 1);
  if constexpr (std::is_floating_point_v<Key>) {
    if (std::isnan(key))
      throw usage_error("NaN cannot be a key of a BS-tree: it is neither less nor greater than others");
    const bits plain = std::bit_cast<bits>(key + Key{0});  // -0 becomes +0
    return (plain & sign) != 0 ? ~plain : plain | sign;
  } else if constexpr (std::is_signed_v<Key>) {
    return static_cast<bits>(key) ^ sign;
  } else {
    return static_cast<bits>(key);
  }
}

template <class Key>
Key bs_decode_key(bs_key_bits<Key> key) {
  using bits = bs_key_bits<Key>;
  constexpr bits sign = bits{1} << (std::numeric_limits<bits>::digits - 1);
  if constexpr (std::is_floating_point_v<Key>) {
    return std::bit_cast<Key>((key & sign) != 0 ? key ^ sign : static_cast<bits>(~key));
  } else if constexpr (std::is_signed_v<Key>) {
    return static_cast<Key>(key ^ sign);
  } else {
    return static_cast<Key>(key);
  }
}

template <class Value>
bs_value_bits<Value> bs_encode_value(const Value& value) {
  bs_value_bits<Value> bits{};
  if constexpr (!is_none<Value>) std::memcpy(&bits, &value, sizeof(Value));
  return bits;
}

template <class Value>
Value bs_decode_value(const bs_value_bits<Value>& bits) {
  if constexpr (is_none<Value>) {
    return {};
  } else {
    std::byte bytes[sizeof(Value)];
    std::memcpy(bytes, &bits, sizeof(Value));
    return std::bit_cast<Value>(bytes);
  }
}

/// Whether arrays of the user's type are arrays of the tree's.
template <class Key>
inline constexpr bool bs_same_keys = std::is_same_v<Key, bs_key_bits<Key>>;
template <class Value>
inline constexpr bool bs_same_values = is_none<Value> || sizeof(Value) == sizeof(bs_value_bits<Value>);

}  // namespace detail
}  // namespace mangrove
