#pragma once

#include <cstddef>
#include <cstdint>

#include "apply_stretch.hpp"
#include "gathered_runs.hpp"
#include "run_apply.hpp"
#include "vertex_making.hpp"

namespace mangrove::detail {

/// Body: applies the runs of a stretch, by one thread of the CPU, and makes the vertices exist that a share of the
/// batch's inserts name.
template <class Bits>
struct apply_gathered {
  using sums_type = run_counts::totals;

  apply_to_table<Bits> tables;
  apply_to_array<Bits> arrays;
  apply_to_entry<Bits> entries;
  create_named create;
  std::size_t named;  ///< updates that may name vertices which do not exist
  gathered_runs gathered;

  template <class Tile>
  sums_type operator()(const Tile& tile, std::size_t i) const {
    const gathered_runs::sizes& sizes = gathered.of_stretch[i];
    const vertex_run* const first = gathered.runs + i * gathered_runs::stretch;
    const vertex_run* const second = first + sizes[0];
    sums_type sums;
    gift_list gifts;
    static_assert(kind_order<adjacency_kind::array, adjacency_kind::hash, adjacency_kind::inlined>);
    apply_some(tile, arrays, first, sizes[0], gifts, sums);
    apply_some(tile, tables, second, sizes[1], gifts, sums);
    apply_some(tile, entries, second + sizes[1], sizes[2], gifts, sums);
    gifts.give(entries.pool, entries.status->returned);
    const std::size_t last = named * (i + 1) / gathered.stretches;
    for (std::size_t at = named * i / gathered.stretches; at < last; ++at) create(tile, at);
    return sums;
  }

  void book(const sums_type& all) const { entries.book(all); }

 private:
  /// Whether these are the first kinds.
  template <adjacency_kind... Kinds>
  static constexpr bool kind_order = [] {
    std::uint32_t k = 0;
    return ((static_cast<std::uint32_t>(Kinds) == k++) && ...) && k == run_kinds;
  }();

  template <class Tile, class Body>
  static void apply_some(const Tile& tile, const Body& body, const vertex_run* runs, std::size_t count,
                         gift_list& gifts, sums_type& sums) {
    Body own = body;
    own.runs = runs;
    own.gifts = &gifts;
    apply_runs(own, tile, 0, count, sums);
  }
};

}  // namespace mangrove::detail
