#pragma once

#include <cstddef>
#include <span>

#include "apply_stretch.hpp"
#include "apply_to_array.hpp"
#include "apply_to_entry.hpp"
#include "apply_to_table.hpp"
#include "gathered_runs.hpp"
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
    sums_type sums;
    gift_list gifts;
    apply_some(tile, tables, gathered.of(i, adjacency_kind::hash), gifts, sums);
    apply_some(tile, arrays, gathered.of(i, adjacency_kind::array), gifts, sums);
    apply_some(tile, entries, gathered.of(i, adjacency_kind::inlined), gifts, sums);
    gifts.give(entries.pool, entries.status->returned);
    const std::size_t last = named * (i + 1) / gathered.stretches;
    for (std::size_t at = named * i / gathered.stretches; at < last; ++at) create(tile, at);
    return sums;
  }

  void book(const sums_type& all) const { entries.book(all); }

 private:
  static_assert(gathered_runs::stretch <= gift_list::stretch);

  template <class Tile, class Body>
  static void apply_some(const Tile& tile, const Body& body, std::span<const vertex_run> runs, gift_list& gifts,
                         sums_type& sums) {
    Body own = body;
    own.runs = runs.data();
    own.gifts = &gifts;
    apply_runs(own, tile, 0, runs.size(), sums);
  }
};

}  // namespace mangrove::detail
