#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/prefetch.hpp"

/// @file
/// Pairs as 64-bit keys while they are sorted: packed where a sort reads them first, unpacked where it writes them
/// last.

namespace mangrove::detail {

/// Whether a value goes along below its key; else its position does.
template <class Value>
inline constexpr bool values_go_along = sizeof(Value) == sizeof(std::uint32_t);

template <class Value>
struct packed_pairs {
  static constexpr int first_bit = 32;  ///< of the keys

  const std::uint32_t* keys;
  const Value* values;

  [[nodiscard]] std::uint64_t get(std::size_t i) const {
    std::uint64_t low = i;
    if constexpr (values_go_along<Value>) low = values[i];
    return std::uint64_t{keys[i]} << first_bit | low;
  }
};

template <class Value>
struct unpacked_pairs {
  const Value* values;  ///< by position
  std::uint32_t* keys_to;
  Value* values_to;

  void put(std::size_t i, std::uint64_t pair) const {
    const auto low = static_cast<std::uint32_t>(pair);
    keys_to[i] = static_cast<std::uint32_t>(pair >> packed_pairs<Value>::first_bit);
    if constexpr (values_go_along<Value>) {
      values_to[i] = low;
    } else {
      values_to[i] = values[low];
    }
  }
  /// Asks for the memory of pair i, for writing.
  void ask(std::size_t i) const {
    prefetch(keys_to + i);
    prefetch(values_to + i);
  }
};

}  // namespace mangrove::detail
