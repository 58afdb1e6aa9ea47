#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/key_snapshot.hpp"
#include "mangrove/adjacency/detail/lane_slots.hpp"
#include "mangrove/adjacency/detail/sectors.hpp"
#include "mangrove/adjacency/slab_layout.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/equals_beside.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/relaxed_atomic.hpp"

namespace mangrove {

/// A slab hash table as bodies see it: `buckets` slabs in a row, each a bucket; what does not fit into its home bucket
/// goes to the next one with room, cyclically. A trivially copyable view that owns nothing.
///
/// A bucket's slots are in sectors of 32 bytes. A key's hash picks a sector of its home bucket; a probe begins there
/// and takes the bucket's other sectors in an order of that one's, then those of the next bucket in the same order. A
/// key stands in the first sector on this way that had room when it was inserted, and a sector that was once full never
/// shows an empty slot again until the table is rebuilt. So a probe ends at the first sector that has an empty slot,
/// and erasing leaves a tombstone only in a sector that was full. Every operation ends after `buckets` buckets at most.
///
/// The operations here are for keys that `slot_mark` calls storable and for phases: finds only; or erases of
/// different keys; or inserts of different absent keys. `slab_hash_map` builds the fully concurrent ones on top.
template <class Key, class Value>
class slab_table {
 public:
  using key_type = Key;
  using layout = slab_layout<Key, Value>;
  using mark = slot_mark<Key>;
  using sectors = detail::sectors<Key, layout::slab_slots>;
  static constexpr std::uint32_t slots = layout::slab_slots;

  /// Where a key stands.
  struct position {
    static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
    std::uint32_t bucket = nowhere;
    std::uint32_t slot = 0;
    bool reused_tombstone = false;  ///< what an insert found in the slot
    MANGROVE_HOST_DEVICE explicit operator bool() const { return bucket != nowhere; }
  };

  slab_table() = default;
  MANGROVE_HOST_DEVICE slab_table(std::byte* slabs, std::uint32_t buckets) : slabs_(slabs), buckets_(buckets) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t buckets() const { return buckets_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE Key* keys(std::uint32_t bucket) const { return layout::keys(slab(bucket)); }
  [[nodiscard]] MANGROVE_HOST_DEVICE Value* values(std::uint32_t bucket) const {
    return layout::values(slab(bucket), slots);
  }

  /// The bucket where the search for `key` starts.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t home(Key key) const {
    if constexpr (sizeof(Key) == 4) {
      return reduce_range(mix(key), buckets_);
    } else {
      return reduce_range(static_cast<std::uint32_t>(mix(key) >> 32), buckets_);
    }
  }

  /// Where a probe by one lane begins, for who wants to fetch that ahead.
  [[nodiscard]] MANGROVE_HOST_DEVICE const Key* home_sector(Key key) const { return keys(home(key)) + first_slot(key); }

  MANGROVE_HOST_DEVICE void prefetch_home(Key key) const {
    const std::byte* bucket = slab(home(key));
    prefetch(bucket);
    prefetch(bucket + slab_bytes / 2);
  }

  /// Finds a key. With `access::maybe_old`, one that was there before the launch. Cost: two sectors read unless both
  /// overflowed; by several lanes, a slab.
  template <access Access, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE position find(const Tile& tile, Key key) const {
    std::uint32_t bucket = home(key);
    for (std::uint32_t probe = 0; probe < buckets_; ++probe) {
      const detail::slot_search seen = search<Access>(tile, bucket).find(start_slot(key), key);
      if (seen.slot != detail::no_slot) return {bucket, seen.slot, false};
      if (seen.ends) return {};
      bucket = next(bucket);
    }
    return {};
  }

  /// Where a key stands, or where it may be put: into a slot that is free.
  struct place {
    position at;  ///< nowhere when the table is full and does not hold the key
    bool present;
    bool roomy;  ///< whether its sector has an empty slot, so that erasing leaves no tombstone
    /// Of an absent key's sector, the slots that can take it, as bits from its first slot on. Only for a lane alone.
    std::uint32_t free_slots = 0;
  };

  /// Another free slot of the sector where an absent key may be put, for lanes that want one there together.
  /// @param number which of them @return nowhere if there are no more
  [[nodiscard]] MANGROVE_HOST_DEVICE static position nth_free(const place& where, std::uint32_t number) {
    std::uint32_t free = where.free_slots;
    for (; number != 0 && free != 0; --number) free &= free - 1;
    if (free == 0) return {};
    const std::uint32_t first = sectors::first_slot(sectors::of(where.at.slot));
    return {where.at.bucket, first + lowest_bit(free), where.at.reused_tombstone};
  }

