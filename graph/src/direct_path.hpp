#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "batch_outlook.hpp"
#include "chained_path.hpp"
#include "dense_ids.hpp"
#include "grouping_choice.hpp"
#include "hub_path.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "mangrove/core/mirrored.hpp"
#include "pool_provision.hpp"
#include "queued_changes.hpp"
#include "run_grouping.hpp"

namespace mangrove::detail {

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
      : heads_(res, max_vertices), bins_(res, Rule::by_blocks ? 2 * bin_format::max_bins : 0), status_(res) {
    if (Rule::at_once_to != 0) chained_ = {res, Rule::singly_to, Rule::at_once_to};
    fill_bytes(res, bins_.data(), 0, bins_.size());
  }

  /// How the last batch was grouped.
  [[nodiscard]] grouping last_grouping() const noexcept { return grouped_by_; }

  /// Tells that vertices are likely to get many updates each, if anybody knows before the first batch.
  void expect_hubs() noexcept { outlook_.note_hubs(); }

  [[nodiscard]] std::size_t bytes() const noexcept { return heads_.bytes() + bins_.size() * sizeof(std::uint32_t); }

  /// Applies a batch, or finds it unsuited and gives nothing; then the graph is as it was.
  /// @param weights the batch's, or null
  /// @throws memory_error with the graph as it was
  std::optional<result> apply(const resources<B>& res, const edge_updates& updates, const Bits* weights,
                              std::uint32_t index_count, const graph_parts<B>& parts) {
    if (updates.size() >= max_updates || !outlook_.worth_trying(updates.size(), index_count)) return {};
    const bool ordered = updates.batch.kinds != nullptr || (weights != nullptr && !is_none<Bits>);
    scratch_.make_room(res, updates.size(), ordered);
    job work{res,
             updates,
             weights,
             parts,
             scratch_,
             status_.data(),
             nullptr,
             bins_.data(),
             index_count,
             index_count,
             outlook_.hub_tables(updates.size())};
    make_room(work, index_count);
    if (outlook_.may_name_new()) use_room_at_hand(work);
    batch_status seen = settle(work);
    if (seen.unsuited != 0) {
      scratch_.trim();
      outlook_.note_unsuited();
      return {};
    }
    finish(work, seen);
    const std::uint32_t limit = std::max(index_count, seen.index_limit);
    parts.present.grow(words(limit));
    parts.entries.grow(limit);
    outlook_.note(seen, updates.size());
    scratch_.trim();
    return counted(seen, work, limit);
  }

 private:
  using job = batch_job<B, Bits>;
  using choice = grouping_choice<B, Bits, Rule>;
  using grouping_of = run_grouping<B, Bits, Rule>;

  static std::uint32_t checked_limit(std::uint32_t limit) {
    if (limit > max_vertices) throw_unplaceable(limit - 1);
    return limit;
  }

  static std::size_t words(std::uint32_t index_count) { return (index_count + std::size_t{31}) / 32; }

  /// Secures memory, zero until the batch is applied, for vertices up to the index.
  void make_room(job& work, std::uint32_t index_count) {
    work.parts.present.reserve(words(index_count));
    work.parts.entries.reserve(index_count);
    work.index_count = index_count;
  }

  /// Lets the batch name some vertices more, if memory that is mapped has room for them.
  static void use_room_at_hand(job& work) {
    constexpr std::uint32_t share = 64;  // one in so many: bins are made for all
    const std::size_t room = std::min(work.parts.entries.room(), 32 * work.parts.present.room());
    const std::size_t some = std::size_t{work.index_count} + work.index_count / share;
    work.index_count = std::max(work.index_count, static_cast<std::uint32_t>(std::min(room, some)));
  }

  /// Secures what chains begin with. A graph that gets none but large batches does without.
  void make_room_for_chains(job& work) {
    if (grouped_by_ != grouping::chains) return;
    heads_.grow(work.index_count);
    work.heads = heads_.data();
  }

  /// Applies the batch if all is there; else finds out what is missing.
  batch_status settle(job& work) {
    grouped_by_ = choice::choose(work, outlook_.skew());
    while (true) {
      make_room_for_chains(work);
      const batch_status seen = attempt(work);
      if (seen.unsuited != 0) return seen;
      if (seen.index_limit > work.index_count) {
        make_room(work, checked_limit(seen.index_limit));
        if (by_bins(grouped_by_)) {  // of which there may be too many now
          grouped_by_ = choice::choose(work, outlook_.skew());
        }
      } else if (seen.crowded != 0) {
        if (by_bins(grouped_by_)) outlook_.note_narrow_bins(narrowed_by(grouped_by_));
        grouped_by_ = choice::choose_after(grouped_by_, work);
      } else if (seen.unforeseen != 0) {
        outlook_.note_unforeseen();
      } else {
        return seen;
      }
    }
  }

  /// What it tells if bins are too small.
  static batch_skew narrowed_by(grouping way) {
    if (way == grouping::full_bins) return batch_skew::giants;
    return way == grouping::bins ? batch_skew::ranges : batch_skew::bins;
  }

