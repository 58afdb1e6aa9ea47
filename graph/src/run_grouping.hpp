#pragma once

#include <cstddef>
#include <cstdint>

#include "batch_job.hpp"
#include "bin_grouping.hpp"
#include "chain_updates.hpp"
#include "gather_chain.hpp"
#include "gather_chains.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "plan_and_grant.hpp"
#include "plan_stretch.hpp"
#include "sort_grouping.hpp"

namespace mangrove::detail {

/// The first step of the direct path: from a batch's updates to runs by source, sorted out by the adjacency that each
/// will find.
/// @tparam Rule the backend's `grouping_rule`, or another one's in tests
template <backend B, class Bits, class Rule>
class run_grouping {
 public:
  /// Queues it. @param meanwhile is called once, when the device has something to do
  template <class F>
  static void group(const batch_job<B, Bits>& job, grouping way, const F& meanwhile) {
    const update_admission admission = job.admission();
    const run_lists<Bits> lists = job.lists();
    job.scratch.gathered.stretches = 0;
    if (way == grouping::sort) return sort_grouping<B, Bits, Rule>::group(job, admission, lists, meanwhile);
    if constexpr (Rule::by_blocks) {
      if (way == grouping::full_bins) return bin_grouping<B, Bits>::group_in_full(job, admission, lists, meanwhile);
      if (by_bins(way)) return bin_grouping<B, Bits>::group(job, way, admission, lists, meanwhile);
    }
    for_each_tile<1>(job.res, job.updates.batch.size,
                     chain_updates{admission, job.heads, job.scratch.next,
                                   Rule::by_blocks ? noted_ends::besides_sources : noted_ends::all});
    meanwhile();
    gather_chained(job, lists);
  }

  /// Queues the planning of runs and the granting of what the batch demands. @pre `may_plan_where_granted`
  static void plan_and_grant(const batch_job<B, Bits>& job) {
    if constexpr (Rule::by_blocks) {
      using body = detail::plan_and_grant<Bits>;
      for_each_tile_with_scratch<body::width, body::scratch_bytes>(job.res, 1, body{{job.lists()}, job.granter()});
    }
  }

  /// Queues the planning of runs where grouping leaves that to others.
  static void plan(const batch_job<B, Bits>& job, const resources<B>& res) {
    if constexpr (Rule::by_blocks) {
      const std::size_t updates = job.updates.size();
      for_each_counted<1>(res, &job.status->growing.value, updates, plan_lane<Bits>{job.lists()}, updates / 16);
    } else {
      const std::size_t growing = job.status->growing.value;
      for_each_task<1>(res, plan_stretch<Bits>::calls_for(growing), plan_stretch<Bits>{job.lists()});
    }
  }

 private:
  /// From chains to runs: a chain to a thread, or a stretch of updates to a block.
  static void gather_chained(const batch_job<B, Bits>& job, const run_lists<Bits>& lists) {
    const std::size_t updates = job.updates.size();
    if constexpr (!Rule::by_blocks) {
      for_each_tile<1>(job.res, updates, gather_chain<Bits>{{lists, job.heads, job.scratch.next}});
    } else {
      using gather = gather_chains<Bits, 1>;
      const std::size_t calls = gather::calls_for(updates);
      const grant_beside grant{job.granter(), static_cast<std::uint32_t>(calls)};
      for_each_tile_with_scratch<gather::width, gather::scratch_bytes>(
          job.res, calls + 1, gather{{{lists}, job.heads, job.scratch.next}, job.admission(), grant});
    }
  }
};

}  // namespace mangrove::detail
