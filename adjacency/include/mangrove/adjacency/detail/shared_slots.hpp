#pragma once

#include <cstdint>

#include "mangrove/adjacency/detail/sectors.hpp"
#include "mangrove/adjacency/detail/slot_search.hpp"
#include "mangrove/adjacency/slab_layout.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// For lanes that search together: each reads a few slots that stand side by side, at once.
template <access Access, class Tile, class Key, std::uint32_t Slots>
class shared_slots {
 public:
  MANGROVE_HOST_DEVICE shared_slots(const Tile& tile, const Key* from) : tile_(tile), first_(tile.lane() * own) {
    unrolled<own>([&](int k) { keys_[k] = 0; });
    if constexpr (Slots % own == 0) {
      if (first_ < Slots) load_row<Access>(from + first_, keys_);
    } else {
      unrolled<own>([&](int k) {
        if (holds(k))
          keys_[k] = Access == access::relaxed ? load_relaxed(from + first_ + k) : load_maybe_old(from + first_ + k);
      });
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE slot_search find(std::uint32_t /*start*/, Key key) const {
    const std::uint32_t slot = matching([=](Key seen) { return seen == key; });
    if (slot != no_slot) return {slot, false};
    return {no_slot, having([](Key seen) { return seen == slot_mark<Key>::empty; }) != 0};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t free_from(std::uint32_t start) const {
    const std::uint32_t held = mine([](Key seen) { return slot_mark<Key>::free(seen); });
    for (std::uint32_t probe = 0; probe < sectors::count; ++probe) {
      const std::uint32_t sector = sectors::probed(start, probe);
      std::uint32_t in_sector = 0;
      unrolled<own>([&](int k) { in_sector |= (sectors::of(first_ + k) == sector ? held : 0) & 1U << k; });
      const std::uint32_t slot = lowest_of(start % sectors::slots + sectors::first_slot(sector), in_sector);
      if (slot != no_slot) return slot;
    }
    return no_slot;
  }

 private:
  using sectors = detail::sectors<Key, Slots>;
  static constexpr std::uint32_t lanes = Tile::lanes;
  static constexpr int own = static_cast<int>((Slots + lanes - 1) / lanes);  ///< slots of a lane

  [[nodiscard]] MANGROVE_HOST_DEVICE bool holds(int k) const { return first_ + k < Slots; }

  /// Bit k of the result is `f` of this lane's key k.
  template <class F>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t mine(F f) const {
    std::uint32_t mask = 0;
    unrolled<own>([&](int k) { mask |= static_cast<std::uint32_t>(holds(k) && f(keys_[k])) << k; });
    return mask;
  }

  /// The lanes that have such a key, as bits.
  template <class F>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t having(F f) const {
    return tile_.ballot(mine(f) != 0);
  }

  /// A slot with such a key, or `no_slot`.
  template <class F>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t matching(F f) const {
    return lowest_of(0, mine(f));
  }

  /// The slot of one of the lanes' bits, first of the lane that has slot `start`; or `no_slot`.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t lowest_of(std::uint32_t start, std::uint32_t held) const {
    const std::uint32_t lanes_with = tile_.ballot(held != 0);
    if (lanes_with == 0) return no_slot;
    const std::uint32_t slot = first_ + (held == 0 ? 0 : lowest_bit(held));
    return tile_.broadcast(slot, static_cast<int>(lowest_bit_from(start / own, lanes_with)));
  }

  Tile tile_;
  std::uint32_t first_;
  Key keys_[own];
};

}  // namespace mangrove::detail
