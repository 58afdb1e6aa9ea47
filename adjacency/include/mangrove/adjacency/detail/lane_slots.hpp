#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/adjacency/detail/lone_slots.hpp"
#include "mangrove/adjacency/detail/shared_slots.hpp"
#include "mangrove/adjacency/detail/simd_slots.hpp"

/// @file
/// Searching the up to 32 slots of a bucket: a class for each kind of tile, with the same members, whose results are
/// the same in every lane.

namespace mangrove::detail {

/// The one for a kind of tile.
template <access Access, class Tile, class Key, std::uint32_t Slots>
using lane_slots = std::conditional_t<
    Tile::simd, simd_slots<Access, Tile, Key, Slots>,
    std::conditional_t<Tile::lanes == 1, lone_slots<Access, Key, Slots>, shared_slots<Access, Tile, Key, Slots>>>;

}  // namespace mangrove::detail
