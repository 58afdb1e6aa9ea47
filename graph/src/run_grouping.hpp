#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <type_traits>

#include "batch_job.hpp"
#include "batch_outlook.hpp"
#include "chain_updates.hpp"
#include "for_each_stretch.hpp"
#include "gather_bin.hpp"
#include "gather_chain.hpp"
#include "gather_chains.hpp"
#include "gather_full_bin.hpp"
#include "gather_sorted.hpp"
#include "gather_stretch.hpp"
#include "key_stretch.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/run_in_parts.hpp"
#include "plan_and_grant.hpp"
#include "plan_stretch.hpp"
#include "sort_ranges.hpp"

namespace mangrove::detail {

/// From how many directed updates on which way suits a backend. A parameter of the direct path, so that tests can send
/// the CPU the ways of CUDA, whose bodies are for tiles with scratch.
template <backend B>
struct grouping_rule {
  static constexpr bool by_blocks = !std::is_same_v<B, cpu>;  ///< tiles with scratch gather runs, not threads
  /// Where dealing updates out to bins begins to beat following chains.
  static constexpr std::size_t bins_from = by_blocks ? std::size_t{1} << 17 : ~std::size_t{0};
  /// Where sorting them by source does.
  static constexpr std::size_t sort_from = by_blocks ? std::size_t{1} << 19 : 256;
  /// The same where vertices are likely to have many.
  static constexpr std::size_t sort_skewed_from = std::min(sort_from, std::size_t{1} << 13);
  /// From where up to where each thread makes and sorts the keys of a range of sources. Below, going over all updates
  /// takes what it saves; above, all threads share each pass of a sort.
  static constexpr std::size_t ranges_from = by_blocks ? ~std::size_t{0} : std::size_t{1} << 12;
  static constexpr std::size_t ranges_to = std::size_t{1} << 16;
  /// Where dealing them out to bins with room for hubs does.
  static constexpr std::size_t full_bins_from = by_blocks ? std::size_t{1} << 15 : ~std::size_t{0};
  /// Up to where chains are followed by the launch that makes them, and that changes the graph.
  static constexpr std::size_t at_once_to = by_blocks ? std::size_t{1} << 18 : 0;
  /// Up to where a lane has one of their updates, if the device has as many lanes.
  static constexpr std::size_t singly_to = at_once_to;
};

/// The first step of the direct path: from a batch's updates to runs by source, sorted out by the adjacency that each
/// will find.
template <backend B, class Bits, class Rule = grouping_rule<B>>
class run_grouping {
 public:
  /// The way for a batch. @param skew of the batches before
  static grouping choose(const batch_job<B, Bits>& job, batch_skew skew) {
    const std::size_t updates = job.updates.size();
    if constexpr (Rule::by_blocks) {
      const grouping way = skew == batch_skew::none ? grouping::bins : grouping::spread_bins;
      const bool any = skew == batch_skew::none || skew == batch_skew::ranges;
      if (any && updates >= Rule::bins_from && bins_of(job, way).suits) return way;
      const bool full = skew == batch_skew::hubs && updates >= Rule::full_bins_from;
      if (full && full_bins_of(job).suits) return grouping::full_bins;
    }
    const std::size_t from = skew >= batch_skew::hubs ? Rule::sort_skewed_from : Rule::sort_from;
    return updates >= from ? grouping::sort : grouping::chains;
  }

  /// The way for a batch for which another one was too narrow.
  static grouping choose_after(grouping failed, const batch_job<B, Bits>& job) {
    const bool chains = by_bins(failed) && failed != grouping::full_bins && job.updates.size() < Rule::sort_from;
    return chains ? grouping::chains : grouping::sort;
  }

  /// Whether grouping a batch in a way also plans all its runs and grants their extents.
  static constexpr bool plans(grouping way) { return Rule::by_blocks && way == grouping::chains; }

