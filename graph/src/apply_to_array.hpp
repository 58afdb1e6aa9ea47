#pragma once

#include "apply_run.hpp"
#include "array_neighbors.hpp"
#include "mangrove/core/prefetch.hpp"

namespace mangrove::detail {

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

}  // namespace mangrove::detail
