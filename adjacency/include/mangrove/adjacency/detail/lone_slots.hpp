#pragma once

#include <cstdint>

#include "mangrove/adjacency/detail/sectors.hpp"
#include "mangrove/adjacency/detail/slot_search.hpp"
#include "mangrove/adjacency/slab_layout.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// For a lane that works alone: it reads two neighbouring sectors at a time, up to the first one that tells enough.
template <access Access, class Key, std::uint32_t Slots>
class lone_slots {
 public:
  template <class Tile>
  MANGROVE_HOST_DEVICE lone_slots(const Tile&, const Key* from) : from_(from) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE slot_search find(std::uint32_t start, Key key) const {
    slot_search found{no_slot, false};
    for_sectors_from(start, [&](std::uint32_t sector, const sector_keys& keys) {
      found.slot = slot_of(sector, keys, key);
      found.ends = largest(keys) == mark::empty;
      return found.ends || found.slot != no_slot;
    });
    return found;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE place_search find_or_free(std::uint32_t start, Key key) const {
    place_search found{no_slot, no_slot, false, false};
    for_sectors_from(
        start, [&](std::uint32_t sector, const sector_keys& keys) { return look(found, sector, keys, start, key); });
    return found;
  }

  /// The same if `from` was the result once, and slots have been taken since: nothing before it has changed.
  [[nodiscard]] MANGROVE_HOST_DEVICE place_search find_or_free_again(std::uint32_t start, std::uint32_t from,
                                                                     Key key) const {
    place_search found{no_slot, no_slot, false, false};
    bool passed = false;
    for_sectors_from(start, [&](std::uint32_t sector, const sector_keys& keys) {
      passed = passed || sector == sectors::of(from);
      return passed && look(found, sector, keys, start, key);
    });
    return found;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t free_from(std::uint32_t start) const {
    std::uint32_t free = no_slot;
    for_sectors_from(start, [&](std::uint32_t sector, const sector_keys& keys) {
      if (mark::free(largest(keys))) free = free_of(sector, free_in(keys), start);
      return free != no_slot;
    });
    return free;
  }

 private:
  using mark = slot_mark<Key>;
  using sectors = detail::sectors<Key, Slots>;
  static constexpr int slots = static_cast<int>(sectors::slots);
  static constexpr int at_once = sectors::count == 1 ? 1 : 2;  ///< sectors that are read together

  struct sector_keys {
    Key of[slots];
  };

  /// Calls `done(sector, keys)` for sectors in the order of probes until it says that it is.
  template <class Done>
  MANGROVE_HOST_DEVICE void for_sectors_from(std::uint32_t start, Done done) const {
    bool ended = false;
    for (std::uint32_t k = 0; k < sectors::count && !ended; k += at_once) {
      sector_keys keys[at_once];
      unrolled<at_once>(
          [&](int j) { load_row<Access>(from_ + sectors::first_slot(sectors::probed(start, k + j)), keys[j].of); });
      unrolled<at_once>([&](int j) { ended = ended || done(sectors::probed(start, k + j), keys[j]); });
    }
  }

  /// Looks for a key, and for a free slot unless one was found. @return whether that ends the search
  MANGROVE_HOST_DEVICE static bool look(place_search& found, std::uint32_t sector, const sector_keys& keys,
                                        std::uint32_t start, Key key) {
    const Key most = largest(keys);
    found.ends = most == mark::empty;
    found.slot = slot_of(sector, keys, key);
    if (found.slot != no_slot || (found.free == no_slot && mark::free(most))) found.roomy = found.ends;
    if (found.free == no_slot && mark::free(most)) {
      found.free_slots = free_in(keys);
      found.free = free_of(sector, found.free_slots, start);
    }
    return found.ends || found.slot != no_slot;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t slot_of(std::uint32_t sector, const sector_keys& keys,
                                                                  Key key) {
    std::uint32_t slot = no_slot;
    unrolled<slots>([&](int k) {
      if (keys.of[k] == key) slot = sectors::first_slot(sector) + static_cast<std::uint32_t>(k);
    });
    return slot;
  }

  /// The largest key, which alone tells whether there are free slots, in half the instructions.
  [[nodiscard]] MANGROVE_HOST_DEVICE static Key largest(const sector_keys& keys) {
    Key most = keys.of[0];
    unrolled<slots>([&](int k) { most = keys.of[k] > most ? keys.of[k] : most; });
    return most;
  }

  /// The free slots of a sector, as bits.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t free_in(const sector_keys& keys) {
    std::uint32_t free = 0;
    unrolled<slots>([&](int k) { free |= static_cast<std::uint32_t>(mark::free(keys.of[k])) << k; });
    return free;
  }

  /// One of a sector's free slots, of which it has some.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t free_of(std::uint32_t sector, std::uint32_t free,
                                                                  std::uint32_t start) {
    return sectors::first_slot(sector) + lowest_bit_from(start % sectors::slots, free);
  }

  const Key* from_;
};

}  // namespace mangrove::detail
