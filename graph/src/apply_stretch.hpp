#pragma once

#include <algorithm>
#include <cstddef>

#include "for_each_stretch.hpp"
#include "gift_list.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/resources.hpp"
#include "vertex_runs.hpp"

/// @file
/// For the CPU alone; instantiated where core/for_each.hpp is included.

namespace mangrove::detail {

/// What has to be fetched for a run: what its body asks for, and the extent that its vertex moves to, if it does.
/// Another thread may have written that last, and the plan for it.
template <class Body>
struct run_prefetch {
  static constexpr int prefetch_stages = Body::prefetch_stages;

  const Body& body;

  template <int Stage>
  void prefetch(std::size_t i) const {
    body.template prefetch<Stage>(i);
    const vertex_run& run = body.runs[i];
    if (!Body::may_move || run.plan == vertex_run::in_place) return;
    if constexpr (Stage == 0) {
      if (!run.has_array_plan()) mangrove::prefetch(body.plans + run.plan);
    } else {
      mangrove::prefetch(Body::layout::extent(body.graph.pool, body.next_of(run, vertex_entry{}).extent()));
    }
  }
};

/// Applies runs [first, last) of a body's list by one thread of the CPU. @param sums gets what they come to
template <class Body, class Tile>
void apply_runs(const Body& body, const Tile& tile, std::size_t first, std::size_t last,
                typename Body::sums_type& sums) {
  run_staged(run_prefetch<Body>{body}, first, last, [&sums, &body, &tile](std::size_t at) {
    const vertex_run run = body.runs[at];
    body.apply(tile, run, body.graph.entries[run.vertex], body.targets[run.first]).add_to(sums);
  });
}

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
    for_each_stretch(res, count, calls, apply_stretch{body, count});
  }

  template <class Tile>
  sums_type operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * gift_list::stretch;
    gift_list gifts;
    Body own = body;
    own.gifts = &gifts;
    sums_type sums;
    apply_runs(own, tile, first, std::min(first + gift_list::stretch, count), sums);
    gifts.give(own.pool, own.status->returned);
    return sums;
  }

  void book(const sums_type& all) const { body.book(all); }
};

}  // namespace mangrove::detail
