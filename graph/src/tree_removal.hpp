#pragma once

#include <cstddef>
#include <cstdint>

#include "pack_neighbors.hpp"
#include "vertex_removal_marks.hpp"

/// @file
/// Trees lose erased vertices leaf by leaf, in place: a leaf may be left with few keys or none. The next batch that
/// touches a tree which has become sparse builds it anew.

namespace mangrove::detail {

/// What filtering a tree needs to know.
template <class Bits>
struct tree_filter {
  using leaves = tree_leaves<Bits>;

  const std::uint32_t* erased;  ///< bitmap by index
  pool_ref pool;
  removal_totals* totals;

  /// Takes erased vertices out of the leaves [first, last). @return how many there were, in every lane
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t erase_from(const Tile& tile, const leaves& tree, std::uint32_t first,
                                                std::uint32_t last) const {
    std::uint32_t lost = 0;
    for (std::uint32_t number = first; number < last; ++number) {
      const auto leaf = tree.leaf(number);
      const std::uint32_t goes = tile.template match<leaves::slots>(
          [&](int i) { return leaf.keys[i] != leaves::empty && marked(erased, leaf.keys[i]); });
      if (goes == 0) continue;
      const std::uint32_t size = leaves::size(tile, leaf.keys);
      pack_neighbors<Bits>(tile, leaf, ~goes, size);
      const std::uint32_t kept = size - count_bits(goes);
      tile.strided(size - kept, [&](std::size_t k) { leaf.keys[kept + k] = leaves::empty; });
      tile.sync();
      lost += count_bits(goes);
    }
    return lost;
  }

  /// Gives the leaves [first, last) back to the pool.
  template <class Tile>
  MANGROVE_HOST_DEVICE void give_leaves(const Tile& tile, const leaves& tree, std::uint32_t first,
                                        std::uint32_t last) const {
    constexpr std::uint32_t leaf_class = size_class_of(granules_per_slab);
    tile.strided(last - first, [&](std::size_t k) {
      pool.give(leaf_class, count_up(&totals->given[leaf_class]), tree.directory().slabs()[first + k]);
    });
  }
};

}  // namespace mangrove::detail
