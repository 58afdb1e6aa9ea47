#pragma once

#include <cstdint>

#include "mangrove/adjacency/slab_table.hpp"

namespace mangrove::test {

/// Whether a sector of a bucket has a slot with this mark.
template <class Table, class Key>
MANGROVE_HOST_DEVICE bool sector_has(const Table& table, std::uint32_t bucket, std::uint32_t sector, Key mark) {
  const Key* const keys = table.keys(bucket) + Table::sectors::first_slot(sector);
  for (std::uint32_t slot = 0; slot < Table::sectors::slots; ++slot) {
    if (keys[slot] == mark) return true;
  }
  return false;
}

/// Whether a search for a key gets as far as a slot: no sector in front of it has an empty slot.
template <class Table, class Key>
MANGROVE_HOST_DEVICE bool is_reachable(const Table& table, Key key, std::uint32_t bucket, std::uint32_t slot) {
  std::uint32_t passed = table.home(key);
  for (std::uint32_t probe = 0; probe < table.buckets() * Table::sectors::count; ++probe) {
    const std::uint32_t sector = Table::sectors::probed(Table::first_slot(key), probe % Table::sectors::count);
    if (passed == bucket && sector == Table::sectors::of(slot)) return true;
    if (sector_has(table, passed, sector, Key{Table::mark::empty})) return false;
    if ((probe + 1) % Table::sectors::count == 0) passed = table.next(passed);
  }
  return false;
}

/// How many keys of a table a search would miss. @param keys becomes how many there are
template <class Table>
MANGROVE_HOST_DEVICE std::uint32_t unreachable_keys(const Table& table, std::uint32_t& keys) {
  std::uint32_t missed = 0;
  keys = 0;
  for (std::uint32_t bucket = 0; bucket < table.buckets(); ++bucket) {
    for (std::uint32_t slot = 0; slot < Table::slots; ++slot) {
      const auto key = table.keys(bucket)[slot];
      if (!Table::mark::storable(key)) continue;
      ++keys;
      missed += is_reachable(table, key, bucket, slot) ? 0 : 1;
    }
  }
  return missed;
}

}  // namespace mangrove::test
