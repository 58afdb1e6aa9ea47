#pragma once

#include "array_neighbors.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/prefetch.hpp"
#include "run_changes.hpp"

/// @file
/// Applying runs: a body for each kind of adjacency, for one lane that has the vertex to itself.

namespace mangrove::detail {

/// What these bodies have in common.
template <class Bits>
struct apply_run : run_changes<Bits> {
  using base = run_changes<Bits>;
  using base::runs, base::status;
  using sums_type = run_counts::totals;
  /// Lanes wait for memory most of the time; but those that hold weights as well would not have enough registers.
  static constexpr int blocks_at_once = is_none<Bits> ? 4 : 3;

  /// Asks for run i, which is there before it is known whether the batch may go.
  using asked_type = vertex_run;
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run ask(std::size_t i) const { return load_whole(runs + i); }

  /// Applies a run by the `apply` of a body.
  template <class Body, class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE static run_counts::totals apply_one(const Body& body, const Tile& tile,
                                                                         const vertex_run& run) {
    return body.apply(tile, run, body.graph.entries[run.vertex], body.targets[run.first]).as_totals();
  }

  /// Counts what runs came to.
  MANGROVE_HOST_DEVICE void book(const sums_type& all) const {
    unrolled<3>([&](int k) {
      if (all.of[k] != 0) fetch_add(&status->outcomes.edges[k + 1], all.of[k]);
      if (all.of[3 + k] != 0) fetch_add(&status->outcomes.loops[k + 1], all.of[3 + k]);
    });
  }
};

/// Body: applies a run to neighbours that are, and stay, in the dictionary entry.
template <class Bits>
struct apply_to_entry : apply_run<Bits> {
  static constexpr int prefetch_stages = 1;
  static constexpr bool may_move = false;
  using base = apply_run<Bits>;
  using base::graph, base::runs;
  using typename base::array;

  template <int Stage>
  void prefetch(std::size_t i) const {
    mangrove::prefetch(graph.entries + runs[i].vertex);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE run_counts::totals operator()(const Tile& tile, const vertex_run& run) const {
    return base::apply_one(*this, tile, run);
  }

  /// @param entry the vertex's, a copy @param first the target of the run's first update
  template <class Lane>
  MANGROVE_HOST_DEVICE run_counts apply(const Lane&, const vertex_run& run, vertex_entry entry,
                                        std::uint32_t first) const {
    run_counts made{};
    held_in_entry<Lane, Bits> neighbors;
    neighbors.load(array::inlined(&entry), entry.degree);
    base::change_all(neighbors, run, first, made);
    neighbors.store(array::inlined(&entry));
    entry.degree = neighbors.size();
    graph.entries[run.vertex] = entry;
    return made;
  }
};

/// Body: applies a run to a sorted array, which may have to move on the way.
template <class Bits>
struct apply_to_array : apply_run<Bits> {
  static constexpr int prefetch_stages = 2;
  static constexpr bool may_move = true;
  using base = apply_run<Bits>;
  using base::graph, base::runs, base::targets;
  using typename base::array, typename base::layout;