  /// Plans the batch, and applies it if all is there; where extents are likely to be missing, it is only planned.
  batch_status attempt(const job& work) {
    status_.clear(work.res);
    queued_.reset();
    const bool plans = !choice::plans(grouped_by_);
    const bool plans_later = Rule::by_blocks && plans;
    const bool goes = plans_later || !outlook_.lacks_extents(work.parts.pool.bytes_at_hand());
    if (goes && suits_one_launch(work)) {
      queued_ = outlook_.moves();
      provision_of(work).make_room_for_gifts();
      chained_.change(work, pool_ref(scratch_.classes), *queued_);
      return take_status(work);
    }
    if (plans_later) {
      plan_beside_pool(work);
    } else {
      grouping_of::group(work, grouped_by_, [] {});
      if (plans) plan(work);
    }
    if (plans) grant(work);
    if (!goes) return status_.fetch(work.res, map_ahead(work));
    const bool all = !Rule::by_blocks || finds_hubs(grouped_by_);
    queued_ = all ? change_terms::all_moves : outlook_.moves();
    const batch_gate gate{work.status, *queued_,
                          starts_beside_grant(work) ? kernel_start::beside_last : kernel_start::after_last};
    queued_changes<B, Bits>::make(work, grouped_by_, pool_ref(scratch_.classes), gate);
    return take_status(work);
  }

  /// Whether what grants extents plans runs before that: where few are likely to need it. If they are many after all,
  /// it only takes longer.
  [[nodiscard]] bool plans_where_granted(const job& work) const {
    return choice::may_plan_where_granted(grouped_by_) && outlook_.growing(work.updates.size()) <= few_growing;
  }

  /// Whether runs are applied by a launch that begins beside the one that grants. With more updates its reads would
  /// slow granting down by more than they gain; and launches that make tables anew do not wait for granting.
  [[nodiscard]] bool starts_beside_grant(const job& work) const {
    const bool granted_last = choice::may_plan_where_granted(grouped_by_);
    return granted_last && queued_ == change_terms::in_place && work.updates.size() < granted_alone_from;
  }

  /// Queues what sees whether the pool can meet the batch's demand.
  void grant(const job& work) const {
    if (plans_where_granted(work)) return grouping_of::plan_and_grant(work);
    for_each_tile_with_scratch<grant_batch::width, grant_batch::scratch_bytes>(work.res, 1, work.granter());
  }

  /// Groups the batch and plans it, as far as granting does not, and meanwhile sees to the pool.
  void plan_beside_pool(const job& work) {
    pool_provision<B> provision = provision_of(work);
    grouping_of::group(work, grouped_by_, [&provision] { provision.begin(); });
    if (!plans_where_granted(work)) plan(work);
    provision.provide(grouped_by_);
  }

  [[nodiscard]] pool_provision<B> provision_of(const job& work) const {
    return {work.res, work.parts.pool, outlook_, work.updates.size()};
  }

  [[nodiscard]] bool suits_one_launch(const job& work) const {
    return grouped_by_ == grouping::chains && chained_.suits(work.updates) &&
           outlook_.moves() < change_terms::all_moves;
  }

  /// Waits for what the batch came to, and leaves the status zero.
  batch_status take_status(const job& work) { return status_.take(work.res, map_ahead(work)); }

  /// What the host does while it waits.
  [[nodiscard]] auto map_ahead(const job& work) const {
    return [this, &work] { provision_of(work).map_ahead(grouped_by_); };
  }

  /// Queues the planning, where grouping does not do so.
  void plan(const job& work) {
    const bool hubs = finds_hubs(grouped_by_);
    if (hubs) hub_path<B, Bits>::decide(work, outlook_.study());
    const independent_loops<B> loops(work.res);  // a vertex has a run or is a hub
    grouping_of::plan(work, loops.res());
    if (hubs) hub_path<B, Bits>::plan(work, outlook_.study(), loops.res());
  }

  /// Applies the batch, if the attempt could not, and settles with the pool.
  /// @param seen how the attempt went; becomes what was found out in the end
  void finish(const job& work, batch_status& seen) {
    slab_pool<B>& pool = work.parts.pool;
    if (!seen.has_extents()) {
      const auto granted = pool.prepare(work.res, seen.demand);
      change_late(work, seen, granted.ref());
      pool.commit(granted, seen.returned);
    } else {
      if (!queued_ || !seen.ready(*queued_)) change_late(work, seen, pool_ref(scratch_.classes));
      pool.commit(seen.demand, seen.returned, seen.verdict);
    }
  }

  /// Changes the graph after an attempt that did not. @param seen how the attempt went; becomes what came of it now
  void change_late(const job& work, batch_status& seen, const pool_ref& pool) {
    if (queued_) status_.put(work.res, seen);  // it has been taken
    queued_changes<B, Bits>::make(work, grouped_by_, pool, {work.status, change_terms::granted});
    seen = take_status(work);
  }

  [[nodiscard]] static result counted(const batch_status& seen, const job& work, std::uint32_t index_count) {
    const bool directed = work.updates.direction == edge_direction::directed;
    result made{{}, seen.vertices_created, index_count};
    for (std::uint32_t kind = 0; kind < outcome_kinds; ++kind) {
      const std::uint64_t all = seen.outcomes.edges[kind];
      made.outcomes.directed[kind] = all;
      made.outcomes.edges[kind] = directed ? all : (all + seen.outcomes.loops[kind]) / 2;  // others came twice
    }
    return made;
  }

  static constexpr std::size_t max_updates = std::size_t{1} << 31;
  /// Updates from which granting goes on by itself.
  static constexpr std::size_t granted_alone_from = std::size_t{1} << 19;
  static constexpr std::size_t few_growing = plan_and_grant<Bits>::few;
  growable_array<B, std::uint32_t> heads_;  ///< by vertex, zero between batches
  buffer<B, std::uint32_t> bins_;           ///< by bin: sizes, zero between batches; where they begin
  run_scratch<B, Bits> scratch_;
  mirrored<B, batch_status> status_;
  chained_path<B, Bits> chained_;
  batch_outlook outlook_;
  grouping grouped_by_ = grouping::chains;  ///< how the batch was
  std::optional<change_terms> queued_;      ///< terms on which the last attempt changes the graph; none: it only plans
};

}  // namespace mangrove::detail
