#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gather_stretch.hpp"
#include "hub_shrink.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "mangrove/core/growable_array.hpp"
#include "mangrove/core/mirrored.hpp"
#include "mangrove/core/slab_pool.hpp"
#include "run_moves.hpp"
#include "run_scratch.hpp"
#include "run_totals.hpp"
#include "vertex_ids.hpp"

namespace mangrove::detail {

/// Body, once per size class: sees whether the pool can meet the batch's demand.
struct grant_batch {
  grant_extents grant;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    grant(tile, i);
    if (i != 0) return;
    const std::uint64_t end = grant_extents::align_to_slab(grant.pool.end);
    status->granules_left = grant.pool.limit > end ? grant.pool.limit - end : 0;
  }
};

/// The way of batches of edge updates: no sort, each adjacency read and written once, and one wait, at the end, unless
/// the pool has to grow or a vertex has very many updates.
template <backend B, class Bits>
class direct_path {
 public:
  /// What the path works on.
  struct graph_parts {
    growable_array<B, vertex_entry>& entries;
    growable_array<B, std::uint32_t>& present;  ///< one bit an index
    slab_pool<B>& pool;
    adjacency_policy policy;
  };

  struct result {
    outcome_counts outcomes;  ///< `edges` counts each edge once
    std::uint64_t vertices_created;
    std::uint32_t index_count;  ///< of the graph afterwards
  };

  direct_path(const resources<B>& res, std::size_t max_vertices) : heads_(res, max_vertices), status_(res) {}

  [[nodiscard]] std::size_t bytes() const noexcept { return heads_.bytes(); }

  /// Applies a batch, or finds it unsuited and gives nothing; then the graph is as it was.
  /// @param weights the batch's, or null
  /// @throws memory_error with the graph as it was
  std::optional<result> apply(const resources<B>& res, const edge_updates& updates, const Bits* weights,
                              std::uint32_t index_count, const graph_parts& parts) {
    if (!worth_trying(updates.size(), index_count)) return {};
    const bool ordered = updates.batch.kinds != nullptr || (weights != nullptr && !is_none<Bits>);
    scratch_.make_room(res, updates.size(), ordered);
    hubs_ = hub_updates_ = 0;
    make_room(index_count, parts);
    const job work{res, updates, weights, parts};
    const batch_status* seen = &attempt(work);
    const bool again = seen->unsuited == 0 && seen->index_limit > index_count;
    if (again || seen->unsuited != 0) unmark_hubs(res, seen->hubs);
    if (again) {
      make_room(checked_limit(seen->index_limit), parts);
      seen = &attempt(work);
    }
    if (seen->unsuited == 0 && seen->hubs != 0) seen = &attempt_hubs(work, *seen);
    if (seen->unsuited != 0) {
      scratch_.trim();
      note_failure();
      return {};
    }
    if (seen->go()) {
      parts.pool.commit({seen->demand.taken, seen->returned}, seen->verdict);
    } else {
      const pool_demand demand = seen->demand;
      const auto granted = parts.pool.prepare(res, demand);
      fill_bytes(res, &status_.data()->granted_by_host, 1, 1);
      change_graph(work, granted.ref());
      seen = &status_.fetch(res);
      parts.pool.commit({seen->demand.taken, seen->returned}, granted.end);
    }
    parts.present.grow(words(index_count_));
    parts.entries.grow(index_count_);
    skips_after_failure_ = 1;
    skewed_ = seen->hubs != 0;
    scratch_.trim();
    return counted(*seen, updates.direction);
  }

 private:
  /// Where vertices get many updates each, sorting pays; and a stream whose batches turned out so is likely to go on.
  bool worth_trying(std::size_t updates, std::uint32_t index_count) {
    if (updates >= max_updates || (updates > 4096 && updates / 8 > index_count)) return false;
    if (skips_ == 0) return true;
    --skips_;
    return false;
  }

  void note_failure() {
    skips_ = skips_after_failure_;
    skips_after_failure_ = std::min(2 * skips_after_failure_, 16U);
  }

  static std::uint32_t checked_limit(std::uint32_t limit) {
    if (limit > max_vertices) throw_unplaceable(limit - 1);
    return limit;
  }

  static std::size_t words(std::uint32_t index_count) { return (index_count + std::size_t{31}) / 32; }

