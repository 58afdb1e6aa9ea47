#pragma once

#include <cstdint>

#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// The keys of up to 32 slots, read once and kept in rows over a tile's lanes: all loads are under way together.
template <class Tile, class Key, std::uint32_t Slots>
class lane_slots {
 public:
  static constexpr std::uint32_t lanes = Tile::lanes;
  static constexpr int rows = (Slots + lanes - 1) / lanes;

  MANGROVE_HOST_DEVICE lane_slots(const Tile& tile, const Key* from) {
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * lanes + tile.lane();
      keys_[row] = slot < Slots ? from[slot] : Key{0};
    });
  }

  /// Bit i of the result is `f(key in slot i)`. Same result in every lane.
  template <class F>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t match(const Tile& tile, F f) const {
    return tile.template match_rows<rows>([&](int row) { return row * lanes + tile.lane() < Slots && f(keys_[row]); });
  }

 private:
  Key keys_[rows];
};

}  // namespace mangrove::detail
