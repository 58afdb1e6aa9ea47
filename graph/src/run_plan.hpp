#pragma once

#include "vertex_runs.hpp"

namespace mangrove::detail {

/// Where the neighbours of a vertex that gets another extent are, and where they go.
struct run_plan {
  vertex_entry old;
  adjacency_kind kind;     ///< of the new extent
  std::uint32_t granules;  ///< of the new extent
  std::uint32_t taken;     ///< number of its request within the size class

  /// The new extent, once it is granted; degree and tombstones are those of the moved neighbours.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_entry moved(const pool_ref& pool) const {
    return vertex_entry::make(old.degree, kind, pool.take(size_class_of(granules), taken), granules);
  }
};

/// A few slabs of a table to be filled: piece k is slabs k * slabs and on of the new table, and of the old one. Or a
/// whole small table.
struct table_task {
  std::uint32_t plan;
  std::uint32_t piece;

  static constexpr std::uint32_t whole_table = ~std::uint32_t{0};

  static constexpr std::uint32_t slabs = 2;
  /// Tables of up to so many slabs are filled whole.
  static constexpr std::uint32_t whole_slabs = 32;
};

/// Body: plans the extent of a vertex whose run may not fit where its neighbours are, by how many edges are new.
template <class Bits>
struct plan_run {
  using layout = entry_layout<Bits>;

  adjacency_view<Bits> graph;
  layout_policy<Bits> policy;
  indexed_updates batch;
  vertex_run* growing;
  vertex_run* lists[run_kinds];
  const std::uint32_t* targets;
  const std::uint32_t* sequences;  ///< null: all updates are of one kind
  run_plan* plans;
  table_task* tasks;  ///< gets the tables to fill, large ones in pieces
  std::uint32_t task_capacity;
  batch_status* status;