  /// Secures memory, zero until the batch is applied, for vertices up to the index.
  void make_room(std::uint32_t index_count, const graph_parts& parts) {
    heads_.grow(index_count);
    parts.present.reserve(words(index_count));
    parts.entries.reserve(index_count);
    index_count_ = index_count;
  }

  adjacency_view<Bits> view(const graph_parts& parts) const {
    return {parts.entries.data(), parts.pool.base(), index_count_};
  }

  /// A batch and what it is applied to.
  struct job {
    const resources<B>& res;
    const edge_updates& updates;
    const Bits* weights;
    const graph_parts& parts;
  };

  /// Plans the batch, and applies it if all is there.
  const batch_status& attempt(const job& work) {
    const auto& [res, updates, weights, parts] = work;
    batch_status* const status = status_.data();
    status_.clear(res);
    const update_admission admission{updates, parts.present.data(), index_count_, status};
    const run_lists<Bits> lists{view(parts),
                                layout_policy<Bits>(parts.policy),
                                updates,
                                heads_.data(),
                                {scratch_.lists[0], scratch_.lists[1], scratch_.lists[2]},
                                scratch_.growing,
                                scratch_.hubs.hubs,
                                scratch_.targets,
                                scratch_.sequences,
                                status};
    const sort_format format = format_of(updates);
    sorted_ =
        updates.size() >= (skewed_ ? sort_skewed_from : sort_from) && (format.packed || scratch_.sequences == nullptr);
    if (sorted_) {
      group_by_sort(res, admission, lists, format);
    } else {
      for_each_tile<1>(res, updates.batch.size, chain_updates{admission, heads_.data(), scratch_.next});
      for_each_tile<1>(res, updates.size(), gather_chain<Bits>{lists, scratch_.next});
    }
    for_each_counted<8>(res, &status->growing.value, updates.size(), planner(work));
    grant(work);
    change_graph(work, pool_ref(scratch_.classes));
    return status_.fetch(res);
  }

  /// Positions only where something depends on them.
  [[nodiscard]] sort_format format_of(const edge_updates& updates) const {
    return sort_format::for_batch(index_count_, scratch_.sequences == nullptr ? 0 : updates.batch.size);
  }

  void group_by_sort(const resources<B>& res, const update_admission& admission, const run_lists<Bits>& lists,
                     const sort_format& format) {
    const std::size_t count = admission.updates.size();
    std::uint64_t* const keys = scratch_.keys();
    for_each_tile<1>(res, admission.updates.batch.size, key_updates{admission, format, keys});
    const auto first_bit = static_cast<int>(format.shift() + format.index_bits);
    sort(res, keys, count, first_bit, first_bit + static_cast<int>(format.index_bits));
    const sorted_runs<Bits> runs{lists, format, keys, count, scratch_.next};
    gather_runs(res, runs);
    const std::size_t stretches = (count + list_sorted_updates::stretch - 1) / list_sorted_updates::stretch;
    for_each_tile<32>(res, stretches,
                      list_sorted_updates{format, keys, count, heads_.data(), scratch_.hubs, admission.status});
  }

  /// From sorted keys to runs: a stretch of keys to a CPU's thread, a few to a lane on CUDA.
  static void gather_runs(const resources<B>& res, const sorted_runs<Bits>& runs) {
    const std::size_t count = runs.count;
    if constexpr (std::is_same_v<B, cpu>) {
      const std::size_t calls = gather_stretch<Bits>::calls_for(count);
      if (count < parallel_from) {
        for_each_tile<1>(res, calls, gather_stretch<Bits>{runs});
      } else {
        for_each_task<1>(res, calls, gather_stretch<Bits>{runs});
      }
    } else {
      const std::size_t calls = (count + gather_sorted<Bits>::runs - 1) / gather_sorted<Bits>::runs;
      for_each_tile<1>(res, calls, gather_sorted<Bits>{runs, calls});
      for_each_counted<8>(res, &runs.status->long_runs, count, gather_long<Bits>{runs});
    }
  }

  plan_run<Bits> planner(const job& work) {
    return {view(work.parts),
            layout_policy<Bits>(work.parts.policy),
            work.updates.batch,
            scratch_.growing,
            {scratch_.lists[0], scratch_.lists[1], scratch_.lists[2]},
            scratch_.targets,
            scratch_.sequences,
            scratch_.plans,
            scratch_.whole,
            scratch_.tasks,
            scratch_.task_capacity,
            status_.data()};
  }

