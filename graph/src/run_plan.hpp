#pragma once

#include "vertex_runs.hpp"

namespace mangrove::detail {

/// Where the neighbours of a vertex that gets another extent are, and where they go. Its number is that of the vertex's
/// run among those that may need one; a hub's, behind all updates.
struct alignas(32) run_plan {
  vertex_entry old;
  adjacency_kind kind;     ///< of the new extent
  std::uint32_t granules;  ///< of the new extent
  std::uint32_t taken;     ///< number of its request within the size class

  /// The new extent, once it is granted; degree and tombstones are those of the moved neighbours.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_entry moved(const pool_ref& pool) const {
    return vertex_entry::make(old.degree, kind, pool.take(size_class_of(granules), taken), granules);
  }
};

/// A few slabs of a table too large for scratch that moves: piece k is the k-th of as many of the new table, and of the
/// old one.
struct alignas(8) table_task {
  std::uint32_t plan;
  std::uint32_t piece;

  /// Slabs of a piece where the larger table has so many: of huge tables more, since pieces have to be listed.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t slabs_for(std::uint32_t slabs) {
    return slabs < 1U << 14 ? 2 : 16;
  }
};

/// Slabs of the larger table where neighbours move to a table: an array, old, counts as one.
template <class Bits>
MANGROVE_HOST_DEVICE std::uint32_t larger_table(const vertex_entry& old, std::uint32_t new_granules) {
  const bool had_table = entry_layout<Bits>::kind(old) == adjacency_kind::hash;
  const std::uint32_t old_slabs = had_table ? old.granules() / granules_per_slab : 1;
  const std::uint32_t new_slabs = new_granules / granules_per_slab;
  return old_slabs > new_slabs ? old_slabs : new_slabs;
}

/// What becomes of a vertex whose run may not fit where its neighbours are.
template <class Bits>
struct run_decision {
  using layout = entry_layout<Bits>;

  vertex_entry old;
  layout_choice choice;
  bool stays;  ///< where its neighbours are
  std::uint32_t erases;

  /// Whether it is or becomes a tree, which only the sorted path changes.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool has_tree() const {
    return layout::kind(old) == adjacency_kind::tree || choice.kind == adjacency_kind::tree;
  }
  /// Whether the old extent may be given back: when the vertex moves, or shrinks into its entry.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool gives_old() const {
    const bool has_extent = layout::kind(old) != adjacency_kind::inlined;
    return has_extent && (!stays || old.degree <= layout::inline_capacity + erases);
  }
  /// Whether the new one may: when the vertex shrinks into its entry, or edges were there that were taken for new ones.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool gives_new() const {
    return !stays && (erases != 0 || choice.kind == adjacency_kind::array);
  }
  /// Whether it moves to an array from less than a table.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool moves_array() const { return !stays && !moves_table(); }

  /// The list that its run goes to.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t list() const {
    if (stays) return static_cast<std::uint32_t>(layout::kind(old));
    const std::uint32_t size = moves_table() ? scratch_size_for(scratch_slabs()) : scratch_table_sizes;
    return size == scratch_table_sizes ? static_cast<std::uint32_t>(choice.kind) : remade_runs + size;
  }
  /// Whether what it has is moved piece by piece before its run is applied.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool moves_in_pieces() const { return moves_table() && list() < remade_runs; }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE bool moves_table() const {
    return !stays && (layout::kind(old) == adjacency_kind::hash || choice.kind == adjacency_kind::hash);
  }
  /// Slabs of scratch that suit the move: as many as the new table has, if the old one, which is gone through, is not
  /// much larger.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t scratch_slabs() const {
    const std::uint32_t made = choice.kind == adjacency_kind::hash ? choice.granules / granules_per_slab : 1;
    const std::uint32_t left = layout::kind(old) == adjacency_kind::hash ? old.granules() / granules_per_slab / 2 : 0;
    return made > left ? made : left;
  }
};

/// Plans extents by what updates come to. Members are called by one lane unless they have a tile.
template <class Bits>
struct run_planner {
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  layout_policy<Bits> policy;
  edge_updates updates;
  std::uint32_t* targets;    ///< of the gathered updates
  std::uint32_t* sequences;  ///< their positions in the batch; null where nothing depends on them
  run_plan* plans;
  table_task* tasks;  ///< gets pieces of the tables to fill that scratch has no room for
  std::uint32_t task_capacity;
  batch_status* status;

