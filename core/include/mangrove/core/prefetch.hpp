#pragma once

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
