#pragma once

#include <cstdint>

#include "mangrove/adjacency/detail/backoff.hpp"
#include "mangrove/adjacency/detail/blink_access.hpp"
#include "mangrove/core/hash.hpp"

/// @file
/// Locks of nodes, and whether a node has changed while it was read.

namespace mangrove::detail {

/// The exchange that takes a lock.
MANGROVE_HOST_DEVICE inline std::uint32_t lock_exchange(std::uint32_t* state, std::uint32_t expected,
                                                        std::uint32_t desired) {
#if defined(__CUDA_ARCH__)
  return relaxed_compare_exchange(state, expected, desired);
#else
  return compare_exchange(state, expected, desired);
#endif
}

/// Lets more time pass with each turn: as a tree begins, all tiles of a device want the one leaf that it has. How much
/// is up to chance, and comes in short naps: a GPU wakes those that sleep long at the same moments, so that they would
/// all try at once, again and again.
class lock_pause {
 public:
  MANGROVE_HOST_DEVICE void wait() {
#if defined(__CUDA_ARCH__)
    const unsigned nap = nanoseconds_ < longest_nap ? nanoseconds_ : longest_nap;
    const unsigned most = 2 * nanoseconds_ / nap;
    for (unsigned naps = 1 + mix(static_cast<std::uint32_t>(clock64())) % most; naps != 0; --naps) __nanosleep(nap);
    if (nanoseconds_ < longest) nanoseconds_ *= 2;
#else
    host_.wait();
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  static constexpr unsigned longest_nap = 1U << 9;
  static constexpr unsigned longest = 1U << 14;
  unsigned nanoseconds_ = 32;
#else
  backoff host_;
#endif
};

/// Whether a node has changed since a lane began to read it.
/// @param begun its state before, without the lock's bit @param any a word of all that the lane read
MANGROVE_HOST_DEVICE inline bool changed_since(const std::uint32_t* state, std::uint32_t begun, std::uint32_t any) {
  return load_relaxed(state + zero_after(any, begun)) != begun;
}

/// Takes the lock of a node whose state was seen to be `expected`, without the lock's bit, and is still. Before the
/// tile writes to the node, `publish` must have been called: what it writes must not be seen before the lock is.
template <class Tile>
MANGROVE_HOST_DEVICE bool try_lock_node(const Tile& tile, std::uint32_t* state, std::uint32_t expected) {
  return tile.elect([&] { return lock_exchange(state, expected, expected | node_state::lock) == expected; });
}

/// Locks a node unless it is locked, with the same duty.
/// @return its state before; one with the lock's bit when somebody else has it
template <class Tile>
MANGROVE_HOST_DEVICE std::uint32_t try_lock_node(const Tile& tile, std::uint32_t* state) {
  const std::uint32_t now = tile.elect([&] { return load_relaxed(state); });
  if ((now & node_state::lock) != 0) return now;
  return try_lock_node(tile, state, now) ? now : now | node_state::lock;
}

/// Unlocks a node. @param now its new state; that of before the lock when it has not changed
template <class Tile>
MANGROVE_HOST_DEVICE void unlock_node(const Tile& tile, std::uint32_t* state, std::uint32_t now) {
  tile.sync();
  if (tile.lane() == 0) store_release(state, now);
}

/// The same for a node and its parent.
template <class Tile>
MANGROVE_HOST_DEVICE void unlock_nodes(const Tile& tile, std::uint32_t* state, std::uint32_t now,
                                       std::uint32_t* parent_state, std::uint32_t parent_now) {
  tile.sync();
  if (tile.lane() != 0) return;
  node_release();
  node_store(state, now);
  node_store(parent_state, parent_now);
}

}  // namespace mangrove::detail
