#pragma once

#include <cstdint>

#include "mangrove/core/bits.hpp"

namespace mangrove::detail {

/// How the slots of a bucket are divided into sectors: 32 bytes of keys each, which is the least that a GPU reads; or a
/// single one where that does not divide the bucket. Slots are numbers, or bits of a mask.
template <class Key, std::uint32_t Slots>
struct sectors {
  static constexpr std::uint32_t slots = Slots % (32 / sizeof(Key)) == 0 ? 32 / sizeof(Key) : Slots;  ///< of one
  static constexpr std::uint32_t count = Slots / slots;

  /// The sector of a slot.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t of(std::uint32_t slot) { return slot / slots; }

  /// The k-th sector of a bucket that a probe takes if it begins in that of `start`: the one beside it comes second,
  /// for memory gives both at once.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t probed(std::uint32_t start, std::uint32_t k) {
    static_assert((count & (count - 1)) == 0);
    return of(start) ^ k;
  }

  MANGROVE_HOST_DEVICE static constexpr std::uint32_t first_slot(std::uint32_t sector) { return sector * slots; }

  /// The slots of a sector.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t mask(std::uint32_t sector) {
    return all_slots << first_slot(sector);
  }

  /// Of some slots, at least one, a slot in the first sector that a probe from `start` takes and that has any. Which
  /// one of the sector's depends on `start`, so that tiles that want the same sector may want different slots.
  MANGROVE_HOST_DEVICE static std::uint32_t first_from(std::uint32_t start, std::uint32_t some) {
    const std::uint32_t sector = probed(start, of(lowest_bit(in_probe_order(start, some))));
    return lowest_bit_from(first_slot(sector) + start % slots, some & mask(sector));
  }

  /// All slots of the sectors that have any of some.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t spread(std::uint32_t some) {
    std::uint32_t all = 0;
    for (std::uint32_t sector = 0; sector < count; ++sector) {
      if ((some & mask(sector)) != 0) all |= mask(sector);
    }
    return all;
  }

 private:
  /// Moves each sector's bits to where the sector comes in the order of a probe. Without branches, which nothing could
  /// predict.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t in_probe_order(std::uint32_t start, std::uint32_t some) {
    for (std::uint32_t step = 1; step < count; step *= 2) {
      const std::uint32_t width = step * slots;
      const std::uint32_t lower = lower_of_pairs(step);
      const std::uint32_t exchanged = (some >> width & lower) | (some & lower) << width;
      some = (of(start) & step) != 0 ? exchanged : some;
    }
    return some;
  }

  /// The slots of the sectors in whose numbers a bit is not set.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t lower_of_pairs(std::uint32_t bit) {
    std::uint32_t lower = 0;
    for (std::uint32_t sector = 0; sector < count; ++sector) lower |= (sector & bit) == 0 ? mask(sector) : 0;
    return lower;
  }

  static constexpr std::uint32_t all_slots = ~std::uint32_t{0} >> (32 - slots);
};

}  // namespace mangrove::detail
