#pragma once

#include "array_neighbors.hpp"
#include "run_changes.hpp"

/// @file
/// Applying runs: a body for each kind of adjacency.

namespace mangrove::detail {

/// Body, for one lane: applies a run to neighbours that are, and stay, in the dictionary entry.
template <class Bits>
struct apply_to_entry : run_changes<Bits> {
  static constexpr int prefetch_stages = 1;
  using base = run_changes<Bits>;
  using base::counts, base::graph, base::runs, base::status;
  using typename base::array;

  template <int Stage>
  void prefetch(std::size_t i) const {
    mangrove::prefetch(graph.entries + runs[i].vertex);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->go()) return;
    const vertex_run run = runs[i];
    vertex_entry entry = graph.entries[run.vertex];
    run_counts made{};
    tile_neighbors<Tile, Bits, entry_layout<Bits>::inline_capacity> neighbors(tile);
    neighbors.load(array::inlined(&entry), entry.degree);
    base::change_all(neighbors, run, made);
    neighbors.store(array::inlined(&entry), 0);
    entry.degree = neighbors.size();
    graph.entries[run.vertex] = entry;
    counts[i] = made;
  }
};

/// Body: applies a run to a sorted array, which may have to move on the way. Has the vertex to itself.
template <class Bits>
struct apply_to_array : run_changes<Bits> {
  static constexpr int prefetch_stages = 2;
  using base = run_changes<Bits>;
  using base::counts, base::graph, base::plans, base::pool, base::runs, base::status, base::targets;
  using typename base::array, typename base::layout;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(runs[i].vertex, targets[runs[i].first]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->go()) return;
    const vertex_run run = runs[i];
    const bool moves = run.plan != vertex_run::in_place;
    vertex_entry* const at = graph.entries + run.vertex;
    const vertex_entry old = *at;
    const vertex_entry entry = moves ? plans[run.plan].moved(pool) : old;
    const bool had_table = layout::kind(old) == adjacency_kind::hash;  // its neighbours have been moved before
    run_counts made{};
    held_neighbors<Tile, Bits> neighbors(tile);
    neighbors.load(had_table ? base::in_extent(entry) : array::of(graph.pool, at), old.degree);
    const std::uint32_t changed = base::change_all(neighbors, run, made);
    tile.sync();  // what was read stays until all lanes have it
    const bool shrinks = neighbors.size() <= layout::inline_capacity;
    if (shrinks) {
      neighbors.store(array::inlined(at), 0);
    } else {
      neighbors.store(base::in_extent(entry), moves && !had_table ? 0 : changed);
    }
    if (tile.lane() != 0) return;
    counts[i] = made;
    at->degree = neighbors.size();
    if (shrinks) {
      base::give(entry);
    } else if (moves) {
      *at = vertex_entry::make(neighbors.size(), adjacency_kind::array, entry.extent(), entry.granules());
    }
    if (moves && layout::kind(old) != adjacency_kind::inlined) base::give(old);
  }
};

/// Body: applies a run to a hash table, which has been moved before if it had to. Has the vertex to itself.
template <class Bits>
struct apply_to_table : run_changes<Bits> {
  static constexpr int prefetch_stages = 2;
  using base = run_changes<Bits>;
  using base::counts, base::graph, base::plans, base::pool, base::runs, base::status, base::targets;
  using typename base::array, typename base::layout, typename base::table;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(runs[i].vertex, targets[runs[i].first]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->go()) return;
    const vertex_run run = runs[i];
    const bool moves = run.plan != vertex_run::in_place;
    vertex_entry* const at = graph.entries + run.vertex;
    const vertex_entry old = *at;
    vertex_entry entry = moves ? plans[run.plan].moved(pool) : old;
    const table in = graph.table_of(entry);
    run_counts made{};
    for (std::uint32_t k = 0; k < run.count; ++k) {
      change(tile, in, run.vertex, run.first + k, entry, made);
      tile.sync();
    }
    entry.degree = old.degree + made.inserted - made.erased;
    if (entry.degree <= layout::inline_capacity) {
      base::shrink_into_entry(tile, in, entry, at);
    } else if (tile.lane() == 0) {
      *at = entry;
    }
    if (tile.lane() != 0) return;
    counts[i] = made;
    if (moves && layout::kind(old) != adjacency_kind::inlined) base::give(old);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void change(const Tile& tile, const table& in, std::uint32_t u, std::uint32_t at,
                                   vertex_entry& entry, run_counts& made) const {
    const std::uint32_t v = targets[at];
    const auto place = in.probe(tile, v);
    if (!base::inserts(at)) {
      if (!place.found) return;
      entry.words[2] += in.erase_at(tile, place.found) ? 1 : 0;
      base::tally(made.erased, made.loops_erased, u == v);
      return;
    }
    const auto slot = place.found ? place.found : place.vacant;
    if (place.found) {
      base::tally(made.overwritten, made.loops_overwritten, u == v);
    } else {
      base::tally(made.inserted, made.loops_inserted, u == v);
      entry.words[2] -= slot.reused_tombstone ? 1 : 0;
    }
    if (tile.lane() != 0) return;
    if (!place.found) in.keys(slot.bucket)[slot.slot] = v;
    if constexpr (!is_none<Bits>) in.values(slot.bucket)[slot.slot] = base::weight_of(at);
  }
};

}  // namespace mangrove::detail
