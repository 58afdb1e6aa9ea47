#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "batch_job.hpp"
#include "chain_updates.hpp"
#include "gather_bin.hpp"
#include "gather_stretch.hpp"
#include "mangrove/core/bulk.hpp"

namespace mangrove::detail {

/// The first step of the direct path: from a batch's updates to runs by source, sorted out by the adjacency that each
/// will find.
template <backend B, class Bits>
class run_grouping {
 public:
  /// Queues it. @param skew whether chains are likely to be long, or bins to be too small
  static grouping group(const batch_job<B, Bits>& job, batch_skew skew) {
    const update_admission admission{
        job.updates, job.parts.present.data(), job.index_count, job.parts.vertex_count, job.creating(), job.status};
    const run_lists<Bits> lists = lists_of(job);
    if constexpr (!std::is_same_v<B, cpu>) {
      const bin_format bins = bins_of(job);
      if (skew == batch_skew::none && job.updates.size() >= bins_from && bins.bins != 0) {
        group_by_bin(job, {lists, {bins, job.scratch.keys(), job.bins}, admission});
        return grouping::bins;
      }
    }
    const sort_format format = format_of(job);
    const std::size_t from = skew == batch_skew::hubs ? sort_skewed_from : sort_from;
    if (job.updates.size() >= from && (format.packed || job.scratch.sequences == nullptr)) {
      group_by_sort(job, admission, {lists, format, job.scratch.keys(), job.updates.size(), job.scratch.next});
      return grouping::sort;
    }
    for_each_tile<1>(job.res, job.updates.batch.size, chain_updates{admission, job.heads, job.scratch.next});
    for_each_tile<1>(job.res, job.updates.size(), gather_chain<Bits>{lists, job.scratch.next});
    return grouping::chains;
  }

 private:
  static run_lists<Bits> lists_of(const batch_job<B, Bits>& job) {
    run_scratch<B, Bits>& scratch = job.scratch;
    return {job.view(),
            layout_policy<Bits>(job.parts.rule),
            job.updates,
            job.heads,
            {scratch.lists[0], scratch.lists[1], scratch.lists[2]},
            scratch.growing,
            scratch.hubs.hubs,
            scratch.targets,
            scratch.sequences,
            job.status};
  }

  /// Positions that sort keys must have room for: none where nothing depends on them.
  static std::size_t positions_of(const batch_job<B, Bits>& job) {
    return job.scratch.sequences == nullptr ? 0 : job.updates.batch.size;
  }
  static sort_format format_of(const batch_job<B, Bits>& job) {
    return sort_format::for_batch(job.index_count, positions_of(job));
  }
  static bin_format bins_of(const batch_job<B, Bits>& job) {
    return bin_format::for_batch(job.index_count, job.updates.size(), positions_of(job),
                                 job.updates.size() * run_scratch<B, Bits>::keys_per_update);
  }

  static void group_by_bin(const batch_job<B, Bits>& job, const gather_bin<Bits>& gather) {
    const std::size_t updates = job.updates.batch.size;
    const std::size_t stretch = deal_out::stretch_for(job.updates);
    for_each_tile_with_scratch<deal_out::width, deal_out::scratch_bytes>(
        job.res, (updates + stretch - 1) / stretch,
        deal_out{gather.admission, gather.bins, stretch, job.scratch.sequences != nullptr});
    for_each_tile_with_scratch<gather_bin<Bits>::width, gather_bin<Bits>::scratch_bytes>(
        job.res, gather.bins.format.bins, gather);
  }

  static void group_by_sort(const batch_job<B, Bits>& job, const update_admission& admission,
                            const sorted_runs<Bits>& runs) {
    const sort_format& format = runs.format;
    std::uint64_t* const keys = job.scratch.keys();
    for_each_tile<1>(job.res, job.updates.batch.size, key_updates{admission, format, keys});
    const auto first_bit = static_cast<int>(format.shift() + format.index_bits);
    sort(job.res, keys, runs.count, first_bit, first_bit + static_cast<int>(format.index_bits));
    gather_runs(job.res, runs);
    const std::size_t stretches = (runs.count + list_sorted_updates::stretch - 1) / list_sorted_updates::stretch;
    for_each_tile<32>(job.res, stretches,
                      list_sorted_updates{format, keys, runs.count, job.heads, job.scratch.hubs, job.status});
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

  /// Directed updates from which dealing them out to bins beats following chains.
  static constexpr std::size_t bins_from = std::size_t{1} << 17;
  /// Directed updates from which sorting them by source beats following chains.
  static constexpr std::size_t sort_from = std::is_same_v<B, cpu> ? 256 : std::size_t{1} << 19;
  /// The same where chains are likely to be long.
  static constexpr std::size_t sort_skewed_from = std::min(sort_from, std::size_t{1} << 13);
  /// On the CPU, updates from which threads share the gathering.
  static constexpr std::size_t parallel_from = std::size_t{1} << 12;
};

}  // namespace mangrove::detail
