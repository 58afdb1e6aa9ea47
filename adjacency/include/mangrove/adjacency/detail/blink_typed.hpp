#pragma once

#include <bit>

#include "mangrove/adjacency/detail/blink_nodes.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"
#include "mangrove/core/none.hpp"

namespace mangrove {

/// A key and what belongs to it.
template <class Key, class Value>
struct tree_entry {
  Key key;
  Value value;
};

namespace detail {

/// Between a tree's keys and values and the bits that they are kept in.
template <class Key, class Value>
struct blink_typed {
  using bits = key_bits<Key>;

  MANGROVE_HOST_DEVICE static constexpr bits encode(Key key) { return codec_here().encode(std::bit_cast<bits>(key)); }
  MANGROVE_HOST_DEVICE static constexpr Key decode(bits ordered) {
    return std::bit_cast<Key>(codec_here().decode(ordered));
  }
  MANGROVE_HOST_DEVICE static constexpr bool refuses(Key key) { return codec_here().refuses(std::bit_cast<bits>(key)); }
  MANGROVE_HOST_DEVICE static Value value(const blink_nodes<bits>& nodes, node_index leaf, std::uint32_t slot) {
    return from_bits<Value>(load_bits<value_bits<Value>>(nodes.values_of(leaf), slot));
  }

 private:
  MANGROVE_HOST_DEVICE static constexpr key_codec<bits> codec_here() { return {key_order_of<Key>}; }
};

}  // namespace detail
}  // namespace mangrove
