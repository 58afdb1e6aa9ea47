#pragma once

#include "mangrove/core/atomic.hpp"

/// @file
/// More atomic operations without any ordering, for memory that lanes of one tile share, or that nobody reads before
/// the next launch: reads that may come from a block's scratch, and a compare-and-swap that `core/atomic.hpp` would
/// order. `T` is an unsigned integer of 4 or 8 bytes.

namespace mangrove {

/// Reads without tearing.
template <class T>
MANGROVE_HOST_DEVICE T relaxed_load(const T* from) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile T*>(from);
#else
  return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}

/// Reads without tearing what may be old: on CUDA from the L1 cache, which others' atomics pass by.
template <class T>
MANGROVE_HOST_DEVICE T load_maybe_old(const T* from) {
#if defined(__CUDA_ARCH__)
  return *from;
#else
  return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}

/// Writes `desired` if the object holds `expected`. @return what the object held
template <class T>
MANGROVE_HOST_DEVICE T relaxed_compare_exchange(T* object, T expected, T desired) {
#if defined(__CUDA_ARCH__)
  using word = detail::cuda_word<T>;
  return static_cast<T>(
      atomicCAS(detail::as_cuda_word(object), static_cast<word>(expected), static_cast<word>(desired)));
#else
  __atomic_compare_exchange_n(object, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

}  // namespace mangrove
