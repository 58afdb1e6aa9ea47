#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/adjacency/detail/key_snapshot.hpp"
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
  std::uint32_t free;  ///< a slot that can take it, near where it is most likely rather than others, or `no_slot`
  bool has_empty;      ///< whether there is an empty slot
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
    const bool has_empty = matching([](Key seen) { return seen == slot_mark<Key>::empty; }) != 0;
    if (hit != 0) return {lowest_bit(hit), no_slot, has_empty};
    return {no_slot, free_from(start), has_empty};
  }

  /// The same if `from` was the result once, and slots have been taken since.
  [[nodiscard]] place_search find_or_free_again(std::uint32_t start, std::uint32_t /*from*/, Key key) const {
    return find_or_free(start, key);
  }

  /// A slot that can take a key, one at `start` or soon after it rather than others; or `no_slot`.
  [[nodiscard]] std::uint32_t free_from(std::uint32_t start) const {
    const std::uint32_t free = matching([](Key seen) { return slot_mark<Key>::free(seen); });
    return free == 0 ? no_slot : lowest_bit_from(start, free);
  }

 private:
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

/// For a lane that works alone: it reads 16 bytes at a time, from those on where the key is most likely.
template <access Access, class Key, std::uint32_t Slots>
class lone_slots {
 public:
  template <class Tile>
  MANGROVE_HOST_DEVICE lone_slots(const Tile&, const Key* from) : from_(from) {}

  /// Most keys are where they start; for the others all the rest is read at once.
  [[nodiscard]] MANGROVE_HOST_DEVICE slot_search find(std::uint32_t start, Key key) const {
    slot_search found{no_slot, false};
    const std::uint32_t home = start / together;
    look(found, home, key);
    if (found.slot != no_slot) return found;
    unrolled<static_cast<int>(packs) - 1>([&](int k) {
      const std::uint32_t pack = home + 1 + k;
      look(found, pack < packs ? pack : pack - packs, key);
    });
    return found;
  }

  /// All packs are looked at; only their largest keys tell of free slots, which takes half the instructions.
  [[nodiscard]] MANGROVE_HOST_DEVICE place_search find_or_free(std::uint32_t start, Key key) const {
    place_search found{no_slot, no_slot, false};
    const std::uint32_t home = start / together;
    std::uint32_t free_pack = no_slot;
    unrolled<static_cast<int>(packs)>([&](int k) {
      const std::uint32_t pack = home + k < packs ? home + k : home + k - packs;
      const Key largest = look(found.slot, pack, key);
      if (slot_mark<Key>::free(largest) && free_pack == no_slot) free_pack = pack;
      found.has_empty = found.has_empty || largest == slot_mark<Key>::empty;
    });
    if (found.slot != no_slot || free_pack == no_slot) return found;
    choose(found, free_pack, key);
    if (found.free == no_slot) found.free = free_pack * together;  // taken meanwhile, as who wants it will notice
    return found;
  }

  /// The same if `from` was the result once, and slots have been taken since: nothing before it has changed.
  [[nodiscard]] MANGROVE_HOST_DEVICE place_search find_or_free_again(std::uint32_t start, std::uint32_t from,
                                                                     Key key) const {
    place_search found{no_slot, no_slot, false};
    const std::uint32_t home = start / together;
    std::uint32_t pack = from / together;
    do {
      choose(found, pack, key);
      pack = pack + 1 == packs ? 0 : pack + 1;
    } while (found.slot == no_slot && found.free == no_slot && pack != home);
    return found;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t free_from(std::uint32_t start) const {
    return search(start, [](Key seen) { return slot_mark<Key>::free(seen); });
  }

 private:
  static constexpr std::uint32_t most = 16 / sizeof(Key);
  static constexpr int together = static_cast<int>(Slots % most == 0 ? most : Slots % 2 == 0 ? 2 : 1);
  static constexpr std::uint32_t packs = Slots / together;

  MANGROVE_HOST_DEVICE void look(slot_search& found, std::uint32_t pack, Key key) const {
    Key keys[together];
    load_row<Access>(from_ + pack * together, keys);
    unrolled<together>([&](int k) {
      if (keys[k] == key) found.slot = pack * together + k;
      found.ends = found.ends || keys[k] == slot_mark<Key>::empty;
    });
  }

  /// Looks for a key. @return the largest key of the pack
  MANGROVE_HOST_DEVICE Key look(std::uint32_t& slot, std::uint32_t pack, Key key) const {
    Key keys[together];
    load_row<Access>(from_ + pack * together, keys);
    Key largest = keys[0];
    unrolled<together>([&](int k) {
      if (keys[k] == key) slot = pack * together + k;
      if (keys[k] > largest) largest = keys[k];
    });
    return largest;
  }

  /// Looks for a key, and the first free slot, in one pack.
  MANGROVE_HOST_DEVICE void choose(place_search& found, std::uint32_t pack, Key key) const {
    Key keys[together];
    load_row<Access>(from_ + pack * together, keys);
    unrolled<together>([&](int k) {
      if (keys[k] == key) found.slot = pack * together + k;
      if (slot_mark<Key>::free(keys[k]) && found.free == no_slot) found.free = pack * together + k;
    });
  }

  template <class F>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t search(std::uint32_t start, F f) const {
    std::uint32_t pack = start / together;
    for (std::uint32_t tried = 0; tried < packs; ++tried) {
      Key keys[together];
      load_row<Access>(from_ + pack * together, keys);
      std::uint32_t hit = no_slot;
      unrolled<together>([&](int k) {
        if (f(keys[k]) && hit == no_slot) hit = pack * together + k;
      });
      if (hit != no_slot) return hit;
      pack = pack + 1 == packs ? 0 : pack + 1;
    }
    return no_slot;
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
    const std::uint32_t slot = matching(0, [=](Key seen) { return seen == key; });
    if (slot != no_slot) return {slot, false};
    return {no_slot, having([](Key seen) { return seen == slot_mark<Key>::empty; }) != 0};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t free_from(std::uint32_t start) const {
    return matching(start, [](Key seen) { return slot_mark<Key>::free(seen); });
  }

 private:
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

  /// A slot with such a key, first of the lane that has slot `start`.
  template <class F>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t matching(std::uint32_t start, F f) const {
    const std::uint32_t held = mine(f);
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
