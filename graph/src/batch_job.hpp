#pragma once

#include <algorithm>
#include <cstdint>

#include "batch_grant.hpp"
#include "bin_format.hpp"
#include "gather_runs.hpp"
#include "mangrove/core/growable_array.hpp"
#include "mangrove/core/slab_pool.hpp"
#include "run_changes.hpp"
#include "run_scratch.hpp"
#include "sorted_runs.hpp"
#include "update_admission.hpp"
#include "vertex_making.hpp"

namespace mangrove::detail {

/// The graph as the direct path changes it.
template <backend B>
struct graph_parts {
  growable_array<B, vertex_entry>& entries;
  growable_array<B, std::uint32_t>& present;  ///< one bit an index
  slab_pool<B>& pool;
  adjacency_rule rule;
  std::uint64_t vertex_count;
};

/// How a batch is grouped by source.
enum class grouping {
  chains,
  bins,         ///< of neighbouring vertices
  spread_bins,  ///< of vertices from all over the dictionary
  full_bins,    ///< the same, with as much room as they need: there may be hubs
  sort          ///< there may be hubs
};

[[nodiscard]] constexpr bool by_bins(grouping way) {
  return way == grouping::bins || way == grouping::spread_bins || way == grouping::full_bins;
}

/// Whether grouping a batch in a way lists vertices that have too many updates for a run.
[[nodiscard]] constexpr bool finds_hubs(grouping way) {
  return way == grouping::full_bins || way == grouping::sort;
}

/// @pre `bins` or `spread_bins`
[[nodiscard]] constexpr bin_spread spread_of(grouping way) {
  return way == grouping::bins ? bin_spread::ranges : bin_spread::in_turn;
}

/// A batch, what it is applied to, and the memory to work in: what the steps of the direct path have in common.
template <backend B, class Bits>
struct batch_job {
  const resources<B>& res;
  const edge_updates& updates;
  const Bits* weights;  ///< the batch's, or null
  const graph_parts<B>& parts;
  run_scratch<B, Bits>& scratch;
  batch_status* status;                ///< in the backend's memory
  std::uint32_t* heads;                ///< by vertex, zero between batches
  std::uint32_t* bins;                 ///< by bin, zero between batches; then as many that need not be
  std::uint32_t known_count;           ///< entries in the dictionary
  std::uint32_t index_count;           ///< those, and more that the batch may bring into being
  hub_table_counts likely_hub_tables;  ///< the batch is likely to change

  /// Where updates that may bring vertices into being are listed; the CPU's threads would wait for each other there.
  [[nodiscard]] std::uint32_t* creating() const { return std::is_same_v<B, cpu> ? nullptr : scratch.creating; }

  /// Positions of updates, 0 if their order does not matter.
  [[nodiscard]] std::size_t positions() const { return scratch.sequences == nullptr ? 0 : updates.batch.size; }

  /// How many keys `scratch.keys()` has room for.
  [[nodiscard]] std::size_t room_for_keys() const { return updates.size() * run_scratch<B, Bits>::keys_per_update; }

  /// What the bodies that group updates do with each first.
  [[nodiscard]] update_admission admission() const {
    return {updates, parts.present.data(), known_count, index_count, parts.vertex_count, creating(), status};
  }

  [[nodiscard]] vertex_maker maker() const { return {parts.present.data(), status}; }

  [[nodiscard]] adjacency_view<Bits> view() const { return {parts.entries.data(), parts.pool.base(), index_count}; }

  /// How the batch's updates are sorted if they are.
  [[nodiscard]] sorted_keys sorted() const {
    const bool ordered = scratch.sequences != nullptr;
    return {run_keys::for_batch(updates, index_count, ordered), scratch.sorted, updates.size()};
  }

  [[nodiscard]] hub_list hubs() const {
    hub_list list = scratch.hubs;
    list.status = status;
    return list;
  }

  /// What the bodies that gather runs and plan them have in common.
  [[nodiscard]] run_lists<Bits> lists() const {
    run_lists<Bits> made{{view(), layout_policy<Bits>(parts.rule), updates, scratch.targets, scratch.sequences,
                          scratch.plans, scratch.tasks, scratch.task_capacity, status},
                         {},
                         scratch.growing};
    std::copy_n(scratch.lists, run_lists_count, made.lists);
    return made;
  }

  /// What grants the extents that runs' plans demand.
  [[nodiscard]] grant_batch granter() const {
    return {{parts.pool.snapshot(), &status->demand, scratch.classes, &status->verdict}, status};
  }

  /// What the bodies that apply the runs of a list have in common.
  [[nodiscard]] run_changes<Bits> changes(std::uint32_t list, const pool_ref& pool, change_terms terms) const {
    return {view(),        pool,   updates.batch,       weights, scratch.targets, scratch.sequences,
            scratch.plans, status, scratch.lists[list], terms};
  }
};

}  // namespace mangrove::detail