  void grant(const job& work) {
    batch_status* const status = status_.data();
    for_each_tile<1>(
        work.res, size_classes,
        grant_batch{{work.parts.pool.snapshot(), &status->demand, scratch_.classes, &status->verdict}, status});
  }

  /// Plans the hubs besides, and applies the batch if all is there.
  const batch_status& attempt_hubs(const job& work, const batch_status& seen) {
    const auto& [res, updates, weights, parts] = work;
    batch_status* const status = status_.data();
    const hub_list& list = scratch_.hubs;
    hubs_ = seen.hubs;
    hub_updates_ = seen.hub_updates;
    if (!sorted_) {
      for_each_tile<1>(res, updates.size(), list_chained_update{updates, heads_.data(), scratch_.next, list, status});
      hub_updates_ = status_.fetch(res).hub_updates;
      for_each_tile<1>(res, hubs_, share_named_edges{list.hubs, hub_updates_});
    }
    unmark_hubs(res, hubs_);
    find_outcomes(work);
    for_each_tile<8>(res, hubs_, plan_hub<Bits>{view(parts), list.hubs, planner(work), status});
    fill_bytes(res, &status->verdict, 0, 1);
    fill_bytes(res, &status->hubs_planned, 1, 1);
    grant(work);
    change_graph(work, pool_ref(scratch_.classes));
    return status_.fetch(res);
  }

  void unmark_hubs(const resources<B>& res, std::uint32_t count) {
    for_each_tile<1>(res, count, unmark_hub{scratch_.hubs.hubs, heads_.data()});
  }

  /// Finds out what the hubs' updates come to.
  void find_outcomes(const job& work) {
    const auto& [res, updates, weights, parts] = work;
    const hub_list& list = scratch_.hubs;
    const std::size_t slots = 2 * std::size_t{hub_updates_};
    buffer<B, std::uint64_t> edges(res, slots);
    buffer<B, std::uint32_t> last(res, slots);
    fill_bytes(res, edges.data(), 0xff, slots);
    fill_bytes(res, last.data(), 0, slots);
    const named_edges named{edges.data(), last.data()};
    for_each_tile<1>(res, hub_updates_, note_hub_update{list, named});
    for_each_tile<1>(res, hub_updates_, decide_hub_update<Bits>{view(parts), updates.batch, list, named});
  }

  /// Queues all that changes the graph; does nothing where the batch may not go.
  void change_graph(const job& work, const pool_ref& pool) {
    const auto& [res, updates, weights, parts] = work;
    batch_status* const status = status_.data();
    const table_moves<Bits> moves{view(parts), pool, scratch_.plans, scratch_.tasks, status};
    for_each_counted_with_scratch<32, fill_whole<Bits>::scratch_bytes>(res, &status->whole_tables, updates.size(),
                                                                       fill_whole<Bits>{moves, scratch_.whole});
    for_each_counted<32>(res, &status->tasks, scratch_.task_capacity, clear_piece<Bits>{moves});
    for_each_counted<32>(res, &status->tasks, scratch_.task_capacity, move_piece<Bits>{moves});
    apply_runs(work, pool);
    if (hubs_ != 0) change_hubs(work, pool);
    const std::size_t stretches = (updates.size() + sum_runs::stretch - 1) / sum_runs::stretch;
    const sum_runs sum{
        {scratch_.counts[0], scratch_.counts[1], scratch_.counts[2]}, stretches, updates.direction, status};
    for_each_task<32>(res, run_kinds * stretches, sum);
    if (updates.batch.kinds == nullptr && updates.batch.kind == update_kind::erase) return;
    for_each_counted<1>(res, &status->creating, updates.batch.size,
                        create_vertices{updates.batch, updates.loops, parts.present.data(), status});
  }

  run_changes<Bits> changes(const job& work, std::uint32_t kind, const pool_ref& pool) {
    return {view(work.parts),   pool,           work.updates.batch, work.weights,         scratch_.targets,
            scratch_.sequences, scratch_.plans, status_.data(),     scratch_.lists[kind], scratch_.counts[kind]};
  }

