#pragma once

#include <cstddef>
#include <cstdint>

/// @file
/// What requests to ordered containers are made of.

namespace mangrove::detail {

/// Ranges of keys, both ends included: arrays in the backend's memory.
struct key_ranges {
  const void* lows;
  const void* highs;
  std::size_t count;
};

enum class neighbor_side : std::uint8_t { before, after };

}  // namespace mangrove::detail
