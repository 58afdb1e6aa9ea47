#pragma once

#include <cstddef>
#include <cstdint>

#include "batch_job.hpp"
#include "hub_plan.hpp"
#include "hub_scratch.hpp"
#include "hub_shrink.hpp"
#include "hub_study.hpp"
#include "mangrove/core/for_each_scratch.hpp"

namespace mangrove::detail {

/// The hubs of a batch, where grouping finds some: their edges are changed one by one. The host does not know how many
/// there are.
template <backend B, class Bits>
struct hub_path {
  using job = batch_job<B, Bits>;

  /// Queues finding out what the hubs' updates come to, where that must be known.
  static void decide(const job& work, hub_study study) {
    if (study == hub_study::none) return;  // `plan` begins hubs
    for_each_hub<1>(work.res, work, begin_hub<Bits>{planner(work), work.view(), study});
    const hub_updates<Bits> updates = updates_of(work);
    const bool ordered = work.scratch.sequences != nullptr;
    for_each_piece(work, clear_named{updates.list, ordered});
    if (ordered) for_each_piece(work, note_hub_updates<Bits>{updates});
    for_each_piece(work, decide_hub_updates<Bits>{updates, work.updates.batch, ordered});
  }

  /// Queues the planning of their tables. @param res for a loop beside which other vertices may be planned
  static void plan(const job& work, hub_study study, const resources<B>& res) {
    if (study == hub_study::none) {
      for_each_hub<16>(res, work, begin_and_plan_hub<Bits>{{planner(work), work.view(), study}});
    } else {
      for_each_hub<16>(res, work, plan_hub<Bits>{planner(work)});
    }
  }

  /// Queues the changes of tables where they are. @param beside for loops that may run beside what was queued before,
  /// and beside each other, as all that change the graph
  static void change_in_place(const job& work, const pool_ref& pool, change_terms terms, const resources<B>& beside) {
    const hub_changes<Bits> changes = changes_of(work, pool, terms);
    const bool changes_first = !only_inserts(work) || !is_none<Bits>;
    if (changes_first) for_each_placed_piece(beside, work, change_hub_edges<Bits>{changes, work.updates.batch});
    if (!inserts(work)) return;
    for_each_placed_piece(changes_first ? work.res : beside, work, insert_hub_edges<Bits>{changes});
  }

  /// Queues the changes of tables in scratch of one size, `Size` of `scratch_table_sizes`.
  template <std::uint32_t Size>
  static void change_in_scratch(const job& work, const pool_ref& pool, change_terms terms, const resources<B>& beside) {
    using body = change_hub_table<Bits, slabs_in_scratch(Size)>;
    const hub_changes<Bits> changes = changes_of(work, pool, terms);
    for_each_counted_with_scratch<widths[Size], body::scratch_bytes>(
        beside, &work.status->hub_tables[Size], work.scratch.hub_capacity,
        body{changes, changes.list.tables[Size], work.updates.batch}, work.likely_hub_tables[Size]);
  }

  /// Queues what becomes of hubs of which hardly anything is left, after all changes.
  static void shrink(const job& work, const pool_ref& pool, change_terms terms) {
    if (only_inserts(work)) return;
    const run_changes<Bits> common = work.changes(0, pool, terms);
    const std::uint32_t* const pieces = &work.status->shrinking;
    const std::uint32_t capacity = work.scratch.task_capacity;
    hub* const hubs = work.scratch.hubs.hubs;
    for_each_counted<32>(work.res, pieces, capacity, find_left<Bits>{common, hubs, work.scratch.tasks});
    for_each_counted<1>(work.res, pieces, capacity, shrink_hub<Bits>{common, hubs, work.scratch.tasks});
  }

  static bool only_inserts(const job& work) {
    return work.updates.batch.kinds == nullptr && work.updates.batch.kind == update_kind::insert;
  }

 private:
  /// Lanes for a table of each size.
  static constexpr int widths[scratch_table_sizes] = {32, 256};

  static bool inserts(const job& work) { return work.updates.batch.kinds != nullptr || only_inserts(work); }

  static hub_planner<Bits> planner(const job& work) { return {work.hubs(), work.parts.rule, work.lists()}; }

  static hub_updates<Bits> updates_of(const job& work) {
    return {work.view(), work.scratch.targets, work.scratch.sequences, work.hubs()};
  }

  static hub_changes<Bits> changes_of(const job& work, const pool_ref& pool, change_terms terms) {
    return {updates_of(work), {work.changes(0, pool, terms), work.scratch.tasks, work.scratch.task_capacity}};
  }

  template <int Width, class Body>
  static void for_each_hub(const resources<B>& res, const job& work, const Body& body) {
    for_each_counted<Width>(res, &work.status->hubs, work.scratch.hub_capacity, body);
  }

  template <class Body>
  static void for_each_piece(const job& work, const Body& body) {
    for_each_counted<32>(work.res, &work.status->hub_pieces, work.scratch.hub_capacity, body);
  }

  template <class Body>
  static void for_each_placed_piece(const resources<B>& res, const job& work, const Body& body) {
    for_each_counted<32>(res, &work.status->placed_pieces, work.scratch.hub_capacity, body);
  }
};

}  // namespace mangrove::detail
