#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "apply_gathered.hpp"
#include "apply_stretch.hpp"
#include "batch_gate.hpp"
#include "batch_job.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "run_moves.hpp"
#include "run_remake.hpp"
#include "run_sharing.hpp"
#include "vertex_making.hpp"

namespace mangrove::detail {

/// The vertices of a batch that have a run each, and those that come to be: `hub_path` is for the others.
template <backend B, class Bits>
struct run_path {
  using job = batch_job<B, Bits>;

  /// Queues the changes. @param way how the batch was grouped @param beside for loops that may run beside each other
  static void change(const job& work, grouping way, const pool_ref& pool, const batch_gate& gate,
                     const resources<B>& beside) {
    // Runs need no scratch, and would have little of the cache beside or soon after what does. Where they are few, they
    // do not wait for that.
    const bool scratch_first = way == grouping::chains;
    if (scratch_first) remake(work, pool, gate.terms, beside);
    apply_all<apply_to_table<Bits>>(work, pool, gate, beside);
    if (!scratch_first) remake(work, pool, gate.terms, beside);
  }

  /// Queues the runs of a batch with hubs, but for those whose tables are made anew: some are much longer than others.
  static void apply_uneven(const job& work, const pool_ref& pool, change_terms terms, const resources<B>& beside) {
    apply_all<uneven_table_runs>(work, pool, {work.status, terms}, beside);
  }

  /// Queues the moves of tables that scratch has no room for, before all changes.
  static void move_in_pieces(const job& work, const pool_ref& pool, change_terms terms) {
    const std::uint32_t* const tasks = &work.status->tasks;
    const table_moves<Bits> moves{work.view(), pool, work.scratch.plans, work.scratch.tasks, work.status, terms};
    for_each_counted<32>(work.res, tasks, work.scratch.task_capacity, clear_piece<Bits>{moves}, likely_moves(work));
    for_each_counted<32>(work.res, tasks, work.scratch.task_capacity, move_piece<Bits>{moves}, likely_moves(work));
  }

  /// Queues the runs of vertices whose tables are made anew in scratch, if there may be any.
  static void remake(const job& work, const pool_ref& pool, change_terms terms, const resources<B>& res) {
    using body = remake_tables<Bits>;
    if (terms < change_terms::in_scratch) return;
    const std::size_t calls = body::calls_for(work.updates.size());
    const vertex_run* const large = work.scratch.lists[remade_runs + 1];
    for_each_tile_with_scratch<body::width, body::scratch_bytes>(
        res, calls, body{{{work.changes(remade_runs, pool, terms)}}, large, calls});
  }

 private:
  /// What applies runs of tables that are of very different lengths. A thread of the CPU waits for nobody.
  using uneven_table_runs = std::conditional_t<std::is_same_v<B, cpu>, apply_to_table<Bits>, share_table_runs<Bits>>;

  static std::size_t likely_moves(const job& work) { return 1024 + work.updates.size() / 64; }

  /// Queues the runs, those of all kinds side by side, since each waits for memory most of the time, and beside them
  /// the vertices that come to be. @tparam TableBody for runs of hash tables
  template <class TableBody>
  static void apply_all(const job& work, const pool_ref& pool, const batch_gate& gate, const resources<B>& res) {
    const auto tables = runs_of<TableBody>(work, adjacency_kind::hash, pool, gate.terms);
    const auto arrays = runs_of<apply_to_array<Bits>>(work, adjacency_kind::array, pool, gate.terms);
    const auto entries = runs_of<apply_to_entry<Bits>>(work, adjacency_kind::inlined, pool, gate.terms);
    const indexed_updates& batch = work.updates.batch;
    const std::uint32_t* const noted = &work.status->creating;
    const bool erases = batch.kinds == nullptr && batch.kind == update_kind::erase;
    if constexpr (std::is_same_v<B, cpu>) {
      apply_by_threads(work, tables, arrays, entries, erases ? 0 : std::min<std::size_t>(*noted, batch.size));
    } else if (erases) {
      for_each_counted_if(res, gate, tables, arrays, entries);
    } else {
      const counted_part<1, create_noted> creates{noted, 2 * batch.size, {work.maker(), work.creating()}};
      for_each_counted_if(res, gate, tables, arrays, entries, creates);
    }
  }

  /// The same by the CPU's threads: first the runs that are in lists, which chains led to or which had to be planned
  /// apart, then those of stretches. @param named updates that may name vertices which do not exist
  template <class Tables, class Arrays, class Entries>
  static void apply_by_threads(const job& work, const Tables& tables, const Arrays& arrays, const Entries& entries,
                               std::size_t named) {
    apply_stretch<typename Tables::body_type>::to_all(work.res, *tables.count, tables.body);
    apply_stretch<typename Arrays::body_type>::to_all(work.res, *arrays.count, arrays.body);
    apply_stretch<typename Entries::body_type>::to_all(work.res, *entries.count, entries.body);
    const create_named create{work.maker(), work.updates.batch, work.updates.loops};
    const gathered_runs& gathered = work.scratch.gathered;
    if (gathered.stretches == 0) return for_each_tile<1>(work.res, named, create);
    const apply_gathered<Bits> apply{tables.body, arrays.body, entries.body, create, named, gathered};
    for_each_stretch(work.res, work.updates.size(), gathered.stretches, apply);
  }

  /// Lanes for a run: those of a warp that share its runs have two each, since how long the launch takes is how long
  /// the warp does whose runs have the most updates.
  template <class Body>
  static constexpr int lanes_of() {
    return body_in_step<Body> ? 2 : 1;
  }

  /// The runs of one kind.
  template <class Body>
  static counted_part<lanes_of<Body>(), Body> runs_of(const job& work, adjacency_kind kind, const pool_ref& pool,
                                                      change_terms terms) {
    const auto k = static_cast<std::uint32_t>(kind);
    return {&work.status->listed[k].value, work.updates.size(), Body{work.changes(k, pool, terms)}};
  }
};

}  // namespace mangrove::detail
