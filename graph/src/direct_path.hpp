#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "apply_stretch.hpp"
#include "hub_path.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "mangrove/core/mirrored.hpp"
#include "plan_stretch.hpp"
#include "run_grouping.hpp"
#include "run_moves.hpp"
#include "vertex_ids.hpp"
#include "vertex_making.hpp"

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

/// The way of batches of edge updates: no sort of whole edges, each adjacency read and written once, and one wait, at
/// the end, unless the pool has to grow or the batch turns out to have more skew than those before.
/// @tparam Rule when to group updates in which way
template <backend B, class Bits, class Rule = grouping_rule<B>>
class direct_path {
 public:
  struct result {
    outcome_counts outcomes;  ///< `edges` counts each edge once
    std::uint64_t vertices_created;
    std::uint32_t index_count;  ///< of the graph afterwards
  };

  direct_path(const resources<B>& res, std::size_t max_vertices)
      : heads_(res, max_vertices), bins_(res, Rule::by_blocks ? bin_format::max_bins : 0), status_(res) {
    fill_bytes(res, bins_.data(), 0, bins_.size());
  }

  /// How the last batch was grouped.
  [[nodiscard]] grouping last_grouping() const noexcept { return grouped_by_; }

  [[nodiscard]] std::size_t bytes() const noexcept { return heads_.bytes() + bins_.size() * sizeof(std::uint32_t); }

  /// Applies a batch, or finds it unsuited and gives nothing; then the graph is as it was.
  /// @param weights the batch's, or null
  /// @throws memory_error with the graph as it was
  std::optional<result> apply(const resources<B>& res, const edge_updates& updates, const Bits* weights,
                              std::uint32_t index_count, const graph_parts<B>& parts) {
    if (!worth_trying(updates.size(), index_count)) return {};
    const bool ordered = updates.batch.kinds != nullptr || (weights != nullptr && !is_none<Bits>);
    scratch_.make_room(res, updates.size(), ordered);
    job work{res, updates, weights, parts, scratch_, status_.data(), nullptr, bins_.data(), 0};
    make_room(work, index_count);
    batch_status seen = settle(work);
    if (seen.unsuited != 0) {
      scratch_.trim();
      note_failure();
      return {};
    }
    finish(work, seen);
    fresh_bytes_ = seen.verdict.fresh * granule_bytes;
    parts.present.grow(words(work.index_count));
    parts.entries.grow(work.index_count);
    skips_after_failure_ = 1;
    note_skew(seen);
    scratch_.trim();
    return counted(seen, work);
  }

 private:
  using job = batch_job<B, Bits>;
  using grouping_of = run_grouping<B, Bits, Rule>;

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

  /// What this batch says about the next one: hubs are likely to have many updates again, and what made bins too small
  /// is likely to last.
  void note_skew(const batch_status& seen) {
    if (seen.hubs != 0) {
      skew_ = batch_skew::hubs;
    } else if (skew_ == batch_skew::hubs || (skew_ == batch_skew::bins && --batches_without_bins_ == 0)) {
      skew_ = batch_skew::none;
    }
  }

  static std::uint32_t checked_limit(std::uint32_t limit) {
    if (limit > max_vertices) throw_unplaceable(limit - 1);
    return limit;
  }

  static std::size_t words(std::uint32_t index_count) { return (index_count + std::size_t{31}) / 32; }

  /// Secures memory, zero until the batch is applied, for vertices up to the index.
  void make_room(job& work, std::uint32_t index_count) {
    heads_.grow(index_count);
    work.parts.present.reserve(words(index_count));
    work.parts.entries.reserve(index_count);
    work.heads = heads_.data();
    work.index_count = index_count;
  }

  /// Applies the batch if all is there; else finds out what is missing.
  batch_status settle(job& work) {
    grouped_by_ = grouping_of::choose(work, skew_);
    while (true) {
      const batch_status seen = attempt(work);
      if (seen.unsuited != 0) return seen;
      if (seen.index_limit > work.index_count) {
        make_room(work, checked_limit(seen.index_limit));
        if (grouped_by_ == grouping::bins) grouped_by_ = grouping_of::choose(work, skew_);  // bins may be too many now
      } else if (seen.crowded != 0) {
        if (grouped_by_ == grouping::bins) {
          skew_ = batch_skew::bins;
          batches_without_bins_ = 16;
        }
        grouped_by_ = grouping_of::choose_after(grouped_by_, work);
      } else {
        return seen;
      }
    }
  }

  /// Plans the batch, and applies it if all is there.
  batch_status attempt(const job& work) {
    status_.clear(work.res);
    grouping_of::group(work, grouped_by_);
    plan(work);
    change_graph(work, pool_ref(scratch_.classes));
    return take_status(work);
  }

  /// Waits for what the batch came to. The host makes use of that time: the next batch is likely to take as much memory
  /// that is new as the last one did.
  batch_status take_status(const job& work) {
    return status_.take(work.res, [&] { work.parts.pool.expect_more(2 * fresh_bytes_); });
  }

  /// Queues the planning, and the granting of what the plans demand.
  void plan(const job& work) {
    std::uint32_t* const growing = &work.status->growing.value;
    if constexpr (std::is_same_v<B, cpu>) {
      for_each_task<1>(work.res, plan_stretch<Bits>::calls_for(*growing), plan_stretch<Bits>{work.planner()});
    } else {
      for_each_counted<8>(work.res, growing, work.updates.size(), work.planner(), 1024 + work.updates.size() / 8);
    }
    if (grouped_by_ == grouping::sort) hub_path<B, Bits>::plan(work);
    grant(work);
  }