  /// Whether what grants extents may plan runs before that. Not beside hubs, whose planning goes on meanwhile.
  static constexpr bool may_plan_where_granted(grouping way) {
    return Rule::by_blocks && by_bins(way) && !finds_hubs(way);
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

  /// Queues it. @param meanwhile is called once, when the device has something to do
  template <class F>
  static void group(const batch_job<B, Bits>& job, grouping way, const F& meanwhile) {
    const update_admission admission = job.admission();
    const run_lists<Bits> lists = job.lists();
    job.scratch.gathered.stretches = 0;
    if (way == grouping::sort) return group_by_sort(job, admission, lists, meanwhile);
    if constexpr (Rule::by_blocks) {
      if (way == grouping::full_bins) return group_by_full_bin(job, admission, lists, meanwhile);
      if (by_bins(way)) return group_by_bin(job, way, admission, lists, meanwhile);
    }
    for_each_tile<1>(job.res, job.updates.batch.size,
                     chain_updates{admission, job.heads, job.scratch.next,
                                   Rule::by_blocks ? noted_ends::besides_sources : noted_ends::all});
    meanwhile();
    gather_chained(job, lists);
  }

 private:
  static bin_format bins_of(const batch_job<B, Bits>& job, grouping way) {
    return bin_format::for_batch(job.index_count, job.updates.size(), job.positions(), job.room_for_keys(),
                                 spread_of(way));
  }

  template <class F>
  static void group_by_bin(const batch_job<B, Bits>& job, grouping way, const update_admission& admission,
                           const run_lists<Bits>& lists, const F& meanwhile) {
    const update_bins bins{bins_of(job, way), job.scratch.keys(), job.bins};
    for_each_tile_with_scratch<deal_out::width, deal_out::scratch_bytes>(job.res, stretches_of(job),
                                                                         deal_out{dealing_of(job, bins, admission)});
    meanwhile();
    switch (bins.format.way) {
      case bin_slots::by_number:
        return gather_bins_of<bin_slots::by_number>(job.res, lists, bins, admission);
      case bin_slots::by_rank:
        return gather_bins_of<bin_slots::by_rank>(job.res, lists, bins, admission);
      case bin_slots::by_rank_of_many:
        return gather_bins_of<bin_slots::by_rank_of_many>(job.res, lists, bins, admission);
    }
  }

  template <bin_slots Way>
  static void gather_bins_of(const resources<B>& res, const run_lists<Bits>& lists, const update_bins& bins,
                             const update_admission& admission) {
    gather_bins(res, gather_bin<Bits, Way>{{lists}, bins, admission});
  }

  static bin_format full_bins_of(const batch_job<B, Bits>& job) {
    const std::size_t updates = job.updates.size();
    return bin_format::for_hubs(job.index_count, updates, job.positions(), stretches_of(job), updates);
  }

  static bin_dealing dealing_of(const batch_job<B, Bits>& job, const update_bins& bins,
                                const update_admission& admission) {
    return {admission, bins, bin_dealing::stretch_for(job.updates), job.scratch.sequences != nullptr};
  }

  static std::size_t stretches_of(const batch_job<B, Bits>& job) {
    const std::size_t stretch = bin_dealing::stretch_for(job.updates);
    return (job.updates.batch.size + stretch - 1) / stretch;
  }

  template <class F>
  static void group_by_full_bin(const batch_job<B, Bits>& job, const update_admission& admission,
                                const run_lists<Bits>& lists, const F& meanwhile) {
    const update_bins bins{full_bins_of(job), job.scratch.sorted, job.bins, job.bins + bin_format::max_bins};
    const bin_dealing dealing = dealing_of(job, bins, admission);
    auto* const shares = reinterpret_cast<bin_share*>(job.scratch.hubs.named);  // which are no hubs' yet
    const std::size_t stretches = stretches_of(job);
    for_each_tile_with_scratch<bin_dealing::width, count_by_bin::scratch_bytes>(job.res, stretches,
                                                                                count_by_bin{dealing, shares});
    for_each_tile_with_scratch<bin_dealing::width, deal_out_exactly::scratch_bytes>(job.res, stretches,
                                                                                    deal_out_exactly{dealing, shares});
    meanwhile();
    if (bins.format.kind == hub_bins::sparse) {
      gather_bins(job.res, gather_full_bin<Bits, hub_bins::sparse>{{{lists}, job.hubs()}, bins, admission});
    } else {
      gather_bins(job.res, gather_full_bin<Bits, hub_bins::dense>{{{lists}, job.hubs()}, bins, admission});
    }
  }

  template <class Gather>
  static void gather_bins(const resources<B>& res, const Gather& gather) {
    for_each_tile_with_scratch<Gather::width, Gather::scratch_bytes>(res, gather.bins.format.bins, gather);
  }

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

  template <class F>
  static void group_by_sort(const batch_job<B, Bits>& job, const update_admission& admission,
                            const run_lists<Bits>& lists, const F& meanwhile) {
    const sorted_keys sorted = job.sorted();
    const key_updates make{admission, sorted.format, job.scratch.sorted};
    if (sort_in_ranges(job, make)) {
      meanwhile();
    } else {
      make_keys(job, make);
      meanwhile();
      sort_keys(job, sorted);
    }
    gather_runs(job, lists, sorted);
  }

  /// Makes keys and sorts them, a range of sources by each thread. @return false if that does not suit the batch
  static bool sort_in_ranges(const batch_job<B, Bits>& job, const key_updates& make) {
    if constexpr (Rule::by_blocks) {
      return false;
    } else {
      const std::size_t updates = job.updates.size();
      const auto threads = static_cast<std::size_t>(job.res.threads());
      const bool suits = updates >= Rule::ranges_from && updates < Rule::ranges_to && source_ranges::suit(threads);
      if (!suits || job.updates.batch.kinds != nullptr) return false;
      const source_ranges ranges(job.updates, threads);
      const cpu_resources alone(1);
      std::atomic<bool> uncertain = false;
      run_each(job.res, threads, sort_ranges{{make}, alone, ranges, job.scratch.spare_of_threads(), uncertain});
      return !uncertain.load(std::memory_order_relaxed);
    }
  }

  static void sort_keys(const batch_job<B, Bits>& job, const sorted_keys& sorted) {
    const auto first_bit = static_cast<int>(sorted.format.first_bit);
    const auto last_bit = first_bit + static_cast<int>(sorted.format.format.index_bits);
    if constexpr (std::is_same_v<B, cpu>) {
      sort(job.res, job.scratch.sorted, job.scratch.spare_keys(), sorted.count, first_bit, last_bit);
    } else {
      sort(job.res, job.scratch.sorted, sorted.count, first_bit, last_bit);
    }
  }

  /// From updates to keys: a stretch of updates to a thread, one to a lane.
  static void make_keys(const batch_job<B, Bits>& job, const key_updates& make) {
    const std::size_t updates = job.updates.batch.size;
    if constexpr (!Rule::by_blocks) {
      for_each_stretch(job.res, updates, key_stretch::calls_for(updates), key_stretch{make});
    } else {
      for_each_tile<1>(job.res, updates, make);
    }
  }

  /// From sorted keys to runs: a stretch of keys to a thread or a block.
  static void gather_runs(const batch_job<B, Bits>& job, const run_lists<Bits>& lists, const sorted_keys& sorted) {
    if constexpr (!Rule::by_blocks) {
      gathered_runs& gathered = job.scratch.gathered;
      gathered.stretches = gathered_runs::stretches_for(sorted.count);
      const gather_stretch<Bits> gather{{lists, sorted, job.hubs()}, gathered};
      for_each_stretch(job.res, sorted.count, gathered.stretches, gather);
    } else {
      using gather = gather_sorted<Bits>;
      for_each_tile_with_scratch<gather::width, gather::scratch_bytes>(job.res, gather::calls_for(sorted.count),
                                                                       gather{{{lists}, job.hubs()}, sorted});
    }
  }
};

}  // namespace mangrove::detail
