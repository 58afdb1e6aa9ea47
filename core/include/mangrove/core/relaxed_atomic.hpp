#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/core/backend.hpp"

/// @file
/// Atomic operations without any ordering, for memory that lanes of one tile share, or that nobody reads before the
/// next launch. `T` is an unsigned integer of 4 or 8 bytes.
///
/// On CUDA they are the compiler's own: where it can tell that a pointer is to a block's scratch, they become the
/// instructions of that memory, which those of `core/atomic.hpp` never do.

namespace mangrove {

namespace detail {
/// The type that CUDA's built-in atomics want for a word of T's size.
template <class T>
using cuda_word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
}  // namespace detail

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
  return atomicCAS(reinterpret_cast<word*>(object), static_cast<word>(expected), static_cast<word>(desired));
#else
  __atomic_compare_exchange_n(object, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
#endif
}

/// Adds. @return what the object held before
template <class T>
MANGROVE_HOST_DEVICE T relaxed_add(T* object, T value) {
#if defined(__CUDA_ARCH__)
  using word = detail::cuda_word<T>;
  return atomicAdd(reinterpret_cast<word*>(object), static_cast<word>(value));
#else
  return __atomic_fetch_add(object, value, __ATOMIC_RELAXED);
#endif
}

/// Sets bits.
template <class T>
MANGROVE_HOST_DEVICE void relaxed_or(T* object, T bits) {
#if defined(__CUDA_ARCH__)
  atomicOr(reinterpret_cast<detail::cuda_word<T>*>(object), static_cast<detail::cuda_word<T>>(bits));
#else
  __atomic_fetch_or(object, bits, __ATOMIC_RELAXED);
#endif
}

/// Raises the object to `value` if it is smaller.
template <class T>
MANGROVE_HOST_DEVICE void relaxed_raise(T* object, T value) {
#if defined(__CUDA_ARCH__)
  using word = detail::cuda_word<T>;
  atomicMax(reinterpret_cast<word*>(object), static_cast<word>(value));
#else
  T seen = relaxed_load(object);
  while (seen < value && !__atomic_compare_exchange_n(object, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

}  // namespace mangrove
