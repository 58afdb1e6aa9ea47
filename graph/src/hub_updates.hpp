#pragma once

#include "hub_list.hpp"
#include "hub_tally.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"

/// @file
/// Vertices with more updates in a batch than a run holds. Their updates are worked on one by one, by tiles side by
/// side; their edges are named in hash tables, which finds repeats, and their neighbours are kept in hash tables.

namespace mangrove::detail {

/// What the bodies that go through pieces of hubs have in common.
template <class Bits>
struct hub_updates {
  using layout = entry_layout<Bits>;
  using table = typename layout::table;

  adjacency_view<Bits> graph;
  const std::uint32_t* targets;    ///< by update
  const std::uint32_t* sequences;  ///< the same; null if order does not matter
  hub_list list;

  /// One of the updates.
  struct update {
    std::uint32_t at;  ///< among the gathered ones
    std::uint32_t target;
  };

  /// Calls `f(update)` for the updates of a piece of a hub, the lanes sharing them.
  /// @param in the table in which `f` will look targets up; one without buckets if there is none. Fetched ahead, unless
  /// a piece of so many updates would fetch more than is kept until it is looked at
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each(const Tile& tile, const hub_piece& piece, const hub& of, const table& in,
                                     F f) const {
    const hub_piece::stretch mine = piece.of(of.count);
    constexpr std::uint32_t group = 32;
    const bool fetches = in.buckets() != 0 && (Tile::simd || hub_piece::size_for(of.count) == group);
    for (std::uint32_t base = 0; base < mine.count; base += group) {
      const std::uint32_t size = mine.count - base < group ? mine.count - base : group;
      const std::uint32_t first = of.first + mine.from + base;
      if (fetches) tile.strided(size, [&](std::size_t k) { fetch<Tile>(in, target(first + k)); });
      tile.strided(size, [&](std::size_t k) { f(update{first + static_cast<std::uint32_t>(k), target(first + k)}); });
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::size_t at) const { return targets[at]; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t sequence(std::size_t at) const { return sequences[at]; }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE static void fetch(const table& in, std::uint32_t target) {
    if constexpr (Tile::simd) {
      in.prefetch_home(target);
    } else {
      prefetch_early(in.home_sector(target));
    }
  }
};

}  // namespace mangrove::detail
