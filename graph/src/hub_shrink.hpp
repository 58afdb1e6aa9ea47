#pragma once

#include "hub_apply.hpp"

/// @file
/// Hubs of which hardly anything is left move into their entries: the neighbours that are left are found piece by piece
/// of the table, so that the largest hub takes no longer than others.

namespace mangrove::detail {

/// Body: finds what is left in a piece of a hub's table.
template <class Bits>
struct find_left : run_changes<Bits> {
  using base = run_changes<Bits>;
  using base::graph;
  using typename base::table;

  hub* hubs;
  const table_task* pieces;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    hub& of = hubs[pieces[i].plan];
    const vertex_entry entry = graph.entries[of.vertex];
    if (entry.degree == 0) return;
    const table in = graph.table_of(entry);
    for (std::uint32_t bucket = pieces[i].piece; bucket < in.buckets(); bucket += of.pieces) {
      in.for_each_in(tile, bucket, [&](std::uint32_t, auto at) {
        of.positions[fetch_add(&of.left, 1U)] = at.bucket * table::slots + at.slot;
      });
    }
  }
};

/// Body, for one lane: moves what is left into the entry.
template <class Bits>
struct shrink_hub : run_changes<Bits> {
  using base = run_changes<Bits>;
  using base::graph;
  using typename base::array, typename base::layout, typename base::table;

  const hub* hubs;
  const table_task* pieces;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (pieces[i].piece != 0) return;
    const hub& of = hubs[pieces[i].plan];
    vertex_entry* const at = graph.entries + of.vertex;
    const vertex_entry entry = *at;
    const table in = graph.table_of(entry);
    lane_neighbors<Bits, layout::inline_capacity> left;
    for (std::uint32_t k = 0; k < of.left; ++k) {
      const std::uint32_t bucket = of.positions[k] / table::slots;
      const std::uint32_t slot = of.positions[k] % table::slots;
      const std::uint32_t v = in.keys(bucket)[slot];
      left.put(v, base::value_of(in, bucket, slot));
    }
    left.store(array::inlined(at));
    at->degree = left.size();
    base::give(entry);
  }
};

}  // namespace mangrove::detail
