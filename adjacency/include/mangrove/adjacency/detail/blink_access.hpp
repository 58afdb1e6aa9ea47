#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/blink_nodes.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/relaxed_atomic.hpp"

/// @file
/// How tiles read nodes that others change, and write them.
///
/// A node's state is a sequence lock: a writer makes it odd, changes the node, and stores a later even state; a reader
/// keeps what it has read if the state was even and the same before and after. Where hosts have acquire and release for
/// free, each access has them.
///
/// On CUDA accesses are relaxed ones of device scope, which the L1 cache does not answer. Writers fence before they
/// write and before they unlock. An acquire fence comes to two things there: the loads before it have come, and the L1
/// cache is emptied. Readers see to the first by the addresses of their loads (`zero_after`), and can do without the
/// second, so that inner nodes stay in that cache; they need no check, since every search ends with one of its leaf.

namespace mangrove::detail {

/// Reads a word of a node that may be changing.
template <class T>
MANGROVE_HOST_DEVICE T node_load(const T* from) {
#if defined(__CUDA_ARCH__)
  return load_relaxed(from);
#else
  return load_acquire(from);
#endif
}

/// The same, or where it does not matter that writes are missed.
template <access Access, class T>
MANGROVE_HOST_DEVICE T node_load(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (Access == access::maybe_old) return load_maybe_old(from);
#endif
  return node_load(from);
}

/// Writes a word of a locked node.
template <class T>
MANGROVE_HOST_DEVICE void node_store(T* to, T value) {
#if defined(__CUDA_ARCH__)
  store_relaxed(to, value);
#else
  store_release(to, value);
#endif
}

/// Reads neighbouring words of a node that may be changing.
template <int N, class T>
MANGROVE_HOST_DEVICE void node_load_row(const T* from, T (&to)[N]) {
#if defined(__CUDA_ARCH__)
  load_row<access::relaxed>(from, to);
#else
  for (int i = 0; i < N; ++i) to[i] = load_acquire(from + i);
#endif
}

/// Writes neighbouring words of a locked node.
template <int N, class T>
MANGROVE_HOST_DEVICE void node_store_row(T* to, const T (&from)[N]) {
#if defined(__CUDA_ARCH__)
  store_row<access::relaxed>(to, from);
#else
  for (int i = 0; i < N; ++i) store_release(to + i, from[i]);
#endif
}

/// Orders what a lane has done to nodes before what it writes from here on.
MANGROVE_HOST_DEVICE inline void node_release() {
#if defined(__CUDA_ARCH__) && __CUDACC_VER_MAJOR__ >= 13
  asm volatile("fence.release.gpu;" : : : "memory");  // one of both kinds would empty the L1 cache
#elif defined(__CUDA_ARCH__)
  ::cuda::atomic_thread_fence(::cuda::std::memory_order_release, ::cuda::thread_scope_device);
#endif
}

/// What all lanes have done to nodes, locks too, is there before anything that the tile writes from here on.
template <class Tile>
MANGROVE_HOST_DEVICE void publish(const Tile& tile) {
  node_release();
  tile.sync();
}

/// Puts a lane's loads before it in order with those after it. It also lets go of what is remembered of inner nodes, so
/// that the next search sees their present state: on CUDA it empties the L1 cache.
MANGROVE_HOST_DEVICE inline void node_acquire() {
#if defined(__CUDA_ARCH__) && __CUDACC_VER_MAJOR__ >= 13
  asm volatile("fence.acquire.gpu;" : : : "memory");
#elif defined(__CUDA_ARCH__)
  ::cuda::atomic_thread_fence(::cuda::std::memory_order_acquire, ::cuda::thread_scope_device);
#endif
}

/// Zero, but not known before `any` is, which other loads have brought: what is read from an address with it in, is
/// read after these.
/// @param even a state without the lock's bit
MANGROVE_HOST_DEVICE inline std::uint32_t zero_after([[maybe_unused]] std::uint32_t any,
                                                     [[maybe_unused]] std::uint32_t even) {
#if defined(__CUDA_ARCH__)
  std::uint32_t zero;
  asm volatile("{ .reg .b32 bit; and.b32 bit, %1, 1; and.b32 %0, %2, bit; }" : "=r"(zero) : "r"(even), "r"(any));
  return zero;
#else
  return 0;
#endif
}

/// Which child of an inner node a key belongs to, as one lane finds out; of a node that changes meanwhile some child.
template <access Access, std::uint32_t Slots, class Key>
MANGROVE_HOST_DEVICE std::uint32_t child_slot(const Key* keys, Key key) {
#if defined(__CUDA_ARCH__)
  constexpr std::uint32_t part = 32 / sizeof(Key);  // a sector: the last keys of all but one are asked for at once
  std::uint32_t first = 0;
  unrolled<Slots / part - 1>([&](int p) { first += node_load<Access>(keys + (p + 1) * part - 1) < key ? part : 0; });
  Key row[part];
  load_row<Access>(keys + first, row);
  std::uint32_t slot = first;
  unrolled<part - 1>([&](int k) { slot += row[k] < key ? 1 : 0; });
  return slot;
#else
  return slots_below_but_last_halving<Slots>([&](std::uint32_t slot) { return node_load(keys + slot) < key; });
#endif
}

/// Asks for a row of a node that the tile will read, on either backend.
template <class Tile>
MANGROVE_HOST_DEVICE void prefetch_row([[maybe_unused]] const Tile& tile, const void* row, std::size_t bytes) {
#if defined(__CUDA_ARCH__)
  const std::size_t offset = tile.lane() * bytes / Tile::lanes;
  asm volatile("prefetch.global.L2 [%0];" : : "l"(static_cast<const std::byte*>(row) + offset));
#else
  for (std::size_t line = 0; line < bytes; line += 64) prefetch(static_cast<const std::byte*>(row) + line);
#endif
}

}  // namespace mangrove::detail
