#pragma once

#include "mangrove/adjacency/detail/blink_view.hpp"
#include "mangrove/adjacency/ordered_view.hpp"

namespace mangrove {

/// A B-link tree at rest, as tiles read it.
template <class Key, class Value>
using blink_tree_view = ordered_view<Key, Value, detail::blink_view<detail::key_bits<Key>>>;

}  // namespace mangrove
