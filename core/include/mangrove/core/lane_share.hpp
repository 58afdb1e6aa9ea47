#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove {

/// A lane's share of things that stand in order: a few neighbouring ones, where `strided` gives neighbours to different
/// lanes. What a lane has comes before all that the lanes after it have.
struct lane_share {
  std::uint32_t begin;
  std::uint32_t end;  ///< not before `begin`

  /// @param all how many things the lanes of the tile share
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE static lane_share of(const Tile& tile, std::uint32_t all) {
    const std::uint32_t each = (all + Tile::lanes - 1) / Tile::lanes;
    const std::uint32_t begin = tile.lane() * each;
    if (begin >= all) return {all, all};
    return {begin, begin + each < all ? begin + each : all};
  }

  /// Calls `f(i)` for each, in order.
  template <class F>
  MANGROVE_HOST_DEVICE void for_each(F f) const {
    for (std::uint32_t i = begin; i < end; ++i) f(i);
  }
};

}  // namespace mangrove
