#pragma once

#include "mangrove/core/atomic.hpp"
#include "ordered_support.hpp"

namespace mangrove::test {

/// Asks a container that nobody changes for all that a view offers; `errors` counts what differs from what bulk
/// operations said.
template <class Types>
struct check_view {
  using key_type = typename Types::key;
  using value_type = typename Types::value;
  typename Types::container::view_type view;
  const key_type* keys;  ///< all of its keys, ascending
  std::size_t count;
  std::uint32_t* errors;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const key_type key = keys[i];
    const std::size_t last = i + 50 < count ? i + 50 : count - 1;
    std::uint32_t wrong = 0;
    const auto found = view.find(tile, key);
    if (!found || !value_fits(key, *found) || !view.contains(tile, key)) ++wrong;
    const auto next = view.successor(tile, key);
    if (static_cast<bool>(next) != (i + 1 < count) || (next && !((*next).key == keys[i + 1]))) ++wrong;
    const auto before = view.predecessor(tile, key);
    if (static_cast<bool>(before) != (i > 0) || (before && !((*before).key == keys[i - 1]))) ++wrong;
    if (view.count(tile, key, keys[last]) != last - i + 1) ++wrong;
    if (tile.lane() != 0) wrong = 0;
    const std::uint64_t met =
        view.range(tile, key, keys[last], 30, [&](std::uint64_t n, key_type at, value_type value) {
          if (n >= 30 || !(at == keys[i + n]) || !value_fits(at, value)) ++wrong;
        });
    if (tile.lane() == 0 && met != (last - i + 1 < 30 ? last - i + 1 : 30)) ++wrong;
    if (wrong != 0) fetch_add(errors, wrong);
  }
};

/// Adds up what walks over all keys visit: by the view's parts, a tile each.
template <class Types>
struct visit_view {
  typename Types::container::view_type view;
  std::uint64_t* counters;  ///< keys, then keys with foreign values

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t part) const {
    std::uint64_t* const to = counters;
    view.for_each_in(tile, part, [to](typename Types::key key, typename Types::value value) {
      fetch_add(to + (value_fits(key, value) ? 0 : 1), std::uint64_t{1});
    });
  }
};

}  // namespace mangrove::test
