#pragma once

#include "run_plan.hpp"
#include "tile_neighbors.hpp"

namespace mangrove::detail {

/// What a run came to: directed edges by outcome, and how many of them are self loops. At most 32 of each.
struct run_counts {
  std::uint8_t inserted, overwritten, erased;
  std::uint8_t loops_inserted, loops_overwritten, loops_erased;
  std::uint8_t unused[2];
};

/// What the bodies that apply runs have in common.
template <class Bits>
struct run_changes {
  using layout = entry_layout<Bits>;
  using table = typename layout::table;
  using array = neighbor_array<Bits>;
  static constexpr std::uint32_t unchanged = ~std::uint32_t{0};

  adjacency_view<Bits> graph;
  pool_ref pool;
  indexed_updates batch;
  const Bits* weights;             ///< the batch's; null for zeros
  const std::uint32_t* targets;    ///< of the runs' updates
  const std::uint32_t* sequences;  ///< null: all updates are of one kind, and there are no weights
  const run_plan* plans;
  batch_status* status;
  const vertex_run* runs;  ///< of the kind that the body applies
  run_counts* counts;      ///< by run

  [[nodiscard]] MANGROVE_HOST_DEVICE bool inserts(std::uint32_t at) const {
    const update_kind kind = sequences == nullptr ? batch.kind : batch.kind_of(sequences[at]);
    return kind == update_kind::insert;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE Bits weight_of(std::uint32_t at) const {
    if constexpr (is_none<Bits>) {
      return {};
    } else {
      return weights == nullptr ? Bits{} : weights[sequences[at]];
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE array in_extent(const vertex_entry& entry) const {
    return array::in_extent(graph.pool, entry.extent(), entry.granules());
  }

  MANGROVE_HOST_DEVICE void give(const vertex_entry& extent) const {
    const std::uint32_t size_class = size_class_of(extent.granules());
    pool.give(size_class, count_up(&status->returned[size_class]), extent.extent());
  }

  MANGROVE_HOST_DEVICE static void tally(std::uint8_t& all, std::uint8_t& loops, bool is_loop) {
    ++all;
    loops = static_cast<std::uint8_t>(loops + (is_loop ? 1 : 0));
  }

  /// Brings the few neighbours that are left in a table into the entry, and gives the table back.
  template <class Tile>
  MANGROVE_HOST_DEVICE void shrink_into_entry(const Tile& tile, const table& in, const vertex_entry& entry,
                                              vertex_entry* to) const {
    tile_neighbors<Tile, Bits, layout::inline_capacity> left(tile);
    for (std::uint32_t bucket = 0; bucket < in.buckets(); ++bucket) {
      std::uint32_t mask = in.template match_keys<access::plain>(
          tile, bucket, [](std::uint32_t key) { return slot_mark<std::uint32_t>::storable(key); });
      for (; mask != 0; mask &= mask - 1) {
        const std::uint32_t slot = table::first_bit(mask);
        const std::uint32_t v = in.keys(bucket)[slot];
        left.insert(left.find(v).number, v, value_of(in, bucket, slot));
      }
    }
    left.store(array::inlined(to), 0);
    if (tile.lane() != 0) return;
    to->degree = left.size();
    give(entry);
  }

  /// Applies the updates of a run to sorted neighbours. @return the number of the first one that is another now
  template <class Neighbors>
  MANGROVE_HOST_DEVICE std::uint32_t change_all(Neighbors& neighbors, const vertex_run& run, run_counts& made) const {
    std::uint32_t changed = unchanged;
    for (std::uint32_t k = 0; k < run.count; ++k) {
      const std::uint32_t at = change(neighbors, run.vertex, run.first + k, made);
      changed = at < changed ? at : changed;
    }
    return changed;
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE static Bits value_of(const table& in, std::uint32_t bucket, std::uint32_t slot) {
    if constexpr (is_none<Bits>) {
      return {};
    } else {
      return in.values(bucket)[slot];
    }
  }

  template <class Neighbors>
  MANGROVE_HOST_DEVICE std::uint32_t change(Neighbors& neighbors, std::uint32_t u, std::uint32_t at,
                                            run_counts& made) const {
    const std::uint32_t v = targets[at];
    const auto [number, present] = neighbors.find(v);
    if (!inserts(at)) {
      if (!present) return unchanged;
      neighbors.erase(number);
      tally(made.erased, made.loops_erased, u == v);
    } else if (present) {
      neighbors.overwrite(number, weight_of(at));
      tally(made.overwritten, made.loops_overwritten, u == v);
      return is_none<Bits> ? unchanged : number;
    } else {
      neighbors.insert(number, v, weight_of(at));
      tally(made.inserted, made.loops_inserted, u == v);
    }
    return number;
  }
};

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
    tile_neighbors<Tile, Bits> neighbors(tile);
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

/// Body: adds up what a stretch of runs came to.
struct sum_runs {
  static constexpr std::uint32_t stretch = 512;

  const run_counts* counts[run_kinds];
  std::size_t stretches;  ///< of each kind, at most
  edge_direction direction;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->go()) return;
    const std::size_t kind = i / stretches;
    const auto first = static_cast<std::uint32_t>(i % stretches) * stretch;
    if (first >= status->listed[kind].value) return;
    const std::uint32_t left = status->listed[kind].value - first;
    std::uint32_t all[3] = {};
    std::uint32_t loops[3] = {};
    tile.strided(left < stretch ? left : stretch, [&](std::size_t k) {
      const run_counts& run = counts[kind][first + k];
      all[0] += run.inserted;
      all[1] += run.overwritten;
      all[2] += run.erased;
      loops[0] += run.loops_inserted;
      loops[1] += run.loops_overwritten;
      loops[2] += run.loops_erased;
    });
    add(tile, edge_outcome::insert, all[0], loops[0]);
    add(tile, edge_outcome::overwrite, all[1], loops[1]);
    add(tile, edge_outcome::erase, all[2], loops[2]);
  }

 private:
  /// An undirected edge has come in both directions, a loop in one.
  template <class Tile>
  MANGROVE_HOST_DEVICE void add(const Tile& tile, edge_outcome outcome, std::uint32_t all, std::uint32_t loops) const {
    count_outcomes::add(tile, &status->outcomes.directed[static_cast<int>(outcome)], all);
    const std::uint32_t twice = direction == edge_direction::directed ? 2 * all : all + loops;
    count_outcomes::add(tile, &status->outcomes.edges[static_cast<int>(outcome)], twice);
  }
};

/// Body: makes the vertices exist that an insert names.
struct create_vertices {
  indexed_updates batch;
  self_loops loops;
  std::uint32_t* present;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (!status->go() || batch.kind_of(i) != update_kind::insert) return;
    const std::uint32_t u = batch.sources[i];
    const std::uint32_t v = batch.targets[i];
    if (u == v && loops == self_loops::drop) return;
    create(u);
    create(v);
  }

  MANGROVE_HOST_DEVICE void create(std::uint32_t index) const {
    std::uint32_t* const word = present + index / 32;
    const std::uint32_t bit = std::uint32_t{1} << (index % 32);
    if ((load_relaxed(word) & bit) == 0 && (fetch_or(word, bit) & bit) == 0) count_up(&status->vertices_created);
  }
};

}  // namespace mangrove::detail
