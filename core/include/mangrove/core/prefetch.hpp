#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove {

/// Asks for the cache line at `address` without waiting for it. Does nothing on CUDA, where other warps run meanwhile.
MANGROVE_HOST_DEVICE inline void prefetch(const void* address) {
#if !defined(__CUDA_ARCH__)
  __builtin_prefetch(address);
  // Without it g++ takes functions that only prefetch for pure ones, and leaves calls to them out.
  asm volatile("" : : "r"(address));
#else
  static_cast<void>(address);
#endif
}

/// As `prefetch`, on CUDA too, there to the L2 cache: for bodies whose lanes wait for each other in between.
MANGROVE_HOST_DEVICE inline void prefetch_early(const void* address) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" : : "l"(address));
#else
  prefetch(address);
#endif
}

/// Forgets what stands in memory that nobody needs any more, lanes sharing the work: on CUDA the L2 cache need not
/// write it to memory. What stands in the rest of the last line of 128 bytes is forgotten, too.
/// @param begin a multiple of 128 @pre all lanes have met since they last read it
template <class Tile, class T>
MANGROVE_HOST_DEVICE void discard(const Tile& tile, const T* begin, const T* end) {
#if defined(__CUDA_ARCH__)
  constexpr std::size_t line = 128;
  const std::size_t bytes = (end - begin) * sizeof(T);
  tile.strided((bytes + line - 1) / line, [&](std::size_t k) {
    const auto at = __cvta_generic_to_global(reinterpret_cast<const char*>(begin) + k * line);
    asm volatile("discard.global.L2 [%0], 128;" : : "l"(at) : "memory");
  });
#else
  static_cast<void>(tile), static_cast<void>(begin), static_cast<void>(end);
#endif
}

/// As `prefetch_early` for a range. By one lane. @param address a multiple of 16 @param bytes the same
MANGROVE_HOST_DEVICE inline void prefetch_range(const void* address, std::uint32_t bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(__cvta_generic_to_global(address)), "r"(bytes));
#else
  constexpr std::uint32_t line = 64;
  for (std::uint32_t at = 0; at < bytes; at += line) prefetch_early(static_cast<const char*>(address) + at);
#endif
}

}  // namespace mangrove
