#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "mangrove/core/backend.hpp"
#include "mangrove/core/none.hpp"

/// @file
/// Tables store values as plain bits: atomics need integers, and one instantiation serves all value types of a size.

namespace mangrove::detail {

template <class Value>
using value_bits =
    std::conditional_t<is_none<Value>, none, std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>>;

template <class Value>
MANGROVE_HOST_DEVICE constexpr value_bits<Value> to_bits(const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  static_assert(is_none<Value> || sizeof(Value) == 4 || sizeof(Value) == 8);
  return std::bit_cast<value_bits<Value>>(value);
}

template <class Value>
MANGROVE_HOST_DEVICE constexpr Value from_bits(value_bits<Value> bits) {
  return std::bit_cast<Value>(bits);
}

/// Element i of an array whose elements are `Bits` wide, whatever their type. Nothing is read for `none`.
template <class Bits>
MANGROVE_HOST_DEVICE Bits load_bits(const void* array, std::size_t i) {
  Bits bits{};
  if constexpr (!is_none<Bits>) {
    const void* const from = static_cast<const std::byte*>(array) + i * sizeof(Bits);
    std::memcpy(&bits, __builtin_assume_aligned(from, sizeof(Bits)), sizeof(Bits));
  }
  return bits;
}

template <class Bits>
MANGROVE_HOST_DEVICE void store_bits(void* array, std::size_t i, Bits bits) {
  if constexpr (!is_none<Bits>) {
    void* const to = static_cast<std::byte*>(array) + i * sizeof(Bits);
    std::memcpy(__builtin_assume_aligned(to, sizeof(Bits)), &bits, sizeof(Bits));
  }
}

}  // namespace mangrove::detail
