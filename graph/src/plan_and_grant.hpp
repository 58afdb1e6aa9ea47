#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "batch_grant.hpp"
#include "plan_lane.hpp"

namespace mangrove::detail {

/// Body, called once: plans the growing runs, which should be few, and grants what the batch demands then. That spares
/// a launch whose blocks, mostly without anything to do, would wait where others could work.
template <class Bits>
struct plan_and_grant {
  static constexpr int width = grant_batch::width;
  static constexpr int scratch_bytes = grant_batch::scratch_bytes;
  static constexpr std::uint32_t few = 4 * width;  ///< runs: four rounds

  plan_lane<Bits> planner;
  grant_batch granter;

  template <class Tile>
  MANGROVE_HOST_DEVICE void prepare(const Tile& tile, std::size_t i, std::byte* scratch) const {
    granter.prepare(tile, i, scratch);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    plan(tile, planner.status->growing.value);
    tile.sync();
    granter(tile, i, scratch);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void plan(const Tile& tile, std::uint32_t count) const {
    if constexpr (Tile::simd) {
      for (std::uint32_t k = 0; k < count; ++k) planner(tile.solo(), k);
    } else {
      tile.template for_each_part<32>((count + 31) / 32, [&](const auto& warp, std::size_t w) {
        const tile_part<std::remove_cvref_t<decltype(warp)>, 1> lane(warp);
        const std::uint32_t k = 32 * static_cast<std::uint32_t>(w) + warp.lane();
        planner(lane, k, k < count);
      });
    }
  }
};

}  // namespace mangrove::detail
