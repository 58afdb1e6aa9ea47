#pragma once

#include <cstdint>

#include "mangrove/adjacency/detail/sector_counters.hpp"
#include "mangrove/adjacency/slab_table.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Fills a slab table, most of all in a block's scratch, in ways that are faster than `slab_table`'s own because nobody
/// searches it meanwhile and nobody has erased from it. A view.
/// @tparam Table a `slab_table`
template <class Table>
class table_filling {
  using Key = typename Table::key_type;
  using mark = typename Table::mark;
  using sectors = typename Table::sectors;
  using position = typename Table::position;
  using place = typename Table::place;

 public:
  MANGROVE_HOST_DEVICE explicit table_filling(const Table& table) : table_(table) {}

  /// Finds a key or inserts it, by one lane, into a table that has room and was never erased from. Other lanes may do
  /// so with any key at the same time; nobody may search.
  /// @return where it is, and whether it was there
  template <access Access>
  MANGROVE_HOST_DEVICE place insert(Key key) const {
    const std::uint32_t start = table_.start_slot(key);
    for (std::uint32_t bucket = table_.home(key);; bucket = table_.next(bucket)) {
      for (std::uint32_t probe = 0; probe < sectors::count; ++probe) {
        const std::uint32_t first = sectors::first_slot(sectors::probed(start, probe));
        const place filled = insert_into<Access>(bucket, first, start % sectors::slots, key);
        if (filled.at) return filled;
      }
    }
  }

  /// Where `put` has put a key.
  struct put_place {
    position at;
    bool first_choice;  ///< in the sector where its searches begin
  };

  /// Words of counters for each bucket of a table that `put` fills.
  static constexpr std::uint32_t counter_words = sector_counters<sectors::count>::words;

  /// Puts a key into a table that has room and nothing but such keys, by one lane; others may do so at the same time.
  /// Equal keys are put beside each other, for `has_equal` and `occurs_before` to find out.
  /// @param counters of the keys that wanted each sector, two to a word, zero at first; for fewer than 2^16 keys
  /// @param most_buckets that are tried
  /// @return where it is; nowhere when those are full
  MANGROVE_HOST_DEVICE put_place put(Key key, std::uint32_t* counters, std::uint32_t most_buckets) const {
    const std::uint32_t start = table_.start_slot(key);
    std::uint32_t bucket = table_.home(key);
    for (std::uint32_t tried = 0; tried < most_buckets; ++tried) {
      for (std::uint32_t probe = 0; probe < sectors::count; ++probe) {
        const std::uint32_t sector = sectors::probed(start, probe);
        const std::uint32_t place =
            sector_counters<sectors::count>::count_up(counters + bucket * counter_words, sector);
        if (place >= sectors::slots) continue;
        const std::uint32_t slot = sectors::first_slot(sector) + place;
        table_.keys(bucket)[slot] = key;
        return {{bucket, slot, false}, tried + probe == 0};
      }
      bucket = table_.next(bucket);
    }
    return {{}, false};
  }

  /// Whether a key occurs twice in a sector that `put` has filled.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool has_equal(std::uint32_t bucket, std::uint32_t sector) const {
    Key seen[sectors::slots];
    load_row<access::plain>(table_.keys(bucket) + sectors::first_slot(sector), seen);
    bool twice = false;
    unrolled<static_cast<int>(sectors::slots)>([&](int k) {
      bool again = false;
      unrolled<static_cast<int>(sectors::slots)>([&](int j) { again = again || (j < k && seen[j] == seen[k]); });
      twice = twice || (again && seen[k] != mark::empty);
    });
    return twice;
  }

  /// Whether a search for the key at `at` meets an equal one before it, in a table that nobody changes meanwhile.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool occurs_before(const position& at) const {
    const Key key = table_.keys(at.bucket)[at.slot];
    const std::uint32_t start = table_.start_slot(key);
    for (std::uint32_t bucket = table_.home(key);; bucket = table_.next(bucket)) {
      for (std::uint32_t probe = 0; probe < sectors::count; ++probe) {
        const std::uint32_t first = sectors::first_slot(sectors::probed(start, probe));
        const bool arrived = bucket == at.bucket && first == sectors::first_slot(sectors::of(at.slot));
        std::uint32_t equal = slots_equal(bucket, first, key);
        if (arrived) equal &= (std::uint32_t{1} << (at.slot - first)) - 1;
        if (equal != 0 || arrived) return equal != 0;
      }
    }
  }

 private:
  /// The slots of a sector that hold a key, as bits.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t slots_equal(std::uint32_t bucket, std::uint32_t first,
                                                               Key key) const {
    Key seen[sectors::slots];
    load_row<access::plain>(table_.keys(bucket) + first, seen);
    std::uint32_t equal = 0;
    unrolled<static_cast<int>(sectors::slots)>(
        [&](int k) { equal |= static_cast<std::uint32_t>(seen[k] == key) << k; });
    return equal;
  }

  /// As `insert`, into a sector; nowhere when it is full of other keys. A slot that was taken never changes again, so
  /// who tries the empty ones in an order of the key's cannot pass by the key, however old what it has read.
  template <access Access>
  MANGROVE_HOST_DEVICE place insert_into(std::uint32_t bucket, std::uint32_t first, std::uint32_t start,
                                         Key key) const {
    Key* const in = table_.keys(bucket) + first;
    Key seen[sectors::slots];
    load_row<Access>(in, seen);
    std::uint32_t equal = 0;
    std::uint32_t empty = 0;
    unrolled<static_cast<int>(sectors::slots)>([&](int k) {
      equal |= static_cast<std::uint32_t>(seen[k] == key) << k;
      empty |= static_cast<std::uint32_t>(seen[k] == mark::empty) << k;
    });
    if (equal != 0) return {{bucket, first + lowest_bit(equal), false}, true, empty != 0};
    for (; empty != 0; empty &= ~(std::uint32_t{1} << start)) {
      start = lowest_bit_from(start, empty);
      const Key met = relaxed_compare_exchange(in + start, Key{mark::empty}, key);
      if (met == mark::empty || met == key) return {{bucket, first + start, false}, met == key, true};
    }
    return {{}, false, false};
  }

  Table table_;
};

}  // namespace mangrove::detail
