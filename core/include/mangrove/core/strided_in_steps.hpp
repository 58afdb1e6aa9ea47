#pragma once

#include <cstddef>

#include "mangrove/core/unrolled.hpp"

namespace mangrove {

/// Works on `count` things, each by one lane, step by step: a lane calls a step as `step(k, item)` for `Together` of
/// its things before it goes on to the next step. So it waits for what a step reads once for all of them. On the CPU a
/// thread does the same with neighbouring things.
/// @tparam Item what a thing's steps hand on to each other; made anew for each
template <int Together, class Item, class Tile, class... Steps>
MANGROVE_HOST_DEVICE void strided_in_steps(const Tile& tile, std::size_t count, Steps... steps) {
  for (std::size_t base = tile.lane(); base < count; base += Together * Tile::lanes) {
    Item items[Together] = {};
    const auto for_each_own = [&](const auto& step) {
      unrolled<Together>([&](int k) {
        const std::size_t at = base + static_cast<std::size_t>(k) * Tile::lanes;
        if (at < count) step(at, items[k]);
      });
    };
    (for_each_own(steps), ...);
  }
}

}  // namespace mangrove
