#pragma once

#include <bit>
#include <cstddef>

#include "mangrove/adjacency/detail/value_bits.hpp"
#include "mangrove/adjacency/key_order.hpp"
#include "mangrove/core/none.hpp"

namespace mangrove {

/// A key and what belongs to it.
template <class Key, class Value>
struct tree_entry {
  Key key;
  Value value;
};

namespace detail {

/// Between the keys and values of an ordered container and the bits that they are kept in.
template <class Key, class Value>
struct ordered_typed {
  using bits = key_bits<Key>;

  MANGROVE_HOST_DEVICE static constexpr bits encode(Key key) { return codec_here().encode(std::bit_cast<bits>(key)); }
  MANGROVE_HOST_DEVICE static constexpr Key decode(bits ordered) {
    return std::bit_cast<Key>(codec_here().decode(ordered));
  }
  MANGROVE_HOST_DEVICE static constexpr bool refuses(Key key) { return codec_here().refuses(std::bit_cast<bits>(key)); }
  MANGROVE_HOST_DEVICE static Value value(const void* values, std::size_t i) {
    return from_bits<Value>(load_bits<value_bits<Value>>(values, i));
  }

 private:
  MANGROVE_HOST_DEVICE static constexpr key_codec<bits> codec_here() { return {key_order_of<Key>}; }
};

}  // namespace detail
}  // namespace mangrove