  /// Finds a key, or the slot for it, by one lane: one search tells all. Who has the table to itself needs no atomics
  /// to change the slot. Cost: as of `find`.
  template <access Access = access::plain, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE place find_or_free(const Tile& tile, Key key) const {
    return find_or_free_from<Access>(tile, home(key), key);
  }

  /// The same where the buckets before `bucket` are known to be full of other keys.
  template <access Access, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE place find_or_free_from(const Tile& tile, std::uint32_t bucket, Key key) const {
    constexpr std::uint32_t roomy = 1U << 31;  // beside the slots of a sector, for there are few registers
    position free{};
    std::uint32_t free_slots = 0;
    for (std::uint32_t probe = 0; probe < buckets_; ++probe) {
      const detail::place_search seen = search<Access>(tile, bucket).find_or_free(start_slot(key), key);
      if (seen.slot != detail::no_slot) return {{bucket, seen.slot, false}, true, seen.roomy};
      if (!free && seen.free != detail::no_slot) {
        free = {bucket, seen.free, false};
        free_slots = seen.free_slots | (seen.roomy ? roomy : 0);
      }
      if (seen.ends) break;
      bucket = next(bucket);
    }
    // A sector has empty slots or tombstones, never both.
    free.reused_tombstone = free && (free_slots & roomy) == 0;
    return {free, false, !free.reused_tombstone, free_slots & ~roomy};
  }

  /// Finds a key or inserts it, by one lane. Others may do so with other keys at the same time.
  /// @return where it is, and whether it was there; nowhere when the table is full
  template <class Tile>
  MANGROVE_HOST_DEVICE place find_or_insert(const Tile& tile, Key key) const {
    place found = find_or_free<access::maybe_old>(tile, key);
    if (found.present || !found.at) return found;
    const position own = nth_free(found, equals_beside(found.at.bucket * sectors::count + sectors::of(found.at.slot)));
    if (own) found.at = own;  // lanes beside this one take the slots before
    const Key seen = found.at.reused_tombstone ? mark::tombstone : mark::empty;
    const bool claimed = relaxed_compare_exchange(keys(found.at.bucket) + found.at.slot, seen, key) == seen;
    if (!claimed) found.at = insert_absent_from(tile, found.at.bucket, key);  // others took the slot
    return found;
  }

  /// Finds a key or inserts it, by one lane. Other lanes may do so with any key at the same time.
  /// @return where it is, and whether it was there; nowhere when the table is full
  template <class Tile>
  MANGROVE_HOST_DEVICE place find_or_place(const Tile& tile, Key key) const {
    place found = find_or_free<access::maybe_old>(tile, key);
    while (!found.present && found.at) {  // who takes the first free slot on the key's way cannot pass by the key
      const Key seen = found.at.reused_tombstone ? mark::tombstone : mark::empty;
      if (relaxed_compare_exchange(keys(found.at.bucket) + found.at.slot, seen, key) == seen) break;
      const auto again =
          search<access::relaxed>(tile, found.at.bucket).find_or_free_again(start_slot(key), found.at.slot, key);
      if (again.slot != detail::no_slot) return {{found.at.bucket, again.slot, false}, true, again.roomy};
      if (again.free != detail::no_slot) {
        found = {{found.at.bucket, again.free, !again.roomy}, false, again.roomy};
      } else {
        found = find_or_free_from<access::relaxed>(tile, next(found.at.bucket), key);
      }
    }
    return found;
  }

  /// Inserts a key that the table does not hold. Other tiles may insert other absent keys at the same time.
  /// @return where it went; nowhere when the table is full
  template <class Tile>
  MANGROVE_HOST_DEVICE position insert_absent(const Tile& tile, Key key) const {
    return insert_absent_from(tile, home(key), key);
  }

  /// The same where the buckets before `bucket` are known to be full.
  template <class Tile>
  MANGROVE_HOST_DEVICE position insert_absent_from(const Tile& tile, std::uint32_t bucket, Key key) const {
    for (std::uint32_t probe = 0; probe < buckets_; ++probe) {
      const position claimed = claim_in(tile, bucket, key);
      if (claimed) return claimed;
      bucket = next(bucket);
    }
    return {};
  }

