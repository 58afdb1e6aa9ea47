#pragma once

#include <cstddef>
#include <cstdint>

#include "vertex_runs.hpp"

/// @file
/// Granting the extents that a batch's plans demand, without asking the host.

namespace mangrove::detail {

/// Body, once per size class: sees whether the pool can meet the batch's demand.
struct grant_batch {
  grant_extents grant;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    grant(tile, i);
    if (i != 0) return;
    const std::uint64_t end = grant_extents::align_to_slab(grant.pool.end);
    status->granules_left = grant.pool.limit > end ? grant.pool.limit - end : 0;
  }
};

/// What tiles do at the end of a loop that plans extents: the last of them grants all, which spares a launch.
struct grant_at_end {
  grant_batch grant;
  std::uint32_t tiles;  ///< of the loop, each of which comes once

  /// To be called once the tile has counted what it demands, and all lanes have met since. @param is_last a word of the
  /// tile's scratch
  template <class Tile>
  MANGROVE_HOST_DEVICE void counted(const Tile& tile, std::uint32_t* is_last) const {
    if (tile.lane() == 0) *is_last = arrive(&grant.status->ended) + 1 == tiles ? 1 : 0;
  }

  /// To be called at the end, all lanes together.
  template <class Tile>
  MANGROVE_HOST_DEVICE void finish(const Tile& tile, const std::uint32_t* is_last) const {
    tile.sync();
    if (*is_last != 0) tile.strided(size_classes, [&](std::size_t i) { grant(tile, i); });
  }
};

}  // namespace mangrove::detail