  template <int Stage>
  void prefetch(std::size_t i) const {
    const vertex_run& run = runs[i];
    if constexpr (Stage == 0) {
      mangrove::prefetch(graph.entries + run.vertex);
    } else {
      if (run.plan == vertex_run::in_place) return graph.prefetch_array(graph.entries[run.vertex]);
      graph.template prefetch<Stage>(run.vertex, targets[run.first]);
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE run_counts::totals operator()(const Tile& tile, const vertex_run& run) const {
    return base::apply_one(*this, tile, run);
  }

  /// Applies a run to its vertex's array. @param old the vertex's entry, a copy: it is written before all of that is
  /// read @param first the target of the run's first update
  template <class Lane>
  MANGROVE_HOST_DEVICE run_counts apply(const Lane& lane, const vertex_run& run, vertex_entry old,
                                        std::uint32_t first) const {
    const bool moves = run.plan != vertex_run::in_place;
    if constexpr (Lane::simd) {
      if (!moves) return change_in_place(lane, run, old, first);
      if (is_none<Bits> && run.count == 1 && layout::kind(old) == adjacency_kind::inlined) return leave_entry(run, old);
    }
    vertex_entry* const at = graph.entries + run.vertex;
    const vertex_entry entry = base::next_of(run, old);
    const bool had_table = layout::kind(old) == adjacency_kind::hash;  // its neighbours have been moved before
    run_counts made{};
    held_neighbors<Lane, Bits> neighbors;
    if (layout::kind(old) == adjacency_kind::inlined) {
      neighbors.load(array::inlined(at), old.degree);
    } else {
      neighbors.load_extent(base::in_extent(vertex_entry::either(had_table, entry, old)), old.degree);
    }
    if constexpr (Lane::simd) neighbors.move_to(base::in_extent(entry));
    const std::uint32_t changed = base::change_all(neighbors, run, first, made);
    const bool stays = run.has_array_plan() && layout::kind(old) == adjacency_kind::array &&
                       layout_policy<Bits>::array_suits(old.granules(), neighbors.size());  // after all
    const vertex_entry to = vertex_entry::either(stays, old, entry);
    const vertex_entry left = vertex_entry::either(stays, entry, old);
    if (neighbors.size() <= layout::inline_capacity) {
      shrink(neighbors, to, at);
    } else {
      if constexpr (Lane::simd) neighbors.move_to(base::in_extent(to));
      neighbors.store_extent(base::in_extent(to), moves && !had_table && !stays ? 0 : changed);
      *at = vertex_entry::make(neighbors.size(), adjacency_kind::array, to.extent(), to.granules());
    }
    if (moves && layout::kind(left) != adjacency_kind::inlined) base::give(left);
    return made;
  }

 private:
  /// Brings the few neighbours that are left into the entry, and gives the extent back.
  template <class Neighbors>
  MANGROVE_HOST_DEVICE void shrink(const Neighbors& left, const vertex_entry& extent, vertex_entry* to) const {
    vertex_entry shrunk{left.size(), {}};
    left.store(array::inlined(&shrunk));
    *to = shrunk;
    base::give(extent);
  }

  /// What `apply` does, without weights, where one neighbour more has no room in the entry, which is full then: nothing
  /// depends on how many there are.
  run_counts leave_entry(const vertex_run& run, const vertex_entry& old) const {
    const std::uint32_t v = targets[run.first];
    const vertex_entry next = base::next_of(run, old);
    vertex_entry* const at = graph.entries + run.vertex;
    few_keys<layout::inline_capacity> keys;
    keys.load(at->words, layout::inline_capacity);
    const bool was_there = keys.find(v).present;
    run_counts made{};
    made.add(was_there ? edge_outcome::overwrite : edge_outcome::insert, run.vertex == v);
    if (was_there) {
      base::give(next);
    } else {
      keys.store_with(v, base::in_extent(next).keys);
      *at = vertex_entry::make(layout::inline_capacity + 1, adjacency_kind::array, next.extent(), next.granules());
    }
    return made;
  }

  /// What `apply` does where the array stays, as most do: a thread of the CPU has much less to do then.
  template <class Lane>
  run_counts change_in_place(const Lane&, const vertex_run& run, const vertex_entry& old, std::uint32_t first) const {
    run_counts made{};
    held_neighbors<Lane, Bits> neighbors;
    neighbors.load_extent(base::in_extent(old), old.degree);
    base::change_all(neighbors, run, first, made);
    vertex_entry* const at = graph.entries + run.vertex;
    if (neighbors.size() > layout::inline_capacity) {
      at->degree = neighbors.size();
    } else {
      shrink(neighbors, old, at);
    }
    return made;
  }
};

/// Body: applies a run to a hash table, which has been moved before if it had to.
template <class Bits>
struct apply_to_table : apply_run<Bits> {
  static constexpr int prefetch_stages = 2;
  static constexpr bool may_move = true;
  using base = apply_run<Bits>;
  using base::graph, base::plans, base::pool, base::runs, base::targets;
  using typename base::array, typename base::layout, typename base::table;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(runs[i].vertex, targets[runs[i].first]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE run_counts::totals operator()(const Tile& tile, const vertex_run& run) const {
    return base::apply_one(*this, tile, run);
  }

  /// As those of the other kinds.
  template <class Lane>
  MANGROVE_HOST_DEVICE run_counts apply(const Lane& lane, const vertex_run& run, vertex_entry old,
                                        std::uint32_t first) const {
    const vertex_entry entry = run.plan != vertex_run::in_place ? plans[run.plan].moved(pool) : old;
    const table in = graph.table_of(entry);
    for (std::uint32_t k = 1; k < run.count; ++k) prefetch_early(in.home_sector(targets[run.first + k]));
    return change_table(lane, in, run, first, old, entry);
  }

 protected:
  /// Applies a run to a table, and gives its vertex that.
  /// @param in the table, wherever it is for now @param old the vertex's entry @param entry that of the table
  template <class Lane>
  MANGROVE_HOST_DEVICE run_counts change_table(const Lane& lane, const table& in, const vertex_run& run,
                                               std::uint32_t first, const vertex_entry& old, vertex_entry entry) const {
    run_counts made{};
    base::for_each_update(run, first, [&](std::uint32_t k, std::uint32_t v) {
      entry.words[2] += change(lane, in, run.vertex, v, k, made);
    });
    return settle(lane, in, run, old, entry, made);
  }

  /// Gives a vertex the table that its run was applied to. @param entry with the tombstones that came of it
  template <class Lane>
  MANGROVE_HOST_DEVICE run_counts settle(const Lane& lane, const table& in, const vertex_run& run,
                                         const vertex_entry& old, vertex_entry entry, const run_counts& made) const {
    entry.degree = old.degree + made.of(edge_outcome::insert) - made.of(edge_outcome::erase);
    vertex_entry* const at = graph.entries + run.vertex;
    if (entry.degree <= layout::inline_capacity) {
      base::shrink_into_entry(lane, in, entry, at);
    } else {
      *at = entry;
    }
    if (run.plan != vertex_run::in_place && layout::kind(old) != adjacency_kind::inlined) base::give(old);
    return made;
  }

 private:
  /// Applies update k, of (u, v). @return tombstones that come of it, modulo 2^32
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t change(const Tile& tile, const table& in, std::uint32_t u, std::uint32_t v,
                                            std::uint32_t k, run_counts& made) const {
    const auto where = in.find_or_free(tile, v);
    const auto& at = where.at;
    if (!base::inserts(k)) {
      if (!where.present) return 0;
      made.add(edge_outcome::erase, u == v);
      return in.erase_at(where) ? 1 : 0;
    }
    made.add(where.present ? edge_outcome::overwrite : edge_outcome::insert, u == v);
    if (!where.present) in.keys(at.bucket)[at.slot] = v;
    if constexpr (!is_none<Bits>) in.values(at.bucket)[at.slot] = base::weight_of(k);
    return at.reused_tombstone ? ~std::uint32_t{0} : 0;
  }
};

}  // namespace mangrove::detail
