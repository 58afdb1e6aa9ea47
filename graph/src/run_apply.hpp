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
    base::change_all(tile, neighbors, run, made);
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
    if (layout::kind(old) == adjacency_kind::inlined) {
      neighbors.load(array::inlined(at), old.degree);
    } else {
      neighbors.load_extent(base::in_extent(had_table ? entry : old), old.degree);
    }
    const std::uint32_t changed = base::change_all(tile, neighbors, run, made);
    tile.sync();  // what was read stays until all lanes have it
    const bool shrinks = neighbors.size() <= layout::inline_capacity;
    if (shrinks) {
      neighbors.store(array::inlined(at), 0);
    } else {
      neighbors.store_extent(base::in_extent(entry), moves && !had_table ? 0 : changed);
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
    share own{};
    for (std::uint32_t k = tile.lane(); k - tile.lane() < run.count; k += Tile::lanes) {
      change(tile, in, run, k, own);
    }
    const run_counts made = own.made.sum(tile);
    entry.degree = old.degree + made.of(edge_outcome::insert) - made.of(edge_outcome::erase);
    entry.words[2] += tile.sum(own.tombstones);
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
  /// What a lane's updates came to.
  struct share {
    run_counts made;
    std::uint32_t tombstones;  ///< left, less those reused; modulo 2^32
  };

  /// Each lane does update k of its own; erases before inserts, since a table takes one or the other at a time.
  template <class Tile>
  MANGROVE_HOST_DEVICE void change(const Tile& tile, const table& in, const vertex_run& run, std::uint32_t k,
                                   share& own) const {
    const auto lane = tile.solo();
    const bool mine = k < run.count;
    const std::uint32_t at = run.first + k;
    const std::uint32_t v = mine ? targets[at] : 0;
    const bool inserts = mine && base::inserts(at);
    typename table::position place{};
    if (mine) place = in.template find<access::plain>(lane, v);  // the tile has the table to itself
    tile.sync();
    if (mine && !inserts && place) {
      own.tombstones += in.erase_at(lane, place) ? 1 : 0;
      own.made.add(edge_outcome::erase, run.vertex == v);
    }
    tile.sync();
    if (inserts) {
      own.made.add(place ? edge_outcome::overwrite : edge_outcome::insert, run.vertex == v);
      if (!place) {
        place = in.insert_absent(lane, v);
        own.tombstones -= place.reused_tombstone ? 1 : 0;
      }
      if constexpr (!is_none<Bits>) in.values(place.bucket)[place.slot] = base::weight_of(at);
    }
    tile.sync();
  }
};

}  // namespace mangrove::detail
