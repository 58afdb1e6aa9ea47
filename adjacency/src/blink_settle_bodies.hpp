#pragma once

#include "mangrove/adjacency/detail/blink_nodes.hpp"

/// @file
/// Steps of bringing a tree to rest after tiles have changed it: the order of leaves from the inner nodes.

namespace mangrove::detail {

/// Body, once per inner node of a level: how many children it has.
template <class Key>
struct count_children {
  blink_nodes<Key> nodes;
  const node_index* of;
  std::uint32_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    counts[i] = node_state::count(nodes.inner_states[of[i]]);
  }
};

/// Body, once per inner node of a level: writes its children.
template <class Key>
struct list_children {
  blink_nodes<Key> nodes;
  const node_index* of;
  const std::uint32_t* before;
  node_index* children;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const node_index* const from = nodes.children_of(of[i]);
    tile.strided(before[i + 1] - before[i], [&](std::size_t slot) { children[before[i] + slot] = from[slot]; });
  }
};

/// Body, once per leaf: whether it holds keys.
struct mark_filled {
  const std::uint64_t* counts;
  std::uint32_t* filled;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    filled[i] = counts[i] != 0 ? 1 : 0;
  }
};

}  // namespace mangrove::detail
