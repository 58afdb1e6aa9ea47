#pragma once

#include "mangrove/core/none.hpp"

namespace mangrove::detail {

template <class Body>
struct walk_leftover_of {
  using type = none;
};
template <class Body>
requires requires {
  typename Body::leftover;
}
struct walk_leftover_of<Body> {
  using type = typename Body::leftover;
};

/// What a body leaves of a vertex that one lane walks, `none` if it leaves nothing.
template <class Body>
using walk_leftover = typename walk_leftover_of<Body>::type;

}  // namespace mangrove::detail
