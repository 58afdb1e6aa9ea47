#pragma once

#include <cstdint>

#include "mangrove/core/bits.hpp"
#include "mangrove/graph/detail/vertex_entry.hpp"

namespace mangrove::detail {

/// Closes the gaps among the first `size` keys of an array, at most 32, in place: a row of lanes reads, then writes to
/// where it or earlier rows have read. Bit i of `kept` is whether key i stays; one does not.
template <class Bits, class Tile>
MANGROVE_HOST_DEVICE void pack_neighbors(const Tile& tile, const neighbor_array<Bits>& in, std::uint32_t kept,
                                         std::uint32_t size) {
  constexpr auto lanes = static_cast<std::uint32_t>(Tile::lanes);
  const std::uint32_t first_gap = lowest_bit(~kept);
  for (std::uint32_t row = first_gap / lanes * lanes; row < size; row += lanes) {
    const std::uint32_t i = row + static_cast<std::uint32_t>(tile.lane());
    const bool moves = i < size && (kept >> i & 1) != 0;
    const std::uint32_t to = moves ? count_bits(kept & ((1U << i) - 1)) : 0;
    std::uint32_t key{};
    Bits weight{};
    if (moves) key = in.keys[i];
    if constexpr (!is_none<Bits>) {
      if (moves) weight = in.weights[i];
    }
    tile.sync();
    if (moves) in.keys[to] = key;
    if constexpr (!is_none<Bits>) {
      if (moves) in.weights[to] = weight;
    }
    tile.sync();
  }
}

}  // namespace mangrove::detail
