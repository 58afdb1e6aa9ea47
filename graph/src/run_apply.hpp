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

/// Body: applies a vertex's run to its neighbours, which are where they will be unless they are a small array on the
/// move. Has the vertex to itself.
template <class Bits>
struct apply_run {
  static constexpr int prefetch_stages = 2;
  using layout = entry_layout<Bits>;
  using table = typename layout::table;
  using array = neighbor_array<Bits>;

  adjacency_view<Bits> graph;
  pool_ref pool;
  indexed_updates batch;
  const Bits* weights;  ///< the batch's; null for zeros
  const vertex_run* runs;
  const std::uint32_t* targets;
  const std::uint32_t* sequences;  ///< null: all updates are of one kind, and there are no weights
  const run_plan* plans;
  run_counts* counts;
  batch_status* status;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(runs[i].vertex, targets[runs[i].first]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (status->go == 0) return;
    const vertex_run run = runs[i];
    const bool moves = run.plan != vertex_run::in_place;
    const vertex_entry old = graph.entries[run.vertex];
    const vertex_entry entry = moves ? plans[run.plan].moved(pool) : old;
    const adjacency_kind kind = moves ? plans[run.plan].kind : layout::kind(old);
    run_counts made{};
    if (kind == adjacency_kind::hash) {
      apply_to_table(tile, run, old, entry, made);
    } else {
      apply_to_array(tile, run, old, entry, kind, made);
    }
    if (tile.lane() == 0) counts[i] = made;
    const bool had_extent = layout::kind(old) != adjacency_kind::inlined;
    if (moves && had_extent && tile.lane() == 0) give(old);
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE bool inserts(std::uint32_t at) const {
    const update_kind kind = sequences == nullptr ? batch.kind : batch.kind_of(sequences[at]);
    return kind == update_kind::insert;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE Bits weight_of(std::uint32_t at) const {
    return weights == nullptr ? Bits{} : weights[sequences[at]];
  }

  MANGROVE_HOST_DEVICE void give(const vertex_entry& extent) const {
    const std::uint32_t size_class = size_class_of(extent.granules());
    pool.give(size_class, count_up(&status->returned[size_class]), extent.extent());
  }

  MANGROVE_HOST_DEVICE static void tally(std::uint8_t& all, std::uint8_t& loops, bool is_loop) {
    ++all;
    loops = static_cast<std::uint8_t>(loops + (is_loop ? 1 : 0));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void apply_to_array(const Tile& tile, const vertex_run& run, const vertex_entry& old,
                                           const vertex_entry& entry, adjacency_kind kind, run_counts& made) const {
    vertex_entry* const in_place = graph.entries + run.vertex;
    const bool moved_before = layout::kind(old) == adjacency_kind::hash;  // with its neighbours, in a launch before
    tile_neighbors<Tile, Bits> neighbors(tile);
    neighbors.load(moved_before ? in_extent(entry) : array::of(graph.pool, in_place), old.degree);
    std::uint32_t changed = ~std::uint32_t{0};
    for (std::uint32_t k = 0; k < run.count; ++k) {
      const std::uint32_t at = change(neighbors, run.vertex, run.first + k, made);
      changed = at < changed ? at : changed;
    }
    tile.sync();  // what was read stays until all lanes have it
    if (neighbors.size() <= layout::inline_capacity) {
      neighbors.store(array::inlined(in_place), 0);
      if (tile.lane() != 0) return;
      in_place->degree = neighbors.size();
      if (kind != adjacency_kind::inlined) give(entry);
      return;
    }
    const bool same_extent = run.plan == vertex_run::in_place;
    neighbors.store(in_extent(entry), same_extent || moved_before ? changed : 0);
    publish(tile, in_place, entry, neighbors.size(), 0);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE array in_extent(const vertex_entry& entry) const {
    return array::in_extent(graph.pool, entry.extent(), entry.granules());
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE static void publish(const Tile& tile, vertex_entry* to, vertex_entry entry, std::uint32_t degree,
                                           std::uint32_t tombstones) {
    entry.degree = degree;
    entry.words[2] = tombstones;
    if (tile.lane() == 0) *to = entry;
  }

  /// Applies one update. @return the number of the first neighbour that is another now
  template <class Neighbors>
  MANGROVE_HOST_DEVICE std::uint32_t change(Neighbors& neighbors, std::uint32_t u, std::uint32_t at,
                                            run_counts& made) const {
    const std::uint32_t v = targets[at];
    const std::uint32_t number = count_bits(neighbors.below(v));
    const bool present = neighbors.holds(v);
    if (!inserts(at)) {
      if (!present) return ~std::uint32_t{0};
      neighbors.erase(number);
      tally(made.erased, made.loops_erased, u == v);
    } else if (present) {
      if constexpr (!is_none<Bits>) neighbors.overwrite(number, weight_of(at));
      tally(made.overwritten, made.loops_overwritten, u == v);
      if constexpr (is_none<Bits>) return ~std::uint32_t{0};
    } else {
      neighbors.insert(number, v, weight_at(at));
      tally(made.inserted, made.loops_inserted, u == v);
    }
    return number;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE Bits weight_at(std::uint32_t at) const {
    if constexpr (is_none<Bits>) {
      return {};
    } else {
      return weight_of(at);
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void apply_to_table(const Tile& tile, const vertex_run& run, const vertex_entry& old,
                                           const vertex_entry& entry, run_counts& made) const {
    const table in = graph.table_of(entry);
    std::uint32_t tombstones = entry.tombstones();
    for (std::uint32_t k = 0; k < run.count; ++k) {
      change(tile, in, run.vertex, run.first + k, tombstones, made);
      tile.sync();
    }
    const std::uint32_t degree = old.degree + made.inserted - made.erased;
    vertex_entry* const to = graph.entries + run.vertex;
    if (degree > layout::inline_capacity) {
      publish(tile, to, entry, degree, tombstones);
    } else {
      shrink_into_entry(tile, in, entry, to);
    }
  }

  /// Applies one update to a table.
  template <class Tile>
  MANGROVE_HOST_DEVICE void change(const Tile& tile, const table& in, std::uint32_t u, std::uint32_t at,
                                   std::uint32_t& tombstones, run_counts& made) const {
    const std::uint32_t v = targets[at];
    const auto place = in.probe(tile, v);
    if (!inserts(at)) {
      if (!place.found) return;
      tombstones += in.erase_at(tile, place.found) ? 1 : 0;
      tally(made.erased, made.loops_erased, u == v);
      return;
    }
    const auto slot = place.found ? place.found : place.vacant;
    if (place.found) {
      tally(made.overwritten, made.loops_overwritten, u == v);
    } else {
      tally(made.inserted, made.loops_inserted, u == v);
      tombstones -= slot.reused_tombstone ? 1 : 0;
    }
    if (tile.lane() != 0) return;
    if (!place.found) in.keys(slot.bucket)[slot.slot] = v;
    if constexpr (!is_none<Bits>) in.values(slot.bucket)[slot.slot] = weight_of(at);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void shrink_into_entry(const Tile& tile, const table& in, const vertex_entry& entry,
                                              vertex_entry* to) const {
    tile_neighbors<Tile, Bits> left(tile);
    for (std::uint32_t bucket = 0; bucket < in.buckets(); ++bucket) {
      std::uint32_t mask = in.template match_keys<access::plain>(
          tile, bucket, [](std::uint32_t key) { return slot_mark<std::uint32_t>::storable(key); });
      for (; mask != 0; mask &= mask - 1) {
        const std::uint32_t slot = table::first_bit(mask);
        const std::uint32_t v = in.keys(bucket)[slot];
        left.insert(count_bits(left.below(v)), v, value_of(in, bucket, slot));
      }
    }
    left.store(array::inlined(to), 0);
    if (tile.lane() != 0) return;
    to->degree = left.size();
    give(entry);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static Bits value_of(const table& in, std::uint32_t bucket, std::uint32_t slot) {
    if constexpr (is_none<Bits>) {
      return {};
    } else {
      return in.values(bucket)[slot];
    }
  }
};

/// Body: adds up what a stretch of runs came to.
struct sum_runs {
  static constexpr std::uint32_t stretch = 512;

  const run_counts* counts;
  edge_direction direction;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (status->go == 0) return;
    const auto first = static_cast<std::uint32_t>(i) * stretch;
    if (first >= status->runs) return;
    const std::uint32_t left = status->runs - first;
    std::uint32_t all[3] = {};
    std::uint32_t loops[3] = {};
    tile.strided(left < stretch ? left : stretch, [&](std::size_t k) {
      const run_counts& run = counts[first + k];
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
    if (status->go == 0 || status->creates == 0 || batch.kind_of(i) != update_kind::insert) return;
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