  /// Queues the runs. Those of a small batch share a launch: none of the kinds alone would fill the device.
  void apply_runs(const job& work, const pool_ref& pool) {
    const auto tables = runs_of<4, apply_to_table<Bits>>(work, adjacency_kind::hash, pool);
    const auto arrays = runs_of<8, apply_to_array<Bits>>(work, adjacency_kind::array, pool);
    const auto entries = runs_of<1, apply_to_entry<Bits>>(work, adjacency_kind::inlined, pool);
    if (work.updates.size() < share_launch_below) {
      for_each_counted_of(work.res, tables, arrays, entries);
    } else {
      for_each_counted_of(work.res, tables);
      for_each_counted_of(work.res, arrays);
      for_each_counted_of(work.res, entries);
    }
  }

  /// The runs of one kind.
  template <int Width, class Body>
  counted_part<Width, Body> runs_of(const job& work, adjacency_kind kind, const pool_ref& pool) {
    const auto k = static_cast<std::uint32_t>(kind);
    return {&status_.data()->listed[k].value, work.updates.size(), Body{changes(work, k, pool)}};
  }

  /// Queues the hubs.
  void change_hubs(const job& work, const pool_ref& pool) {
    const run_changes<Bits> common = changes(work, 0, pool);
    const hub_list& list = scratch_.hubs;
    const hub_changes<Bits> one{common, list};
    const std::uint32_t capacity = scratch_.task_capacity;
    for_each_tile<1>(work.res, hubs_, publish_hub<Bits>{common, list.hubs, scratch_.tasks, capacity});
    const bool mixed = work.updates.batch.kinds != nullptr;
    const bool inserts = mixed || work.updates.batch.kind == update_kind::insert;
    if (mixed || !inserts || !is_none<Bits>) {
      for_each_tile<4>(work.res, hub_updates_, change_hub_edge<Bits>{one});
    }
    if (inserts) for_each_tile<1>(work.res, hub_updates_, insert_hub_edge<Bits>{one});
    std::uint32_t* const pieces = &status_.data()->shrinking;
    for_each_counted<32>(work.res, pieces, capacity, find_left<Bits>{common, list.hubs, scratch_.tasks});
    for_each_counted<1>(work.res, pieces, capacity, shrink_hub<Bits>{common, list.hubs, scratch_.tasks});
  }

  [[nodiscard]] result counted(const batch_status& seen, edge_direction direction) const {
    result made{seen.outcomes, seen.vertices_created, index_count_};
    for (std::uint32_t kind = 0; kind < outcome_kinds; ++kind) {
      const std::uint64_t all = seen.hub_outcomes[kind];
      made.outcomes.directed[kind] += all;
      made.outcomes.edges[kind] += direction == edge_direction::directed ? 2 * all : all + seen.hub_loops[kind];
      made.outcomes.edges[kind] /= 2;  // each came twice
    }
    return made;
  }

  static constexpr std::size_t max_updates = std::size_t{1} << 31;
  /// Directed updates from which sorting them by source beats following chains.
  static constexpr std::size_t sort_from = std::is_same_v<B, cpu> ? 256 : std::size_t{1} << 19;
  /// Directed updates below which runs of all kinds share a launch.
  static constexpr std::size_t share_launch_below = std::size_t{1} << 19;
  /// On the CPU, updates from which threads share the gathering.
  static constexpr std::size_t parallel_from = std::size_t{1} << 12;

  /// The same after a batch with hubs: the next one is likely to have long chains, too.
  static constexpr std::size_t sort_skewed_from = std::min(sort_from, std::size_t{1} << 13);

  growable_array<B, std::uint32_t> heads_;
  run_scratch<B, Bits> scratch_;
  mirrored<B, batch_status> status_;
  std::uint32_t index_count_ = 0;  ///< of the graph once the batch is applied
  bool skewed_ = false;            ///< whether the last batch had hubs
  bool sorted_ = false;            ///< whether the batch was grouped by a sort
  std::uint32_t hubs_ = 0;         ///< of the batch, once they are listed
  std::uint32_t hub_updates_ = 0;  ///< theirs
  std::uint32_t skips_ = 0;
  std::uint32_t skips_after_failure_ = 1;
};

}  // namespace mangrove::detail
