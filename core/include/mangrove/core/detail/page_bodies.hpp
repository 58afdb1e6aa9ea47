#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/detail/page_moves.hpp"
#include "mangrove/core/freed_extents.hpp"

namespace mangrove::detail {

/// Body, once per list and once for the spare pages: moves their pages to larger rings.
struct move_directories {
  freed_extents from;
  freed_extents to;  ///< with as many pages in each list and spare

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (i == size_classes) {
      const freed_extents::spare_pages old = from.spare();
      const freed_extents::spare_pages next = to.spare();
      move(tile, {old.ring, old.mask, old.head}, {next.ring, next.mask, next.head}, old.count);
    } else {
      const freed_extents::list old = from[i];
      const freed_extents::list next = to[i];
      move(tile, {old.directory, old.mask, old.first}, {next.directory, next.mask, next.first}, old.pages);
    }
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE static void move(const Tile& tile, const page_ring& old, const page_ring& next,
                                        std::uint32_t count) {
    put_pages(tile, count, next, [&](std::size_t k) { return old[k]; });
  }
};

/// Body, once per new page: puts it behind the spare ones.
struct add_pages {
  freed_extents::spare_pages spare;
  slab_index* slots;  ///< of the new pages

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    spare.ring[(spare.head + spare.count + i) & spare.mask] = slots + i * page_extents;
  }
};

}  // namespace mangrove::detail
