#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

/// @file
/// Bits of the masks that tiles make, the same on both backends.

namespace mangrove {

/// Index of the lowest set bit of a mask that is not 0.
MANGROVE_HOST_DEVICE inline std::uint32_t lowest_bit(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(mask)) - 1);
#else
  return static_cast<std::uint32_t>(__builtin_ctz(mask));
#endif
}

/// Index of the highest set bit of a mask that is not 0.
MANGROVE_HOST_DEVICE inline std::uint32_t highest_bit(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return 31U - static_cast<std::uint32_t>(__clz(static_cast<int>(mask)));
#else
  return 31U - static_cast<std::uint32_t>(__builtin_clz(mask));
#endif
}

/// Of the set bits of a mask that is not 0, the first from `start` on, cyclically.
MANGROVE_HOST_DEVICE inline std::uint32_t lowest_bit_from(std::uint32_t start, std::uint32_t mask) {
  const std::uint32_t above = mask >> start << start;
  return lowest_bit(above != 0 ? above : mask);
}

/// Number of set bits.
MANGROVE_HOST_DEVICE inline std::uint32_t count_bits(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popc(static_cast<int>(mask)));
#else
  return static_cast<std::uint32_t>(__builtin_popcount(mask));
#endif
}

}  // namespace mangrove
