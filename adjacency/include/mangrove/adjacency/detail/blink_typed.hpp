#pragma once

#include "mangrove/adjacency/detail/blink_nodes.hpp"
#include "mangrove/adjacency/detail/ordered_typed.hpp"

namespace mangrove::detail {

/// Between a tree's keys and values and the bits that they are kept in.
template <class Key, class Value>
struct blink_typed : ordered_typed<Key, Value> {
  using bits = key_bits<Key>;

  MANGROVE_HOST_DEVICE static Value value(const blink_nodes<bits>& nodes, node_index leaf, std::uint32_t slot) {
    return ordered_typed<Key, Value>::value(nodes.values_of(leaf), slot);
  }
};

}  // namespace mangrove::detail
