#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"

/// @file
/// Sizes of what a slab pool hands out. The unit is a granule of 32 bytes; a slab is four of them, 128 bytes, the cache
/// line of the GPU. An extent is a run of granules: less than a slab for small adjacencies, many slabs for tables.
/// Extents come in size classes, so that a freed one fits the next request of its class.

namespace mangrove {

inline constexpr std::uint32_t granule_bytes = 32;
inline constexpr std::uint32_t slab_bytes = 128;
inline constexpr std::uint32_t granules_per_slab = slab_bytes / granule_bytes;

/// Number of size classes: every size to 16 granules, then eight to a doubling, up to 2^30 granules (32 GiB).
inline constexpr std::uint32_t size_classes = 16 + 26 * 8;

namespace detail {
MANGROVE_HOST_DEVICE constexpr std::uint32_t bit_width(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  return 32 - __clz(static_cast<int>(x));
#else
  return x == 0 ? 0 : 32 - static_cast<std::uint32_t>(__builtin_clz(x));
#endif
}
}  // namespace detail

/// The smallest class whose extents hold `granules`, which is from 1 to 2^30.
MANGROVE_HOST_DEVICE constexpr std::uint32_t size_class_of(std::uint32_t granules) {
  if (granules <= 16) return granules - 1;
  const std::uint32_t shift = detail::bit_width(granules - 1) - 4;
  const std::uint32_t mantissa = ((granules - 1) >> shift) + 1;  // 9 to 16
  return 16 + (shift - 1) * 8 + (mantissa - 9);
}

/// Granules of an extent of a class. Multiples of four granules stay so, which keeps tables aligned to slabs.
MANGROVE_HOST_DEVICE constexpr std::uint32_t size_class_granules(std::uint32_t size_class) {
  if (size_class < 16) return size_class + 1;
  const std::uint32_t step = size_class - 16;
  return (9 + step % 8) << (step / 8 + 1);
}

}  // namespace mangrove
