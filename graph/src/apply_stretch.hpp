#pragma once

#include <algorithm>
#include <cstddef>

#include "gift_list.hpp"
#include "mangrove/core/resources.hpp"

/// @file
/// For the CPU alone; instantiated where core/for_each.hpp is included.

namespace mangrove::detail {

/// Body: applies a stretch of runs by one thread of the CPU, with a body for one run, and then gives back what extents
/// they left.
template <class Body>
struct apply_stretch {
  using sums_type = typename Body::sums_type;

  Body body;
  std::size_t count;  ///< runs

  /// Applies runs of a kind, on all threads where there are many.
  static void to_all(const cpu_resources& res, std::size_t count, const Body& body) {
    const std::size_t calls = (count + gift_list::stretch - 1) / gift_list::stretch;
    if (count < parallel_from) {
      for_each_tile<1>(res, calls, apply_stretch{body, count});
    } else {
      for_each_task<1>(res, calls, apply_stretch{body, count});
    }
  }

  template <class Tile>
  sums_type operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * gift_list::stretch;
    gift_list gifts;
    Body own = body;
    own.gifts = &gifts;
    sums_type sums;
    run_staged(own, first, std::min(first + gift_list::stretch, count),
               [&sums, &own, &tile](std::size_t at) { sums += own(tile, at); });
    gifts.give(own.pool, own.status->returned);
    return sums;
  }

  void book(const sums_type& all) const { body.book(all); }

 private:
  static constexpr std::size_t parallel_from = 1024;  ///< runs from which threads share them
};

}  // namespace mangrove::detail
