#pragma once

#include <cstdint>

#include "mangrove/adjacency/detail/sector_counters.hpp"
#include "mangrove/adjacency/slab_table.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Inserts keys into a slab table in a block's scratch, in rounds of a key a lane: all look their keys up, and those
/// that find none take a slot; all sync; keys are written; all sync. So nobody reads a slot while it is written, and of
/// those who want slots of one sector a counter tells each which one it gets: who claims slots by compare-and-swap has
/// to search again as often as another one is first. A view.
/// @tparam Table a `slab_table`
template <class Table>
class table_rounds {
  using Key = typename Table::key_type;
  using mark = typename Table::mark;
  using sectors = typename Table::sectors;
  using position = typename Table::position;
  static constexpr int sector_slots = static_cast<int>(sectors::slots);

 public:
  using sector_counts = sector_counters<sectors::count>;

  /// Words of counters for each bucket, zero at first.
  static constexpr std::uint32_t counter_words = sector_counts::words;

  MANGROVE_HOST_DEVICE explicit table_rounds(const Table& table) : table_(table) {}

  /// Where a key is, or the first sector on its way that has a free slot.
  struct spot {
    static constexpr std::uint32_t no_slot = ~std::uint32_t{0};

    std::uint32_t bucket = position::nowhere;  ///< if the table is full and does not hold the key
    std::uint32_t sector = 0;
    std::uint32_t slot = no_slot;  ///< of the bucket; none if the key is absent

    [[nodiscard]] MANGROVE_HOST_DEVICE bool present() const { return slot != no_slot; }
    [[nodiscard]] MANGROVE_HOST_DEVICE position at() const { return {bucket, slot, false}; }
  };

  /// Looks a key up, by one lane. Nobody may write keys meanwhile.
  [[nodiscard]] MANGROVE_HOST_DEVICE spot look_up(Key key) const {
    const std::uint32_t start = table_.start_slot(key);
    spot roomy;
    std::uint32_t bucket = table_.home(key);
    for (std::uint32_t tried = 0; tried < table_.buckets(); ++tried) {
      for (std::uint32_t probe = 0; probe < sectors::count; ++probe) {
        const std::uint32_t sector = sectors::probed(start, probe);
        const sector_keys seen(table_, bucket, sector);
        const std::uint32_t slot = seen.slot_of(key);
        if (slot != spot::no_slot) return {bucket, sector, sectors::first_slot(sector) + slot};
        const Key most = seen.largest();
        if (mark::free(most) && roomy.bucket == position::nowhere) roomy = {bucket, sector, spot::no_slot};
        if (most == mark::empty) return roomy;
      }
      bucket = table_.next(bucket);
    }
    return roomy;
  }

  /// Takes a slot for a key that was looked up in this round and is absent, by one lane; no other lane gets the same.
  /// The table has room for all keys of the round. Nobody may write keys meanwhile.
  /// @param counters `counters(bucket)` are the bucket's
  template <class Counters>
  [[nodiscard]] MANGROVE_HOST_DEVICE position take(Key key, const spot& from, Counters counters) const {
    const std::uint32_t start = table_.start_slot(key);
    std::uint32_t probe = sectors::probed(start, from.sector);  // whose inverse it is
    for (std::uint32_t bucket = from.bucket;;) {
      const std::uint32_t sector = sectors::probed(start, probe);
      const sector_keys seen(table_, bucket, sector);
      const std::uint32_t free = seen.free_slots();
      if (free != 0) {
        const std::uint32_t before = sector_counts::count_up(counters(bucket), sector);
        if (before < count_bits(free)) {
          const std::uint32_t slot = sectors::first_slot(sector) + nth_bit(free, before);
          return {bucket, slot, seen.largest() != mark::empty};
        }
      }
      if (++probe == sectors::count) {
        probe = 0;
        bucket = table_.next(bucket);
      }
    }
  }

  /// Writes the key that a slot was taken for, and makes the sector's counter zero for the next round, as somebody does
  /// wherever one was counted up: the first who did took a slot.
  template <class Counters>
  MANGROVE_HOST_DEVICE void put(Key key, const position& at, Counters counters) const {
    table_.keys(at.bucket)[at.slot] = key;
    reinterpret_cast<std::uint16_t*>(counters(at.bucket))[sectors::of(at.slot)] = 0;
  }

 private:
  /// The keys of a sector.
  struct sector_keys {
    Key of[sectors::slots];

    MANGROVE_HOST_DEVICE sector_keys(const Table& table, std::uint32_t bucket, std::uint32_t sector) {
      load_row<access::plain>(table.keys(bucket) + sectors::first_slot(sector), of);
    }
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t slot_of(Key key) const {
      std::uint32_t slot = spot::no_slot;
      unrolled<sector_slots>([&](int k) {
        if (of[k] == key) slot = static_cast<std::uint32_t>(k);
      });
      return slot;
    }
    /// Alone tells whether there are free slots, and whether these are empty.
    [[nodiscard]] MANGROVE_HOST_DEVICE Key largest() const {
      Key most = of[0];
      unrolled<sector_slots>([&](int k) { most = of[k] > most ? of[k] : most; });
      return most;
    }
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t free_slots() const {
      std::uint32_t free = 0;
      unrolled<sector_slots>([&](int k) { free |= static_cast<std::uint32_t>(mark::free(of[k])) << k; });
      return free;
    }
  };

  /// Index of the set bit that has so many set bits below it.
  MANGROVE_HOST_DEVICE static std::uint32_t nth_bit(std::uint32_t mask, std::uint32_t below) {
    for (; below != 0; --below) mask &= mask - 1;
    return lowest_bit(mask);
  }

  Table table_;
};

}  // namespace mangrove::detail