  /// Erases the key at `where`. Other tiles may erase other keys at the same time, nobody may insert.
  /// @return whether a tombstone was left
  template <class Tile>
  MANGROVE_HOST_DEVICE bool erase_at(const Tile& tile, position where) const {
    const bool leave_tombstone = !has_empty<access::relaxed>(tile, where);
    tile.elect(
        [&] { store_relaxed(keys(where.bucket) + where.slot, leave_tombstone ? mark::tombstone : mark::empty); });
    return leave_tombstone;
  }

  /// The same for a key that `find_or_free` found.
  MANGROVE_HOST_DEVICE bool erase_at(const place& where) const {
    keys(where.at.bucket)[where.at.slot] = where.roomy ? mark::empty : mark::tombstone;
    return !where.roomy;
  }

  /// Makes every slot of a bucket empty.
  template <class Tile>
  MANGROVE_HOST_DEVICE void clear_bucket(const Tile& tile, std::uint32_t bucket) const {
    Key* const in = keys(bucket);
    tile.strided(slots, [&](std::size_t i) { in[i] = mark::empty; });
  }

  /// Calls `f(key, position)` for every key of a bucket, in the lane that read it. Nobody may write meanwhile.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_in(const Tile& tile, std::uint32_t bucket, F f) const {
    const Key* const in = keys(bucket);
    tile.strided(slots, [&](std::size_t i) {
      if (mark::storable(in[i])) f(in[i], position{bucket, static_cast<std::uint32_t>(i)});
    });
  }

  /// Bit i of the result is `f(key in slot i)`. Same result in every lane.
  template <access Access, class Tile, class F>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t match_keys(const Tile& tile, std::uint32_t bucket, F f) const {
    const Key* const in = keys(bucket);
#if defined(MANGROVE_HAS_KEY_SNAPSHOT) && !defined(__CUDA_ARCH__)
    if constexpr (Access == access::relaxed) {
      const detail::key_snapshot<Key, slots> seen(in);
      return tile.template match<slots>([&](int i) { return f(seen[i]); });
    }
#endif
    return tile.template match<slots>([&](int i) { return f(read<Access>(in + i)); });
  }

  template <access Access>
  MANGROVE_HOST_DEVICE static Key read(const Key* from) {
    if constexpr (Access == access::plain) {
      return *from;
    } else {
      return load_relaxed(from);
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t next(std::uint32_t bucket) const {
    return bucket + 1 == buckets_ ? 0 : bucket + 1;
  }

  /// Whether the sector of a slot has an empty slot. Same result in every lane.
  template <access Access, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool has_empty(const Tile& tile, const position& where) const {
    const Key* const in = keys(where.bucket) + sectors::first_slot(sectors::of(where.slot));
    return tile.template match<static_cast<int>(sectors::slots)>(
               [&](int i) { return read<Access>(in + i) == mark::empty; }) != 0;
  }

  /// Where in a bucket a key is put if there is room, or near by in its sector: were it the first free slot, tiles that
  /// fill a bucket together would all want it.
  MANGROVE_HOST_DEVICE static std::uint32_t start_slot(Key key) {
    return static_cast<std::uint32_t>(mix(key)) % slots;
  }

  /// Where a probe for a key begins in each bucket.
  MANGROVE_HOST_DEVICE static std::uint32_t first_slot(Key key) {
    return sectors::first_slot(sectors::of(start_slot(key)));
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::byte* slab(std::uint32_t bucket) const {
    return slabs_ + static_cast<std::size_t>(bucket) * slab_bytes;
  }

  template <access Access, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE auto search(const Tile& tile, std::uint32_t bucket) const {
    return detail::lane_slots<Access, Tile, Key, slots>(tile, keys(bucket));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE position claim_in(const Tile& tile, std::uint32_t bucket, Key key) const {
    Key* const in = keys(bucket);
    while (true) {
      const std::uint32_t slot = search<access::relaxed>(tile, bucket).free_from(start_slot(key));
      if (slot == detail::no_slot) return {};
      const Key found = tile.elect([&] {
        const Key seen = load_relaxed(in + slot);
        return mark::free(seen) && relaxed_compare_exchange(in + slot, seen, key) == seen ? seen : Key{0};
      });
      if (mark::free(found)) return {bucket, slot, found == mark::tombstone};
    }
  }

  std::byte* slabs_ = nullptr;
  std::uint32_t buckets_ = 0;
};

}  // namespace mangrove
