#pragma once

#include <cstdint>

#include "mangrove/graph/detail/adjacency_view.hpp"

namespace mangrove::test {

/// What may be wrong with a tree.
enum class tree_fault : std::uint32_t {
  none,
  key_out_of_order,
  key_outside_bounds,
  key_behind_gap,
  bounds_out_of_order,
  last_bound,
  degree,
  search,  ///< does not find a key, or not where it is
  search_beside
};

/// Checks everything that a reader of a tree relies on.
template <class Bits>
struct tree_checker {
  detail::tree_leaves<Bits> tree;
  std::uint32_t degree;

  /// The first fault found. For the tiles of both backends; the same result in every lane.
  template <class Tile>
  MANGROVE_HOST_DEVICE tree_fault run(const Tile& tile) const {
    constexpr std::uint32_t nothing = detail::tree_directory::no_bound;
    std::uint32_t keys = 0;
    std::uint32_t last = nothing;  // the key before
    for (std::uint32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
      const std::uint32_t above = leaf == 0 ? nothing : tree.directory().bounds()[leaf - 1];
      const std::uint32_t bound = tree.directory().bounds()[leaf];
      if (leaf != 0 && above >= bound) return tree_fault::bounds_out_of_order;
      const auto in = tree.leaf(leaf);
      bool ended = false;
      for (std::uint32_t k = 0; k < tree.slots; ++k) {
        const std::uint32_t v = in.keys[k];
        if (v == tree.empty) {
          ended = true;
          continue;
        }
        if (ended) return tree_fault::key_behind_gap;
        if (last != nothing && v <= last) return tree_fault::key_out_of_order;
        if (v > bound || (leaf != 0 && v <= above)) return tree_fault::key_outside_bounds;
        const auto at = tree.find(tile, v);
        if (at.leaf != leaf || at.slot != k) return tree_fault::search;
        if (v != 0 && last != v - 1 && tree.find(tile, v - 1).slot != detail::no_slot) return tree_fault::search_beside;
        last = v;
        ++keys;
      }
    }
    if (tree.directory().bounds()[tree.leaves() - 1] != nothing) return tree_fault::last_bound;
    return keys == degree ? tree_fault::none : tree_fault::degree;
  }
};

}  // namespace mangrove::test
