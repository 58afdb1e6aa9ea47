#pragma once

#include <cstddef>
#include <cstdint>

#include "lane_neighbors.hpp"
#include "removal_bodies.hpp"

namespace mangrove::detail {

/// What a lane keeps of some vertices until the other lanes of its warp are as far: that is counted together then, for
/// one counter takes an atomic a nanosecond.
struct removal_leftover {
  static constexpr int vertices = 4;
  static constexpr slab_index nothing = ~slab_index{0};

  slab_index granules[vertices];  ///< extents of one to be given back, by the vertex's number
  std::uint32_t lost = 0;         ///< directed edges of vertices that stay
  std::uint32_t degrees = 0;      ///< of those that are erased

  MANGROVE_HOST_DEVICE removal_leftover() {
    unrolled<vertices>([&](int k) { granules[k] = nothing; });
  }

  /// Extents to be given back.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t given() const {
    std::uint32_t count = 0;
    unrolled<vertices>([&](int k) { count += granules[k] != nothing ? 1 : 0; });
    return count;
  }
};

/// Filters vertices that one lane is enough for: those whose neighbours are in the entry or in one granule, and erased
/// ones, whatever they have but trees.
template <class Bits>
struct filter_few : removal_bodies<Bits> {
  using base = removal_bodies<Bits>;
  using base::erased, base::graph, base::pool, base::totals;
  using typename base::array, typename base::layout;

  /// @tparam Slots neighbours that the vertex has at most, unless it is erased: those of an entry or of a granule
  /// @param old its entry, as it is @param left counts what goes
  /// @return whether it has an extent no more that it had
  template <std::uint32_t Slots>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool filter(std::uint32_t u, const vertex_entry& old,
                                                 removal_leftover& left) const {
    const bool drops = marked(erased, u);
    lane_neighbors<Bits, Slots> few;
    std::uint32_t gone = 0;
    if (!drops) {
      load(few, old);
      gone = few.match([&](std::uint32_t v) { return marked(erased, v); });
      if (gone == 0) return false;
      few.erase_all(gone);
    }
    const std::uint32_t fewer = old.degree - few.size();
    left.lost += drops ? 0 : fewer;
    left.degrees += drops ? fewer : 0;
    if constexpr (Slots > layout::inline_capacity) {
      if (few.size() > layout::inline_capacity) {
        few.store_extent(array::in_extent(graph.pool, old.extent(), 1), lowest_bit(gone));
        graph.entries[u].degree = few.size();
        return false;
      }
    }
    graph.entries[u] = few.to_entry();
    return old.degree > layout::inline_capacity;
  }

  /// Takes an erased vertex away, but for the leaves of its tree. For one lane.
  MANGROVE_HOST_DEVICE void drop_alone(std::uint32_t u, const vertex_entry& old, removal_leftover& left) const {
    left.degrees += old.degree;
    if (old.degree > layout::inline_capacity) this->give(old);
    graph.entries[u] = vertex_entry{};
  }

  /// Counts what lanes have left, and gives it back. Called by all lanes. @param number of the call
  template <class Tile>
  MANGROVE_HOST_DEVICE void finish(const Tile& tile, std::size_t number, const removal_leftover& left) const {
    constexpr std::uint32_t size_class = size_class_of(1);
    const std::uint32_t given = left.given();
    const std::uint32_t all = tile.sum(given);
    if (all != 0) {
      const std::uint32_t first = tile.elect([&] { return fetch_add(&totals->given[size_class], all); });
      std::uint32_t at = first + tile.sum_before(given);
      unrolled<removal_leftover::vertices>([&](int k) {
        if (left.granules[k] != removal_leftover::nothing) pool.give(size_class, at++, left.granules[k]);
      });
    }
    removal_totals::share& sums = totals->shares[number % removal_totals::share_count];
    tile.add_sum(&sums.lost, left.lost);
    tile.add_sum(&sums.degrees, left.degrees);
  }

 private:
  template <std::uint32_t Slots>
  MANGROVE_HOST_DEVICE void load(lane_neighbors<Bits, Slots>& few, const vertex_entry& entry) const {
    if (Slots == layout::inline_capacity || entry.degree <= layout::inline_capacity) {
      few.load(entry);
    } else {
      few.load_extent(array::in_extent(graph.pool, entry.extent(), 1), entry.degree);
    }
  }
};

}  // namespace mangrove::detail
