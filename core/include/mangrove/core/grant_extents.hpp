#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/detail/page_dealer.hpp"
#include "mangrove/core/pool_ref.hpp"

namespace mangrove {

/// A pool's books, by value: what a demand can be granted from.
struct pool_snapshot {
  freed_extents lists;
  std::uint64_t end;    ///< granules handed out so far
  std::uint64_t limit;  ///< granules there is memory for
};

/// What a demand comes to; zero at first.
struct pool_verdict {
  std::uint64_t fresh;    ///< granules of extents that were never handed out before
  std::uint32_t refused;  ///< not 0 when there is no room for what may be given
  std::uint32_t unused;
};

/// Body, called once: where extents come from and where those that are given go, if the pool can meet the demand as it
/// is. Leaves out classes that are not asked for.
///
/// Lets kernels decide without asking the host; it runs on host memory too.
struct grant_extents {
  static constexpr int width = detail::page_dealer::width;
  static constexpr int scratch_bytes = detail::page_dealer::scratch_bytes;

  pool_snapshot pool;
  const pool_demand* demand;
  pool_ref::class_entry* classes;  ///< one per size class
  pool_verdict* verdict;

  template <class Tile>
  MANGROVE_HOST_DEVICE void prepare(const Tile& tile, std::size_t, std::byte* scratch) const {
    reinterpret_cast<detail::page_notes*>(scratch)->lists.copy(tile, pool.lists);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t, std::byte* scratch) const {
    const detail::page_dealer pages(*reinterpret_cast<detail::page_notes*>(scratch));
    pages.begin(tile);
    const auto lane = tile.solo();
    tile.strided(size_classes, [&](std::size_t c) { grant_class(lane, static_cast<std::uint32_t>(c), pages); });
    pages.finish(tile);
  }

  MANGROVE_HOST_DEVICE static constexpr std::uint64_t align_to_slab(std::uint64_t granules) {
    return (granules + granules_per_slab - 1) / granules_per_slab * granules_per_slab;
  }
  /// Granules handed out once the demand is met.
  MANGROVE_HOST_DEVICE static constexpr std::uint64_t end_of(std::uint64_t end, const pool_verdict& verdict) {
    return align_to_slab(end) + verdict.fresh;
  }

 private:
  template <class Lane>
  MANGROVE_HOST_DEVICE void grant_class(const Lane& lane, std::uint32_t c, const detail::page_dealer& pages) const {
    const std::uint32_t taken = demand->taken[c];
    const std::uint32_t given = demand->given[c];
    if ((taken | given) == 0) return;  // nobody will ask
    const freed_extents::list list = pages.lists()[c];
    const std::uint32_t reused = taken < list.count ? taken : list.count;
    // Whole slabs, whatever the class, so that the extents of all classes stay aligned.
    const std::uint64_t fresh = align_to_slab(std::uint64_t{taken - reused} * size_class_granules(c));
    const std::uint64_t first = fresh == 0 ? 0 : align_to_slab(pool.end) + fetch_add(&verdict->fresh, fresh);
    if (!pages.deal(lane, c, std::uint64_t{list.count} + given)) store_relaxed(&verdict->refused, 1U);
    classes[c] = {list.directory, list.mask, list.head, reused, list.head + list.count, static_cast<slab_index>(first)};
  }
};

}  // namespace mangrove
