#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/adjacency/detail/key_snapshot.hpp"
#include "mangrove/adjacency/detail/sectors.hpp"
#include "mangrove/adjacency/slab_layout.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/relaxed_atomic.hpp"

/// @file
/// Searching the up to 32 slots of a bucket: a class for each kind of tile, with the same members, whose results are
/// the same in every lane.

namespace mangrove::detail {

/// No slot of a bucket.
inline constexpr std::uint32_t no_slot = ~std::uint32_t{0};

/// What a search of a bucket for a key comes to.
struct slot_search {
  std::uint32_t slot;  ///< where the key is, or `no_slot`
  bool ends;           ///< without the key: whether there is an empty slot, so that the key is in no other bucket
};

/// What a search by one lane for a key, or for a slot that can take it, comes to.
struct place_search {
  std::uint32_t slot;  ///< where the key is, or `no_slot`
  std::uint32_t free;  ///< without the key: a slot of the first sector that can take it, or `no_slot`
  bool roomy;          ///< whether the sector of that slot has an empty slot
  bool ends;           ///< without the key: as in `slot_search`
  /// Without the key: all slots of that sector that can take it, as bits from its first slot on. For a lane alone.
  std::uint32_t free_slots = 0;
};

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

/// The one for a kind of tile.
template <access Access, class Tile, class Key, std::uint32_t Slots>
using lane_slots = std::conditional_t<
    Tile::simd, simd_slots<Access, Tile, Key, Slots>,
    std::conditional_t<Tile::lanes == 1, lone_slots<Access, Key, Slots>, shared_slots<Access, Tile, Key, Slots>>>;

}  // namespace mangrove::detail
