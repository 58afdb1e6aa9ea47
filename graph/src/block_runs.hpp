#pragma once

#include "gather_runs.hpp"

namespace mangrove::detail {

/// What the bodies have in common in which a tile with scratch finds many runs, and numbers those of each list by one
/// atomic.
template <class Bits>
struct block_runs : run_lists<Bits> {
  using base = run_lists<Bits>;
  using base::destinations, base::growing, base::lists, base::status, base::to_growing;

  /// A tile's counters.
  struct counters {
    std::uint32_t gifts[size_classes];  ///< extents that may be given back, by size class
    std::uint32_t listed[destinations];
  };

  /// Counts of the four destinations, 16 bits each.
  MANGROVE_HOST_DEVICE static constexpr std::uint64_t one_of(std::uint32_t to) { return std::uint64_t{1} << (16 * to); }
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t count_of(std::uint64_t packed, std::uint32_t to) {
    return static_cast<std::uint32_t>(packed >> (16 * to) & 0xffff);
  }

  /// Clears the counters; the caller syncs.
  template <class Tile>
  MANGROVE_HOST_DEVICE static void clear(const Tile& tile, counters& in) {
    tile.strided(size_classes, [&](std::size_t of) { in.gifts[of] = 0; });
  }

  /// Numbers all runs of the tile in their lists, and counts the extents that may be given back.
  /// @param runs of the tile @pre gifts are counted
  template <class Tile>
  MANGROVE_HOST_DEVICE void number_runs(const Tile& tile, counters& in, std::uint64_t runs) const {
    tile.strided(destinations, [&](std::size_t k) {
      const auto to = static_cast<std::uint32_t>(k);
      const std::uint32_t count = count_of(runs, to);
      std::uint32_t* const counter = to == to_growing ? &status->growing.value : &status->listed[to].value;
      in.listed[to] = count == 0 ? 0 : fetch_add(counter, count);
    });
    tile.strided(size_classes, [&](std::size_t of) {
      if (in.gifts[of] != 0) fetch_add(&status->demand.given[of], in.gifts[of]);
    });
    tile.sync();
  }

  /// Lists a run. @param before those that the tile has listed, or will, in front of it
  MANGROVE_HOST_DEVICE void put(const counters& in, std::uint64_t before, std::uint32_t to,
                                const vertex_run& run) const {
    vertex_run* const list = to == to_growing ? growing : lists[to];
    list[in.listed[to] + count_of(before, to)] = run;
  }
};

}  // namespace mangrove::detail
