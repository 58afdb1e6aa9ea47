#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/core/backend.hpp"

#if defined(__CUDACC__)
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>

#include <cuda/atomic>
#endif

/// @file
/// Atomic operations on plain objects, the same on both backends. `T` is an integer of 4 or 8 bytes.
/// On CUDA their scope is the device. Those that order nothing are the compiler's own there: where it can tell that a
/// pointer is to a block's scratch, they become the instructions of that memory, and nowhere do they see first whether
/// the object is a variable of the thread, as libcu++'s do.

namespace mangrove {

#if defined(__CUDACC__)
namespace detail {
/// The type that CUDA's own atomics want for a word of T's size.
template <class T>
using cuda_word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;

template <class T>
__device__ cuda_word<T>* as_cuda_word(T* object) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  return reinterpret_cast<cuda_word<T>*>(object);
}

template <class T>
using device_atomic = ::cuda::atomic_ref<T, ::cuda::thread_scope_device>;
}  // namespace detail
#endif

/// Reads without tearing and without ordering other accesses.
template <class T>
MANGROVE_HOST_DEVICE T load_relaxed(const T* from) {
#if defined(__CUDA_ARCH__)
  return detail::device_atomic<T>(*const_cast<T*>(from)).load(::cuda::std::memory_order_relaxed);
#else
  return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}

/// Reads; what was written before the matching `store_release` is seen after it.
template <class T>
MANGROVE_HOST_DEVICE T load_acquire(const T* from) {
#if defined(__CUDA_ARCH__)
  return detail::device_atomic<T>(*const_cast<T*>(from)).load(::cuda::std::memory_order_acquire);
#else
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
#endif
}

/// Writes without tearing and without ordering other accesses.
template <class T>
MANGROVE_HOST_DEVICE void store_relaxed(T* to, T value) {
#if defined(__CUDA_ARCH__)
  detail::device_atomic<T>(*to).store(value, ::cuda::std::memory_order_relaxed);
#else
  __atomic_store_n(to, value, __ATOMIC_RELAXED);
#endif
}

/// Writes; publishes every earlier write to whoever reads `value` with `load_acquire`.
template <class T>
MANGROVE_HOST_DEVICE void store_release(T* to, T value) {
#if defined(__CUDA_ARCH__)
  detail::device_atomic<T>(*to).store(value, ::cuda::std::memory_order_release);
#else
  __atomic_store_n(to, value, __ATOMIC_RELEASE);
#endif
}

/// Writes `desired` if the object holds `expected`. @return what the object held
template <class T>
MANGROVE_HOST_DEVICE T compare_exchange(T* object, T expected, T desired) {
#if defined(__CUDA_ARCH__)
  detail::device_atomic<T>(*object).compare_exchange_strong(expected, desired, ::cuda::std::memory_order_acq_rel,
                                                            ::cuda::std::memory_order_acquire);
#else
  __atomic_compare_exchange_n(object, &expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
  return expected;
}

/// Writes without ordering other accesses. @return what the object held before
template <class T>
MANGROVE_HOST_DEVICE T exchange(T* object, T value) {
#if defined(__CUDA_ARCH__)
  return static_cast<T>(atomicExch(detail::as_cuda_word(object), static_cast<detail::cuda_word<T>>(value)));
#else
  return __atomic_exchange_n(object, value, __ATOMIC_RELAXED);
#endif
}

/// Adds without ordering other accesses. @return what the object held before
template <class T>
MANGROVE_HOST_DEVICE T fetch_add(T* object, T value) {
#if defined(__CUDA_ARCH__)
  return static_cast<T>(atomicAdd(detail::as_cuda_word(object), static_cast<detail::cuda_word<T>>(value)));
#else
  return __atomic_fetch_add(object, value, __ATOMIC_RELAXED);
#endif
}

/// Adds 1 for a thread that has done its part. @return how many had before; what they did until then is seen after it
template <class T>
MANGROVE_HOST_DEVICE T arrive(T* arrived) {
#if defined(__CUDA_ARCH__)
  return detail::device_atomic<T>(*arrived).fetch_add(T{1}, ::cuda::std::memory_order_acq_rel);
#else
  return __atomic_fetch_add(arrived, T{1}, __ATOMIC_ACQ_REL);
#endif
}

/// The same for a thread that need not know how many had, and so does not wait: what it did until then is seen by
/// whoever reads the sum by `load_acquire`.
template <class T>
MANGROVE_HOST_DEVICE void announce(T* arrived) {
#if defined(__CUDA_ARCH__)
  detail::device_atomic<T>(*arrived).fetch_add(T{1}, ::cuda::std::memory_order_release);
#else
  __atomic_fetch_add(arrived, T{1}, __ATOMIC_RELEASE);
#endif
}

/// Sets bits without ordering other accesses. @return what the object held before
template <class T>
MANGROVE_HOST_DEVICE T fetch_or(T* object, T bits) {
#if defined(__CUDA_ARCH__)
  return static_cast<T>(atomicOr(detail::as_cuda_word(object), static_cast<detail::cuda_word<T>>(bits)));
#else
  return __atomic_fetch_or(object, bits, __ATOMIC_RELAXED);
#endif
}

/// Clears the bits that `mask` does not have, without ordering other accesses. @return what the object held before
template <class T>
MANGROVE_HOST_DEVICE T fetch_and(T* object, T mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<T>(atomicAnd(detail::as_cuda_word(object), static_cast<detail::cuda_word<T>>(mask)));
#else
  return __atomic_fetch_and(object, mask, __ATOMIC_RELAXED);
#endif
}

/// Adds 1 without ordering other accesses, where many threads count on few counters: on CUDA, lanes of a warp that come
/// together on one counter share an atomic. @return what the object held before
MANGROVE_HOST_DEVICE inline std::uint32_t count_up(std::uint32_t* counter) {
#if defined(__CUDA_ARCH__)
  const unsigned peers = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(counter));
  const unsigned lane = threadIdx.x % 32;  // blocks have one dimension and whole warps
  const int leader = __ffs(static_cast<int>(peers)) - 1;
  std::uint32_t before = 0;
  if (lane == static_cast<unsigned>(leader)) before = fetch_add(counter, static_cast<std::uint32_t>(__popc(peers)));
  before = __shfl_sync(peers, before, leader);
  return before + static_cast<std::uint32_t>(__popc(peers & ((1U << lane) - 1)));
#else
  return fetch_add(counter, std::uint32_t{1});
#endif
}

