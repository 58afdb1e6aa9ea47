#pragma once

#include <utility>

#include "mangrove/core/backend.hpp"

namespace mangrove {

/// Names phase P of a body for `for_each_tile_in_phases`.
template <int P>
struct phase {
  static constexpr int number = P;
};

/// A body of several phases says how many by a member `phases`; it is called as `body(phase<P>(), tile, i, scratch)`.
template <class Body>
concept phased_body = requires {
  requires Body::phases >
  1;
};

namespace detail {

/// Calls `f(phase<P>())` for each phase of a body, in order.
template <class Body, class F>
MANGROVE_HOST_DEVICE void run_phases(F f) {
  [&]<int... P>(std::integer_sequence<int, P...>) {
    (f(phase<P>()), ...);
  }
  (std::make_integer_sequence<int, Body::phases>());
}

}  // namespace detail

}  // namespace mangrove
