#pragma once

#include <cstdint>

#include "mangrove/adjacency/detail/backoff.hpp"
#include "mangrove/adjacency/slab_hash_result.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/none.hpp"

namespace mangrove::detail {

/// Whether an insert of a key that is there replaces its value.
enum class on_existing { keep, assign };

/// The place of one key that cannot stand in a table because its value marks slots. All zero bytes: the key is absent.
///
/// Unlike a slot of the table it is used again after an erase, so it has a lock for writers and a version by which
/// readers notice them: a reader waits while this very key is being written. Called by one lane.
template <class Bits>
class side_slot {
 public:
  MANGROVE_HOST_DEVICE insert_result insert(Bits bits, on_existing existing) {
    const std::uint32_t state = lock();
    const bool present = (state & present_bit) != 0;
    if (present && existing == on_existing::keep) {
      unlock(state);
      return insert_result::exists;
    }
    if constexpr (!is_none<Bits>) store_release(&bits_, bits);
    unlock((state + version_step) | present_bit);
    return present ? insert_result::exists : insert_result::inserted;
  }

  MANGROVE_HOST_DEVICE bool erase() {
    const std::uint32_t state = lock();
    const bool present = (state & present_bit) != 0;
    unlock(present ? (state + version_step) & ~present_bit : state);
    return present;
  }

  MANGROVE_HOST_DEVICE lookup_result<Bits> find() const {
    backoff pause;
    while (true) {
      const std::uint32_t state = load_acquire(&state_);
      if ((state & locked_bit) == 0) {
        if ((state & present_bit) == 0) return {};
        Bits bits{};
        if constexpr (!is_none<Bits>) bits = load_acquire(&bits_);
        if (load_relaxed(&state_) == state) return lookup_result<Bits>(bits);
      }
      pause.wait();
    }
  }

 private:
  static constexpr std::uint32_t locked_bit = 1;
  static constexpr std::uint32_t present_bit = 2;
  static constexpr std::uint32_t version_step = 4;

  /// @return the state before, without the lock
  MANGROVE_HOST_DEVICE std::uint32_t lock() {
    backoff pause;
    while (true) {
      const std::uint32_t state = load_relaxed(&state_);
      if ((state & locked_bit) == 0 && compare_exchange(&state_, state, state | locked_bit) == state) return state;
      pause.wait();
    }
  }

  MANGROVE_HOST_DEVICE void unlock(std::uint32_t state) { store_release(&state_, state); }

  std::uint32_t state_;
  Bits bits_;
};

}  // namespace mangrove::detail
