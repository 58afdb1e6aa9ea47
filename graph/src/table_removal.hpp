#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/unrolled.hpp"
#include "mangrove/graph/detail/key_quads.hpp"
#include "mangrove/graph/detail/vertex_entry.hpp"
#include "vertex_removal_marks.hpp"

/// @file
/// Hash tables lose erased vertices bucket by bucket, in place.

namespace mangrove::detail {

/// How many keys left some slabs, and how many of them left tombstones.
struct table_loss {
  std::uint32_t keys = 0;
  std::uint32_t tombstones = 0;

  MANGROVE_HOST_DEVICE table_loss& operator+=(const table_loss& other) {
    keys += other.keys;
    tombstones += other.tombstones;
    return *this;
  }
};

/// What filtering a table needs to know.
template <class Bits>
struct table_filter {
  using table = typename entry_layout<Bits>::table;

  const std::uint32_t* erased;  ///< bitmap by index

  /// Takes erased vertices out of the slabs [first, last). @return how many there were, in every lane
  template <class Tile>
  MANGROVE_HOST_DEVICE table_loss erase_from(const Tile& tile, const table& in, std::uint32_t first,
                                             std::uint32_t last) const {
    table_loss lost;
    if constexpr (Tile::simd) {
      for (std::uint32_t bucket = first; bucket < last; ++bucket) {
        lost += erase_from_bucket(tile, in.keys(bucket));
      }
    } else {
      static_assert(Tile::lanes * key_quad::size >= table::slots, "lanes are too few to hold a bucket");
      for (std::uint32_t bucket = first; bucket < last; bucket += together) {
        lost += erase_from_some(tile, in, bucket, last);
      }
    }
    return lost;
  }

 private:
  /// What the slots of a bucket hold, as far as it matters here, four bits a sector: how many keys go, and above them
  /// how many slots are empty. Those of several lanes add up.
  MANGROVE_HOST_DEVICE std::uint32_t seen_in(std::uint32_t slot, std::uint32_t key, bool is_erased) const {
    const std::uint32_t bit = bits_of_sector * table::sectors::of(slot);
    return is_erased ? 1U << bit : key == table::mark::empty ? 1U << (16 + bit) : 0U;
  }

  /// By a thread of the CPU: empties the slots of erased vertices, by the rule of `slab_table::erase_at`: a sector that
  /// was full keeps tombstones, since searches went past it.
  template <class Tile>
  MANGROVE_HOST_DEVICE table_loss erase_from_bucket(const Tile& tile, std::uint32_t* keys) const {
    std::uint32_t seen = 0;
    for_each_key(tile, keys, table::slots,
                 [&](std::uint32_t slot, std::uint32_t key) { seen += seen_in(slot, key, goes(key)); });
    if (erased_of(seen) == 0) return {};
    for_each_key(tile, keys, table::slots, [&](std::uint32_t slot, std::uint32_t key) {
      if (goes(key)) keys[slot] = left_in(seen, slot);
    });
    return loss_of(seen);
  }

  /// The same for some buckets from `first` on, as far as they are below `last`: a lane holds a quad of each.
  template <class Tile>
  MANGROVE_HOST_DEVICE table_loss erase_from_some(const Tile& tile, const table& in, std::uint32_t first,
                                                  std::uint32_t last) const {
    constexpr std::uint32_t size = key_quad::size;
    const std::uint32_t slot = tile.lane() * size;
    key_quad read[together];
    unrolled<together>([&](int k) {
      read[k] = {table::mark::tombstone, table::mark::tombstone, table::mark::tombstone, table::mark::tombstone};
      if (first + k < last && slot < table::slots) read[k] = *reinterpret_cast<key_quad*>(in.keys(first + k) + slot);
    });
    std::uint32_t seen[together] = {};
    std::uint32_t gone = 0;
    unrolled<together>([&](int k) {
      unrolled<static_cast<int>(size)>([&](int j) {
        const bool is_erased = slot + j < table::slots && goes(read[k].keys[j]);
        gone |= is_erased ? 1U << (k * size + j) : 0U;
        if (slot + j < table::slots) seen[k] += seen_in(slot + j, read[k].keys[j], is_erased);
      });
    });
    table_loss lost;
    unrolled<together>([&](int k) {
      const std::uint32_t all = tile.sum(seen[k]);
      lost += loss_of(all);
      for (std::uint32_t here = gone >> (k * size) & ((1U << size) - 1); here != 0; here &= here - 1) {
        const std::uint32_t at = slot + lowest_bit(here);
        in.keys(first + k)[at] = left_in(all, at);
      }
    });
    return lost;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t erased_of(std::uint32_t seen) { return seen & 0xffff; }

  [[nodiscard]] MANGROVE_HOST_DEVICE static table_loss loss_of(std::uint32_t seen) {
    table_loss lost;
    for (std::uint32_t sector = 0; sector < table::sectors::count; ++sector) {
      const std::uint32_t erased_here = seen >> (bits_of_sector * sector) & 15;
      lost.keys += erased_here;
      lost.tombstones += has_empty(seen, sector) ? 0 : erased_here;
    }
    return lost;
  }

  /// What an erased slot holds from now on.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t left_in(std::uint32_t seen, std::uint32_t slot) {
    return has_empty(seen, table::sectors::of(slot)) ? table::mark::empty : table::mark::tombstone;
  }

  static constexpr int together = 2;  ///< buckets whose keys a tile has under way
  static constexpr std::uint32_t bits_of_sector = 4;
  static_assert(table::sectors::slots < 16 && table::sectors::count <= 4);

  [[nodiscard]] MANGROVE_HOST_DEVICE static bool has_empty(std::uint32_t seen, std::uint32_t sector) {
    return (seen >> (16 + bits_of_sector * sector) & 15) != 0;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool goes(std::uint32_t key) const {
    return table::mark::storable(key) && marked(erased, key);
  }
};

}  // namespace mangrove::detail
