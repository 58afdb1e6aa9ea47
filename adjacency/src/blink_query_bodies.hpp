#pragma once

#include "mangrove/adjacency/detail/blink_view.hpp"
#include "ordered_range_bodies.hpp"

namespace mangrove::detail {

/// Body, once per leaf in order: all its keys and values, from an offset of its own.
template <class Key>
struct retrieve_leaf {
  blink_view<Key> tree;
  const std::uint64_t* offsets;
  range_output<blink_view<Key>> output;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const node_index leaf = tree.order[i];
    output.write(tile, tree, offsets[i], {static_cast<std::uint32_t>(i), leaf, 0}, tree.nodes.count_of(leaf));
  }
};

}  // namespace mangrove::detail
