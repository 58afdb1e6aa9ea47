#pragma once

#include <cstddef>
#include <cstdint>

#include "vertex_runs.hpp"

/// @file
/// Granting the extents that a batch's plans demand, without asking the host.

namespace mangrove::detail {

/// Body, called once: sees whether the pool can meet the batch's demand.
struct grant_batch {
  static constexpr int width = grant_extents::width;
  static constexpr int scratch_bytes = grant_extents::scratch_bytes;

  grant_extents extents;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void prepare(const Tile& tile, std::size_t i, std::byte* scratch) const {
    extents.prepare(tile, i, scratch);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t, std::byte* scratch) const {
    grant(tile, scratch);
    tile.sync();
    if (tile.lane() == 0) store_release(&status->met, 1U);  // `batch_gate` waits for that
  }

  /// The same where nobody waits for it alone.
  template <class Tile>
  MANGROVE_HOST_DEVICE void grant(const Tile& tile, std::byte* scratch) const {
    extents(tile, 0, scratch);
    if (tile.lane() != 0) return;
    const std::uint64_t end = grant_extents::align_to_slab(extents.pool.end);
    status->granules_left = extents.pool.limit > end ? extents.pool.limit - end : 0;
  }
};

/// Granting beside a loop that plans extents, by a tile more, the last one, which waits for the others. That spares a
/// launch, and the pool's lists are in the tile's scratch by the time that the others have counted.
struct grant_beside {
  grant_batch granter;
  std::uint32_t tiles;  ///< that plan, each of which counts once

  /// Whether tile i is the one that grants.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool grants(std::size_t i) const { return i == tiles; }

  /// To be called once a tile has counted what it demands, and all lanes have met since.
  template <class Tile>
  MANGROVE_HOST_DEVICE void counted(const Tile& tile) const {
    if (tile.lane() == 0) announce(&granter.status->ended);
  }

  /// Waits for the others, which are all under way or have been, and grants.
  template <class Tile>
  MANGROVE_HOST_DEVICE void grant(const Tile& tile, std::byte* scratch) const {
    granter.prepare(tile, 0, scratch);  // which takes long
    if (tile.lane() == 0) {
      while (load_acquire(&granter.status->ended) < tiles) {
      }
    }
    tile.sync();
    granter.grant(tile, scratch);
  }
};

}  // namespace mangrove::detail
