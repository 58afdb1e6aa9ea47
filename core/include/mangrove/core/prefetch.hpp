#pragma once

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

}  // namespace mangrove