/// As `count_up`, where all lanes that come together name one counter.
MANGROVE_HOST_DEVICE inline std::uint32_t count_up_one(std::uint32_t* counter) {
#if defined(__CUDA_ARCH__)
  const unsigned peers = __activemask();
  const int leader = __ffs(static_cast<int>(peers)) - 1;
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t before = 0;
  if (lane == static_cast<unsigned>(leader)) before = fetch_add(counter, static_cast<std::uint32_t>(__popc(peers)));
  return __shfl_sync(peers, before, leader) + static_cast<std::uint32_t>(__popc(peers & ((1U << lane) - 1)));
#else
  return fetch_add(counter, std::uint32_t{1});
#endif
}

/// Adds `amount` as `count_up` adds 1: lanes of a warp that come together share an atomic. All must name one counter.
/// @return what the object held before; ranges handed out are disjoint; anything for an amount of 0
MANGROVE_HOST_DEVICE inline std::uint32_t count_up_by(std::uint32_t* counter, std::uint32_t amount) {
#if defined(__CUDA_ARCH__)
  const auto lanes = cooperative_groups::coalesced_threads();
  const std::uint32_t before = cooperative_groups::exclusive_scan(lanes, amount);
  const auto last = static_cast<unsigned>(lanes.size() - 1);
  std::uint32_t base = 0;
  if (lanes.thread_rank() == last && before + amount != 0) base = fetch_add(counter, before + amount);
  return lanes.shfl(base, last) + before;
#else
  return amount == 0 ? 0 : fetch_add(counter, amount);
#endif
}

/// As `count_up_by` for four counters at once, whose atomics are under way together. Amounts are at most 2000.
/// @param amounts get what the objects held before
MANGROVE_HOST_DEVICE inline void count_up_four(std::uint32_t* const (&counters)[4], std::uint32_t (&amounts)[4]) {
#if defined(__CUDA_ARCH__)
  constexpr int bits = 16;  // of an amount's sum over a warp
  const auto lanes = cooperative_groups::coalesced_threads();
  std::uint64_t mine = 0;
  for (int k = 0; k < 4; ++k) mine |= std::uint64_t{amounts[k]} << (k * bits);
  const std::uint64_t before = cooperative_groups::exclusive_scan(lanes, mine);
  const std::uint64_t all = lanes.shfl(before + mine, lanes.size() - 1);
  std::uint32_t bases[4] = {};
  for (int k = 0; k < 4; ++k) {  // none waits for the one before
    const auto total = static_cast<std::uint32_t>(all >> (k * bits) & 0xffff);
    if (lanes.thread_rank() == 0 && total != 0) bases[k] = fetch_add(counters[k], total);
  }
  for (int k = 0; k < 4; ++k) {
    amounts[k] = lanes.shfl(bases[k], 0) + static_cast<std::uint32_t>(before >> (k * bits) & 0xffff);
  }
#else
  for (int k = 0; k < 4; ++k) amounts[k] = count_up_by(counters[k], amounts[k]);
#endif
}

/// Raises the object, which is unsigned, to `value` if it is smaller, without ordering other accesses.
template <class T>
MANGROVE_HOST_DEVICE void raise_to(T* object, T value) {
#if defined(__CUDA_ARCH__)
  if (load_relaxed(object) >= value) return;  // one address takes an atomic a nanosecond
  atomicMax(detail::as_cuda_word(object), static_cast<detail::cuda_word<T>>(value));
#else
  T seen = load_relaxed(object);
  while (seen < value && !__atomic_compare_exchange_n(object, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#endif
}

}  // namespace mangrove
