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

/// Calls `f` with an object of the type that holds values of `bytes` bytes (0, 4 or 8).
template <class F>
void with_value_bits(std::uint32_t bytes, F f) {
  if (bytes == 0) return f(none{});
  return bytes == 4 ? f(std::uint32_t{}) : f(std::uint64_t{});
}

/// Copies a value of `bytes` bytes (0, 4 or 8) from slot `j` of one array to slot `i` of another.
MANGROVE_HOST_DEVICE inline void move_value(void* to, std::size_t i, const void* from, std::size_t j,
                                            std::uint32_t bytes) {
  if (bytes == 4) {
    store_bits(to, i, load_bits<std::uint32_t>(from, j));
  } else if (bytes == 8) {
    store_bits(to, i, load_bits<std::uint64_t>(from, j));
  }
}

/// The same for `count` neighbouring slots, the lanes sharing the work.
template <class Tile>
MANGROVE_HOST_DEVICE void move_values(const Tile& tile, void* to, std::size_t i, const void* from, std::size_t j,
                                      std::size_t count, std::uint32_t bytes) {
  if (bytes == 4) {
    tile.strided(count, [=](std::size_t k) { store_bits(to, i + k, load_bits<std::uint32_t>(from, j + k)); });
  } else if (bytes == 8) {
    tile.strided(count, [=](std::size_t k) { store_bits(to, i + k, load_bits<std::uint64_t>(from, j + k)); });
  }
}

/// The value in slot `i` of an array whose values are `bytes` wide, in the low bytes.
MANGROVE_HOST_DEVICE inline std::uint64_t value_at(const void* values, std::size_t i, std::uint32_t bytes) {
  if (bytes == 4) return load_bits<std::uint32_t>(values, i);
  return bytes == 8 ? load_bits<std::uint64_t>(values, i) : 0;
}

MANGROVE_HOST_DEVICE inline void put_value(void* values, std::size_t i, std::uint64_t value, std::uint32_t bytes) {
  if (bytes == 4) store_bits(values, i, static_cast<std::uint32_t>(value));
  if (bytes == 8) store_bits(values, i, value);
}

}  // namespace mangrove::detail