  /// Plans some runs. Where there are few, the lanes look each one's updates up together; else each has a run.
  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t end = status->growing.value;
    const int share = runs_of_tile<Tile>(end);
    const std::size_t first = i * share;
    if (first >= end) return;
    if (share == 1) {
      const changes made = count_changes(tile, growing[first]);
      if (tile.lane() == 0) plan_one(tile.solo(), growing[first], made);
    } else if (first + tile.lane() < end) {
      const vertex_run& mine = growing[first + tile.lane()];
      plan_one(tile.solo(), mine, count_changes(tile.solo(), mine));
    }
  }

  /// Counts an extent that may be given back.
  MANGROVE_HOST_DEVICE void give(std::uint32_t granules) const {
    count_up(&status->demand.given[size_class_of(granules)]);
  }

  /// Plans another extent. A table's is filled by one tile if that has room for it, else piece by piece.
  /// @return number of the plan
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t plan(const Tile& tile, const vertex_entry& old,
                                          const layout_choice& choice) const {
    const std::uint32_t number = tile.elect([&] { return plan_extent(old, choice); });
    list_moves(tile, number, old, choice);
    return number;
  }

  /// The same by one lane; whoever applies the vertex's updates fills the extent. @return number of the plan
  MANGROVE_HOST_DEVICE std::uint32_t plan_extent(const vertex_entry& old, const layout_choice& choice) const {
    const std::uint32_t taken = count_up(&status->demand.taken[size_class_of(choice.granules)]);
    const std::uint32_t at = count_up_one(&status->plans);
    plans[at] = {old, choice.kind, choice.granules, taken};
    return at;
  }

 protected:
  /// Lists what a planned extent is filled with, if it or the old one is a table.
  template <class Tile>
  MANGROVE_HOST_DEVICE void list_moves(const Tile& tile, std::uint32_t number, const vertex_entry& old,
                                       const layout_choice& choice) const {
    const bool from_table = layout::kind(old) == adjacency_kind::hash;
    const bool to_table = choice.kind == adjacency_kind::hash;
    if (to_table && choice.granules <= table_task::whole_slabs * granules_per_slab) {
      tile.elect([&] { put_task(count_up(&status->tasks), {number, table_task::whole_table}); });
    } else if (from_table || to_table) {
      add_tasks(tile, number, pieces(old, choice));
    }
  }

  /// Edges that come, and at most go, by a run.
  struct changes {
    std::uint32_t inserts;
    std::uint32_t erases;
  };

  /// Each lane looks some of the run's updates up.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE changes count_changes(const Tile& tile, const vertex_run& run) const {
    changes made{};
    tile.strided(run.count, [&](std::size_t k) {
      const auto at = run.first + static_cast<std::uint32_t>(k);
      if (kind_of(at) == update_kind::erase) {
        ++made.erases;
      } else if (!graph.contains(tile.solo(), run.vertex, targets[at])) {
        ++made.inserts;
      }
    });
    return {tile.sum(made.inserts), tile.sum(made.erases)};
  }

  /// What becomes of a vertex.
  struct decision {
    vertex_entry old;
    layout_choice choice;
    bool stays;  ///< where its neighbours are
    std::uint32_t erases;

    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t kind() const {
      return static_cast<std::uint32_t>(stays ? layout::kind(old) : choice.kind);
    }
    /// Whether it is or becomes a tree, which only the sorted path changes.
    [[nodiscard]] MANGROVE_HOST_DEVICE bool has_tree() const {
      return layout::kind(old) == adjacency_kind::tree || choice.kind == adjacency_kind::tree;
    }
    /// Whether the old extent may be given back: when the vertex moves, or shrinks into its entry.
    [[nodiscard]] MANGROVE_HOST_DEVICE bool gives_old() const {
      const bool has_extent = layout::kind(old) != adjacency_kind::inlined;
      return has_extent && (!stays || old.degree <= layout::inline_capacity + erases);
    }
    /// Whether the new one may, when the vertex shrinks into its entry.
    [[nodiscard]] MANGROVE_HOST_DEVICE bool gives_new() const { return !stays && erases != 0; }
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE decision decide(const vertex_run& run, const changes& made) const {
    const vertex_entry old = graph.entries[run.vertex];
    return {old, policy.choose(old, old.degree + made.inserts, made.erases),
            fits_in_place(policy, old, made.inserts, made.erases), made.erases};
  }

  template <class Lane>
  MANGROVE_HOST_DEVICE void plan_one(const Lane& lane, vertex_run run, const changes& made) const {
    const decision next = decide(run, made);
    if (next.has_tree()) return store_relaxed(&status->unsuited, 1U);
    if (next.gives_old()) give(next.old.granules());
    if (next.gives_new()) give(next.choice.granules);
    if (!next.stays) run.plan = plan(lane, next.old, next.choice);
    lists[next.kind()][count_up(&status->listed[next.kind()].value)] = run;
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE update_kind kind_of(std::uint32_t at) const {
    return sequences == nullptr ? batch.kind : batch.kind_of(sequences[at]);
  }

  /// Tasks that clear the new table and empty the old one; an array, old or new, is one piece.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t pieces(const vertex_entry& old, const layout_choice& choice) {
    if (choice.kind != adjacency_kind::hash) return 1;
    const std::uint32_t old_slabs = layout::kind(old) == adjacency_kind::hash ? old.granules() / granules_per_slab : 1;
    const std::uint32_t new_slabs = choice.granules / granules_per_slab;
    const std::uint32_t slabs = old_slabs > new_slabs ? old_slabs : new_slabs;
    return (slabs + table_task::slabs - 1) / table_task::slabs;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void add_tasks(const Tile& tile, std::uint32_t plan, std::uint32_t pieces) const {
    const std::uint32_t first = tile.elect([&] { return fetch_add(&status->tasks, pieces); });
    tile.strided(pieces, [&](std::size_t k) {
      const auto piece = static_cast<std::uint32_t>(k);
      put_task(first + piece, {plan, piece});
    });
  }

  MANGROVE_HOST_DEVICE void put_task(std::uint32_t at, const table_task& task) const {
    if (at < task_capacity) {
      tasks[at] = task;
    } else {
      store_relaxed(&status->unsuited, 1U);
    }
  }
};

}  // namespace mangrove::detail
