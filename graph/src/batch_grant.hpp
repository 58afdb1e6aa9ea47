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
    auto* const notes = reinterpret_cast<page_notes*>(scratch);
    grant(tile, page_dealer(notes->lists, &notes->counts, notes->large));
    tile.sync();
    if (tile.lane() == 0) store_release(&status->met, 1U);  // `batch_gate` waits for that
  }

  /// The same by a tile that has scratch for `counts` only.
  template <class Tile>
  MANGROVE_HOST_DEVICE void grant(const Tile& tile, page_counts* counts, page_move* large) const {
    grant(tile, page_dealer(extents.pool.lists, counts, large));
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void grant(const Tile& tile, const page_dealer& pages) const {
    extents.grant(tile, pages);
    if (tile.lane() != 0) return;
    const std::uint64_t end = grant_extents::align_to_slab(extents.pool.end);
    status->granules_left = extents.pool.limit > end ? extents.pool.limit - end : 0;
  }
};

/// What tiles do at the end of a loop that plans extents: the last of them grants all, which spares a launch.
struct grant_at_end {
  /// Scratch of each tile.
  struct notes {
    std::uint32_t is_last;
    page_counts counts;
  };

  grant_batch granter;
  page_move* large;     ///< room for `page_notes`' moves
  std::uint32_t tiles;  ///< of the loop, each of which comes once

  /// To be called once the tile has counted what it demands, and all lanes have met since.
  template <class Tile>
  MANGROVE_HOST_DEVICE void counted(const Tile& tile, notes& own) const {
    if (tile.lane() == 0) own.is_last = arrive(&granter.status->ended) + 1 == tiles ? 1 : 0;
  }

  /// To be called at the end, all lanes together.
  template <class Tile>
  MANGROVE_HOST_DEVICE void finish(const Tile& tile, notes& own) const {
    tile.sync();
    if (own.is_last != 0) granter.grant(tile, &own.counts, large);
  }
};

}  // namespace mangrove::detail
