#pragma once

#include <cstdint>

#include "mangrove/adjacency/slab_table.hpp"

namespace mangrove::detail {

/// Index of v among the `count` keys of a sorted array in an extent, or `no_slot`. Same result in every lane.
/// @param keys aligned to 16 bytes, and readable up to the next multiple of 16 bytes after the last key
template <class Tile>
[[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t find_in_array(const Tile& tile, const std::uint32_t* keys,
                                                               std::uint32_t count, std::uint32_t v) {
  if constexpr (Tile::simd) {
    const std::uint32_t hit = tile.match_first(count, [=](std::uint32_t i) { return keys[i] == v; });
    return hit == 0 ? no_slot : lowest_bit(hit);
  } else {
    constexpr int together = 4;
    std::uint32_t hit = no_slot;
    for (std::uint32_t first = together * tile.lane(); first < count; first += together * Tile::lanes) {
      std::uint32_t seen[together];
      load_row<access::plain>(keys + first, seen);
      unrolled<together>([&](int k) { hit = first + k < count && seen[k] == v ? first + k : hit; });
      if (Tile::lanes == 1 && hit != no_slot) return hit;
    }
    if constexpr (Tile::lanes == 1) return hit;
    const std::uint32_t having = tile.ballot(hit != no_slot);
    return having == 0 ? no_slot : tile.broadcast(hit, static_cast<int>(lowest_bit(having)));
  }
}

/// Index of v among the keys in a dictionary entry, or `no_slot`.
template <std::uint32_t Capacity>
[[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t find_in_words(const std::uint32_t* words, std::uint32_t count,
                                                               std::uint32_t v) {
  std::uint32_t hit = no_slot;
  unrolled<Capacity>([&](int k) { hit = static_cast<std::uint32_t>(k) < count && words[k] == v ? k : hit; });
  return hit;
}

}  // namespace mangrove::detail
