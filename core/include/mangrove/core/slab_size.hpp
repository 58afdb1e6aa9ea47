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

/// Address of an extent in a pool: the number of its first granule.
using slab_index = std::uint32_t;

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

/// The extents of a class start at multiples of so many granules: 4, 2 or 1. So whole slabs start where a slab does.
MANGROVE_HOST_DEVICE constexpr std::uint32_t size_class_alignment(std::uint32_t size_class) {
  const std::uint32_t granules = size_class_granules(size_class);
  return granules % 4 == 0 ? 4 : granules % 2 == 0 ? 2 : 1;
}

/// The class of the first piece when free granules are cut into few extents, all where their classes may start.
/// @param first number of the first granule, counted from a multiple of `alignment`
/// @param granules how many are free, at least 1
/// @param alignment 4, 2 or 1; that of a class if they are an extent's, which then has at most 30 or 15 granules
MANGROVE_HOST_DEVICE constexpr std::uint32_t first_piece_class(std::uint64_t first, std::uint64_t granules,
                                                               std::uint32_t alignment) {
  const auto misfit = static_cast<std::uint32_t>(first % alignment);
  if (misfit != 0) return misfit == 2 && granules > 1 ? 1 : 0;  // what leads to the next multiple
  if (granules < alignment) return static_cast<std::uint32_t>(granules) - 1;
  constexpr std::uint32_t largest = std::uint32_t{1} << 30;
  const std::uint32_t most = granules < largest ? static_cast<std::uint32_t>(granules) : largest;
  if (alignment < 4) return size_class_of(most - (most - alignment) % (2 * alignment));
  const std::uint32_t whole_slabs = most - most % 4;
  const std::uint32_t above = size_class_of(whole_slabs);
  return size_class_granules(above) == whole_slabs ? above : above - 1;
}

}  // namespace mangrove
