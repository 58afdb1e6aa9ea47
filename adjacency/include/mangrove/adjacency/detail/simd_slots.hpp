#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/adjacency/detail/key_snapshot.hpp"
#include "mangrove/adjacency/detail/sectors.hpp"
#include "mangrove/adjacency/detail/slot_search.hpp"
#include "mangrove/adjacency/slab_layout.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/relaxed_atomic.hpp"

namespace mangrove::detail {

/// For tiles whose lanes are a loop that the compiler turns into SIMD.
template <access Access, class Tile, class Key, std::uint32_t Slots>
class simd_slots {
 public:
  /// @param from the bucket's keys
  simd_slots(const Tile& tile, const Key* from) : tile_(tile), keys_(from) {}

  /// Looks for a key. @param start the slot at which it is most likely
  [[nodiscard]] slot_search find(std::uint32_t /*start*/, Key key) const {
    const std::uint32_t hit = matching([=](Key seen) { return seen == key; });
    if (hit != 0) return {lowest_bit(hit), false};
    return {no_slot, matching([](Key seen) { return seen == slot_mark<Key>::empty; }) != 0};
  }

  [[nodiscard]] place_search find_or_free(std::uint32_t start, Key key) const {
    const std::uint32_t hit = matching([=](Key seen) { return seen == key; });
    const std::uint32_t empty = matching([](Key seen) { return seen == slot_mark<Key>::empty; });
    if (hit != 0) return {lowest_bit(hit), no_slot, (empty & sectors::mask(sectors::of(lowest_bit(hit)))) != 0, false};
    const std::uint32_t free = free_from(start);
    return {no_slot, free, free != no_slot && (empty >> free & 1) != 0, empty != 0};
  }

  /// The same if `from` was the result once, and slots have been taken since.
  [[nodiscard]] place_search find_or_free_again(std::uint32_t start, std::uint32_t /*from*/, Key key) const {
    return find_or_free(start, key);
  }

  /// A slot that can take a key, of the first sector from that of `start` on that has any; or `no_slot`.
  [[nodiscard]] std::uint32_t free_from(std::uint32_t start) const {
    const std::uint32_t free = matching([](Key seen) { return slot_mark<Key>::free(seen); });
    return free == 0 ? no_slot : sectors::first_from(start, free);
  }

 private:
  using sectors = detail::sectors<Key, Slots>;

#if defined(MANGROVE_HAS_KEY_SNAPSHOT) && !defined(__CUDA_ARCH__)
  using relaxed_keys = key_snapshot<Key, Slots>;
#else
  struct relaxed_keys {
    const Key* from;
    explicit relaxed_keys(const Key* keys) : from(keys) {}
    Key operator[](int slot) const { return load_relaxed(from + slot); }
  };
#endif

  template <class F>
  [[nodiscard]] std::uint32_t matching(F f) const {
    return tile_.template match<static_cast<int>(Slots)>([&](int i) { return f(keys_[i]); });
  }

  Tile tile_;
  std::conditional_t<Access == access::plain, const Key*, relaxed_keys> keys_;
};

}  // namespace mangrove::detail