  void grant(const job& work) {
    batch_status* const status = work.status;
    const grant_extents extents{work.parts.pool.snapshot(), &status->demand, scratch_.classes, &status->verdict};
    for_each_tile<1>(work.res, size_classes, grant_batch{extents, status});
  }

  /// Applies the batch if only the pool was too small, and settles with the pool.
  /// @param seen how the attempt went; becomes what was found out in the end
  void finish(const job& work, batch_status& seen) {
    slab_pool<B>& pool = work.parts.pool;
    if (seen.go()) return pool.commit({seen.demand.taken, seen.returned}, seen.verdict);
    const auto granted = pool.prepare(work.res, seen.demand);
    seen.granted_by_host = 1;
    status_.put(work.res, seen);
    change_graph(work, granted.ref());
    seen = take_status(work);
    pool.commit({seen.demand.taken, seen.returned}, granted.end);
  }

  /// Queues all that changes the graph; does nothing where the batch may not go.
  void change_graph(const job& work, const pool_ref& pool) {
    const resources<B>& res = work.res;
    batch_status* const status = work.status;
    if constexpr (std::is_same_v<B, cpu>) {
      if (!status->go()) return;
    }
    const table_moves<Bits> moves{work.view(), pool, scratch_.plans, scratch_.tasks, status};
    const std::size_t likely = 1024 + work.updates.size() / 64;
    for_each_counted_with_scratch<32, begin_table<Bits>::scratch_bytes>(res, &status->tasks, scratch_.task_capacity,
                                                                        begin_table<Bits>{moves}, likely);
    for_each_counted<32>(res, &status->tasks, scratch_.task_capacity, move_piece<Bits>{moves}, likely);
    const independent_loops<B> loops(res);  // a vertex has a run or is a hub
    apply_runs(work, pool, loops.res());
    if (grouped_by_ == grouping::sort) hub_path<B, Bits>::change(work, pool, loops.res());
  }

  /// Queues the runs, those of all kinds side by side, since each waits for memory most of the time, and beside them
  /// the vertices that come to be.
  void apply_runs(const job& work, const pool_ref& pool, const resources<B>& res) {
    const indexed_updates& batch = work.updates.batch;
    const auto tables = runs_of<apply_to_table<Bits>>(work, adjacency_kind::hash, pool);
    const auto arrays = runs_of<apply_to_array<Bits>>(work, adjacency_kind::array, pool);
    const auto entries = runs_of<apply_to_entry<Bits>>(work, adjacency_kind::inlined, pool);
    const std::uint32_t* const noted = &work.status->creating;
    const vertex_maker maker{work.parts.present.data(), work.status};
    const bool erases = batch.kinds == nullptr && batch.kind == update_kind::erase;
    if constexpr (std::is_same_v<B, cpu>) {
      apply_stretch<apply_to_table<Bits>>::to_all(res, *tables.count, tables.body);
      apply_stretch<apply_to_array<Bits>>::to_all(res, *arrays.count, arrays.body);
      for_each_counted<1>(res, entries.count, entries.limit, entries.body);
      const create_named create{maker, batch, work.updates.loops};
      if (!erases) for_each_counted<1>(res, noted, batch.size, create);
    } else if (erases) {
      for_each_counted_of(res, tables, arrays, entries);
    } else {
      const create_noted create{maker, work.creating()};
      for_each_counted_of(res, tables, arrays, entries, counted_part<1, create_noted>{noted, 2 * batch.size, create});
    }
  }

  /// The runs of one kind.
  template <class Body>
  static counted_part<1, Body> runs_of(const job& work, adjacency_kind kind, const pool_ref& pool) {
    const auto k = static_cast<std::uint32_t>(kind);
    return {&work.status->listed[k].value, work.updates.size(), Body{work.changes(k, pool)}};
  }

  [[nodiscard]] static result counted(const batch_status& seen, const job& work) {
    result made{seen.outcomes, seen.vertices_created, work.index_count};
    for (std::uint32_t kind = 0; kind < outcome_kinds; ++kind) {
      const std::uint64_t all = seen.hub_outcomes[kind];
      const bool directed = work.updates.direction == edge_direction::directed;
      made.outcomes.directed[kind] += all;
      made.outcomes.edges[kind] += directed ? 2 * all : all + seen.hub_loops[kind];
      made.outcomes.edges[kind] /= 2;  // each came twice
    }
    return made;
  }

  static constexpr std::size_t max_updates = std::size_t{1} << 31;

  growable_array<B, std::uint32_t> heads_;
  buffer<B, std::uint32_t> bins_;  ///< sizes of bins, zero between batches
  run_scratch<B, Bits> scratch_;
  mirrored<B, batch_status> status_;
  batch_skew skew_ = batch_skew::none;  ///< of the last batches
  std::uint32_t batches_without_bins_ = 0;
  grouping grouped_by_ = grouping::chains;  ///< how the batch was
  std::size_t fresh_bytes_ = 0;             ///< of extents that the last batch took and that were never in use before
  std::uint32_t skips_ = 0;
  std::uint32_t skips_after_failure_ = 1;
};

}  // namespace mangrove::detail
