#pragma once

#include <cstdint>

#include "mangrove/core/atomic.hpp"

namespace mangrove::test {

/// A clock that all tiles of a device, or all threads of a host, share: one counter. Trivially copyable.
///
/// Reading it adds 1, so all readings differ and have one order, that of the counter's changes; how each reading is
/// ordered with the work around it is what has to be seen to. `begin` acquires and `end` releases:
///
/// - Nothing that the operation does moves out of its interval. `begin` acquires in the lane that reads the clock, and
///   the tile meets after it; the tile meets before `end`, which releases what all lanes have done. A relaxed addition
///   would not do without these: a GPU lets the loads that follow it overtake it, and an operation would be
///   noted as later than it was.
/// - Where a's end is a lower number than b's begin, all of a happens before all of b: b's addition reads what a's
///   wrote, or what further additions have made of it, and these carry a release on. So every order of two operations
///   that a checker insists on is one that the memory model gives, and a correct container cannot be refused.
/// - Conversely, no order is missed: a program can know that a is over when b begins only by something that
///   synchronises, as the clock does. Operations that are not ordered by such things may be taken in any order.
///
/// The fences lie outside of the operations. What an operation lacks inside, such as one between taking a lock and what
/// is written under it, they do not stand in for: those who meet it there are under way at the same time.
class shared_clock {
 public:
  /// @param counter one word of the backend's memory, 0 at first
  explicit shared_clock(std::uint64_t* counter) : counter_(counter) {}

  /// The time before what follows, the same in all lanes.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t begin(const Tile& tile) const {
    const std::uint64_t now = tile.elect([&] { return tick(); });
    tile.sync();
    return now;
  }

  /// The time after all that the lanes have done.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t end(const Tile& tile) const {
    tile.sync();
    return tile.elect([&] { return tick(); });
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t tick() const {
#if defined(__CUDA_ARCH__)
    ::cuda::atomic_thread_fence(::cuda::std::memory_order_acq_rel, ::cuda::thread_scope_device);
    const std::uint64_t now = fetch_add(counter_, std::uint64_t{1});
    ::cuda::atomic_thread_fence(::cuda::std::memory_order_acq_rel, ::cuda::thread_scope_device);
    return now;
#else
    return __atomic_fetch_add(counter_, std::uint64_t{1}, __ATOMIC_ACQ_REL);  // ThreadSanitizer knows no fences
#endif
  }

  std::uint64_t* counter_;
};

}  // namespace mangrove::test
