#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/backoff.hpp"
#include "mangrove/adjacency/detail/side_slot.hpp"
#include "mangrove/adjacency/slab_hash_result.hpp"
#include "mangrove/adjacency/slab_table.hpp"

namespace mangrove::detail {

/// A slab hash table that any tiles may change and search at the same time, with every value of the key type as a key.
///
/// Memory: `buckets` slabs that are buckets, all bytes 0xff when empty, then one slab, all bytes 0 at first, for the
/// keys that mark slots. While tiles run concurrently a slot changes from empty to busy (maps only), to a key, to a
/// tombstone, and never back. An insert claims the first slot in probe order that is empty, and only when it knows that
/// every slot before is settled: it holds another key or a tombstone. Of two inserts of one key the later therefore
/// meets the earlier one's slot, and waits for it while it is busy.
template <class Key, class Bits>
class concurrent_table {
 public:
  using phased = slab_table<Key, Bits>;
  using mark = slot_mark<Key>;
  using position = typename phased::position;
  static constexpr std::uint32_t slots = phased::slots;

  struct side_slab {
    side_slot<Bits> keys[3];
    std::uint32_t changed;  ///< whether a `slab_hash_ref` has inserted or erased since the owner last counted
  };
  static_assert(sizeof(side_slab) <= slab_bytes);

  concurrent_table() = default;
  MANGROVE_HOST_DEVICE concurrent_table(std::byte* slabs, std::uint32_t buckets)
      : table_(slabs, buckets), side_(reinterpret_cast<side_slab*>(slabs + std::size_t{buckets} * slab_bytes)) {}

  /// The table for phases in which nobody does what it forbids. It does not hold the keys that mark slots.
  [[nodiscard]] MANGROVE_HOST_DEVICE const phased& table() const { return table_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE side_slab& side() const { return *side_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE side_slot<Bits>& side_of(Key key) const {
    return side_->keys[static_cast<std::uint32_t>(mark::empty - key)];
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE insert_result insert(const Tile& tile, Key key, Bits bits, on_existing existing) const {
    if (!mark::storable(key)) return tile.elect([&] { return side_of(key).insert(bits, existing); });
    std::uint32_t bucket = table_.home(key);
    for (std::uint32_t probe = 0; probe < table_.buckets(); ++probe) {
      const insert_result result = insert_into(tile, bucket, key, bits, existing);
      if (result != insert_result::full) return result;
      bucket = table_.next(bucket);
    }
    return insert_result::full;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE bool erase(const Tile& tile, Key key) const {
    if (!mark::storable(key)) return tile.elect([&] { return side_of(key).erase(); });
    const position at = table_.template find<access::relaxed>(tile, key);
    return at && replace(tile, at, key, mark::tombstone);
  }

  /// @tparam Access `plain` promises that nobody inserts or erases meanwhile
  template <access Access, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<Bits> find(const Tile& tile, Key key) const {
    if (!mark::storable(key)) return tile.elect([&] { return side_of(key).find(); });
    const position at = table_.template find<Access>(tile, key);
    if (!at) return {};
    if constexpr (is_none<Bits>) {
      return lookup_result<Bits>(none{});
    } else if constexpr (Access == access::plain) {
      return lookup_result<Bits>(table_.values(at.bucket)[at.slot]);
    } else {
      return value_beside_writers(at, key);
    }
  }

  /// @tparam Access as for `find`
  template <access Access, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool contains(const Tile& tile, Key key) const {
    if (!mark::storable(key)) return static_cast<bool>(find<Access>(tile, key));
    return static_cast<bool>(table_.template find<Access>(tile, key));
  }

  /// Puts `to` into the slot of `key`, which tiles may be erasing. @return whether this tile did it
  template <class Tile>
  MANGROVE_HOST_DEVICE bool replace(const Tile& tile, position at, Key key, Key to) const {
    Key* const slot = table_.keys(at.bucket) + at.slot;
    return tile.elect([&] { return compare_exchange(slot, key, to) == key; });
  }

  /// Reads the value of a key that was seen at `at`: nothing when it has been erased since.
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<Bits> value_beside_writers(position at, Key key) const {
    if (load_acquire(table_.keys(at.bucket) + at.slot) != key) return {};
    if constexpr (is_none<Bits>) {
      return lookup_result<Bits>(none{});
    } else {
      return lookup_result<Bits>(load_acquire(table_.values(at.bucket) + at.slot));
    }
  }

 private:
  enum class attempt : std::uint8_t { inserted, found, busy, lost };
  static constexpr std::uint32_t all_slots = slots == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << slots % 32) - 1;

  /// @return full when the key is not in the bucket and all slots are settled
  template <class Tile>
  MANGROVE_HOST_DEVICE insert_result insert_into(const Tile& tile, std::uint32_t bucket, Key key, Bits bits,
                                                 on_existing existing) const {
    const std::uint32_t hit =
        table_.template match_keys<access::relaxed>(tile, bucket, [=](Key seen) { return seen == key; });
    if (hit != 0) return meet(tile, {bucket, lowest_bit(hit)}, bits, existing);
    backoff pause;
    while (true) {
      const std::uint32_t settled = table_.template match_keys<access::relaxed>(
          tile, bucket, [=](Key seen) { return seen != key && (mark::storable(seen) || seen == mark::tombstone); });
      if (settled == all_slots) return insert_result::full;
      const position at{bucket, phased::sectors::first_from(phased::first_slot(key), all_slots & ~settled)};
      const attempt tried = tile.elect([&] { return try_slot(at, key, bits); });
      if (tried == attempt::inserted) return insert_result::inserted;
      if (tried == attempt::found) return meet(tile, at, bits, existing);
      if (tried == attempt::busy) pause.wait();
    }
  }

  /// One lane's attempt at a slot that was not settled. It never waits between claiming and publishing.
  MANGROVE_HOST_DEVICE attempt try_slot(position at, Key key, Bits bits) const {
    Key* const slot = table_.keys(at.bucket) + at.slot;
    Key seen = load_relaxed(slot);
    if (seen == mark::empty) {
      seen = compare_exchange(slot, mark::empty, is_none<Bits> ? key : mark::busy);
      if (seen == mark::empty) {
        if constexpr (!is_none<Bits>) {
          store_relaxed(table_.values(at.bucket) + at.slot, bits);
          store_release(slot, key);
        }
        return attempt::inserted;
      }
    }
    if (seen == key) return attempt::found;
    return seen == mark::busy ? attempt::busy : attempt::lost;
  }

  /// The key was seen at `at`. Should it be erased meanwhile, the assignment counts as made just before that.
  template <class Tile>
  MANGROVE_HOST_DEVICE insert_result meet(const Tile& tile, position at, Bits bits, on_existing existing) const {
    if constexpr (!is_none<Bits>) {
      if (existing == on_existing::assign) {
        tile.elect([&] {
          static_cast<void>(load_acquire(table_.keys(at.bucket) + at.slot));  // orders after the insert's own value
          store_release(table_.values(at.bucket) + at.slot, bits);
        });
      }
    }
    return insert_result::exists;
  }

  phased table_;
  side_slab* side_ = nullptr;
};

}  // namespace mangrove::detail
