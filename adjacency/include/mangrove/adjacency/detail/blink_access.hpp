#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/backoff.hpp"
#include "mangrove/adjacency/detail/blink_nodes.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/relaxed_atomic.hpp"

/// @file
/// How tiles read nodes that others change, and lock them.
///
/// A node's state is a sequence lock: a writer makes it odd, changes the node, and stores a later even state; a reader
/// keeps what it has read if the state was even and the same before and after. Where hosts have acquire and release for
/// free, each access has them; on CUDA accesses are relaxed between fences.

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

/// Writes a word of a locked node.
template <class T>
MANGROVE_HOST_DEVICE void node_store(T* to, T value) {
#if defined(__CUDA_ARCH__)
  store_relaxed(to, value);
#else
  store_release(to, value);
#endif
}

/// The exchange that takes a lock; on CUDA a fence must follow.
MANGROVE_HOST_DEVICE inline std::uint32_t lock_exchange(std::uint32_t* state, std::uint32_t expected,
                                                        std::uint32_t desired) {
#if defined(__CUDA_ARCH__)
  return relaxed_compare_exchange(state, expected, desired);
#else
  return compare_exchange(state, expected, desired);
#endif
}

/// Orders node accesses before and after it, where they have no order of their own.
MANGROVE_HOST_DEVICE inline void node_fence() {
#if defined(__CUDA_ARCH__)
  ::cuda::atomic_thread_fence(::cuda::std::memory_order_acq_rel, ::cuda::thread_scope_device);
#endif
}

/// Lets more time pass with each turn: as a tree begins, all tiles of a device want the one leaf that it has.
class lock_pause {
 public:
  MANGROVE_HOST_DEVICE void wait() {
#if defined(__CUDA_ARCH__)
    __nanosleep(nanoseconds_);
    if (nanoseconds_ < longest) nanoseconds_ *= 2;
#else
    host_.wait();
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  static constexpr unsigned longest = 1U << 15;
  unsigned nanoseconds_ = 32;
#else
  backoff host_;
#endif
};

/// Waits until a node is not being changed. @return its state
template <class Tile>
MANGROVE_HOST_DEVICE std::uint32_t begin_read(const Tile& tile, const std::uint32_t* state) {
  const std::uint32_t seen = tile.elect([&] {
    lock_pause pause;
    std::uint32_t now = load_acquire(state);
    for (; (now & node_state::lock) != 0; now = load_acquire(state)) pause.wait();
    return now;
  });
  tile.sync();
  return seen;
}

/// Whether what was read since `begin_read` belongs together.
template <class Tile>
MANGROVE_HOST_DEVICE bool end_read(const Tile& tile, const std::uint32_t* state, std::uint32_t begun) {
  node_fence();
  tile.sync();
  return tile.elect([&] { return load_relaxed(state); }) == begun;
}

/// Locks a node unless it is locked.
/// @return its state before; one with the lock's bit when somebody else has it
template <class Tile>
MANGROVE_HOST_DEVICE std::uint32_t try_lock_node(const Tile& tile, std::uint32_t* state) {
  const std::uint32_t before = tile.elect([&] {
    const std::uint32_t now = load_relaxed(state);
    if ((now & node_state::lock) != 0) return now;
    const std::uint32_t met = lock_exchange(state, now, now | node_state::lock);
    return met == now ? now : now | node_state::lock;
  });
  tile.sync();
  node_fence();  // every lane's: what it writes from here on must not be seen before the lock is
  tile.sync();
  return before;
}

/// Locks a node, waiting as long as it takes. @return its state before
template <class Tile>
MANGROVE_HOST_DEVICE std::uint32_t lock_node(const Tile& tile, std::uint32_t* state) {
  lock_pause pause;
  for (;;) {
    const std::uint32_t before = try_lock_node(tile, state);
    if ((before & node_state::lock) == 0) return before;
    pause.wait();
  }
}

/// Unlocks a node. @param now its new state; that of before the lock when it has not changed
template <class Tile>
MANGROVE_HOST_DEVICE void unlock_node(const Tile& tile, std::uint32_t* state, std::uint32_t now) {
  tile.sync();
  if (tile.lane() == 0) store_release(state, now);
}

/// How many slots of a node that may be changing, or is locked, hold keys below `key`. In a node that changes meanwhile
/// it is some number of slots.
template <std::uint32_t Slots, class Tile, class Key>
MANGROVE_HOST_DEVICE std::uint32_t changing_slots_below([[maybe_unused]] const Tile& tile, const Key* keys, Key key) {
  if constexpr (Tile::lanes == 1) {
    return slots_below_halving<Slots>([&](std::uint32_t slot) { return node_load(keys + slot) < key; });
  } else if constexpr (Tile::lanes > static_cast<int>(Slots)) {
    return slots_below_voting<Slots>(tile, [&](std::uint32_t slot) { return node_load(keys + slot) < key; });
  } else {  // neighbouring slots in each lane
    constexpr int own = Slots / Tile::lanes;
    Key row[own];
    load_row<access::relaxed>(keys + own * tile.lane(), row);
    std::uint32_t below = 0;
    unrolled<own>([&](int i) { below += row[i] < key ? 1 : 0; });
    const std::uint32_t lanes = count_bits(tile.ballot(below != 0));
    return lanes == 0 ? 0 : (lanes - 1) * own + tile.broadcast(below, static_cast<int>(lanes - 1));
  }
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