  /// Counts an extent that may be given back.
  MANGROVE_HOST_DEVICE void give(std::uint32_t granules) const {
    count_up(&status->demand.given[size_class_of(granules)]);
  }

  /// Plans another extent.
  MANGROVE_HOST_DEVICE void plan(std::uint32_t number, const vertex_entry& old, const layout_choice& choice) const {
    const std::uint32_t taken = count_up(&status->demand.taken[size_class_of(choice.granules)]);
    plans[number] = {old, choice.kind, choice.granules, taken};
  }

  /// Lists the pieces of what moves to a planned extent, where the old or the new one is a table.
  template <class Tile>
  MANGROVE_HOST_DEVICE void list_pieces(const Tile& tile, std::uint32_t number, const vertex_entry& old,
                                        const layout_choice& choice) const {
    const std::uint32_t count = pieces(old, choice);
    const std::uint32_t first = tile.elect([&] { return fetch_add(&status->tasks, count); });
    tile.strided(count, [&](std::size_t k) {
      const auto piece = static_cast<std::uint32_t>(k);
      if (first + piece < task_capacity) {
        tasks[first + piece] = {number, piece};
      } else {
        store_relaxed(&status->unsuited, 1U);
      }
    });
  }

  /// What becomes of a vertex, by how many edges of its run are new.
  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE run_decision<Bits> decide(const Lane& lane, const vertex_run& run) const {
    const auto [inserts, erases] = count(run, [&](std::uint32_t v) { return !graph.contains(lane, run.vertex, v); });
    return decide(graph.entries[run.vertex], inserts, erases);
  }

  /// The same, as if all edges to insert were new, so that nothing has to be looked up; whoever applies the run gives
  /// back an array that was not needed, and a table is larger by no more than a run has.
  [[nodiscard]] MANGROVE_HOST_DEVICE run_decision<Bits> decide_as_if_new(const vertex_run& run,
                                                                         const vertex_entry& old) const {
    const auto [inserts, erases] = count(run, [](std::uint32_t) { return true; });
    return decide(old, inserts, erases);
  }

  /// Whether that will not do: where an array would become a table, the edges that are new have to be counted.
  [[nodiscard]] MANGROVE_HOST_DEVICE static bool has_to_count(const run_decision<Bits>& made) {
    return layout::kind(made.old) != adjacency_kind::hash && made.choice.kind == adjacency_kind::hash;
  }

  /// As if all were new if that will do, else by how many are.
  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE run_decision<Bits> decide_ahead(const Lane& lane, const vertex_run& run,
                                                                     const vertex_entry& old) const {
    const run_decision<Bits> made = decide_as_if_new(run, old);
    return has_to_count(made) ? decide(lane, run) : made;
  }

  /// @param inserts edges that are new @param erases updates that may erase one
  [[nodiscard]] MANGROVE_HOST_DEVICE run_decision<Bits> decide(const vertex_entry& old, std::uint32_t inserts,
                                                               std::uint32_t erases) const {
    return {old, policy.choose(old, old.degree + inserts, erases), policy.fits_in_place(old, inserts, erases), erases};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE update_kind kind_of(std::uint32_t at) const {
    return sequences == nullptr ? updates.batch.kind : updates.batch.kind_of(sequences[at]);
  }

 private:
  struct changes {
    std::uint32_t inserts;
    std::uint32_t erases;
  };

  /// Counts a run's erases, and its inserts of targets for which `is_new` holds.
  template <class IsNew>
  [[nodiscard]] MANGROVE_HOST_DEVICE changes count(const vertex_run& run, IsNew is_new) const {
    changes made{};
    for (std::uint32_t at = run.first; at < run.first + run.count; ++at) {
      if (kind_of(at) == update_kind::erase) {
        ++made.erases;
      } else if (is_new(targets[at])) {
        ++made.inserts;
      }
    }
    return made;
  }

  /// Tasks that clear the new table and empty the old one; an array, old or new, is one piece.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t pieces(const vertex_entry& old, const layout_choice& choice) {
    if (choice.kind != adjacency_kind::hash) return 1;
    const std::uint32_t slabs = larger_table<Bits>(old, choice.granules);
    return (slabs - 1) / table_task::slabs_for(slabs) + 1;
  }
};

}  // namespace mangrove::detail
