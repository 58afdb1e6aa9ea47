#pragma once

#include <string>
#include <vector>

#include "mangrove/adjacency/detail/blink_root.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"

/// @file
/// Checks all that must hold of a B-link tree's nodes, on copies in host memory.

namespace mangrove::detail {

/// A tree's nodes in host memory.
template <class Key>
struct blink_image {
  std::vector<Key> leaf_keys, inner_keys;
  std::vector<leaf_head<Key>> heads;
  std::vector<node_index> children;
  std::vector<std::uint32_t> inner_states;
  std::vector<node_index> order;  ///< leaves as the owner knows them; empty when tiles may have changed the tree
  std::vector<node_index> freed;
  std::uint64_t top;
  node_index leaf_end;  ///< leaves handed out
  std::uint64_t size;   ///< keys, as the owner knows them at rest
};

/// @return what is wrong, the first thing met; empty when all is well
template <class Key>
std::string check_image(const blink_image<Key>& image);

}  // namespace mangrove::detail
