#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "batch_job.hpp"
#include "gather_stretch.hpp"
#include "mangrove/core/bulk.hpp"

namespace mangrove::detail {

/// The first step of the direct path: from a batch's updates to runs by source, sorted out by the adjacency that each
/// will find.
template <backend B, class Bits>
class run_grouping {
 public:
  /// Queues it. @param skewed whether chains are likely to be long @return whether it was done by a sort
  static bool group(const batch_job<B, Bits>& job, bool skewed) {
    const update_admission admission{job.updates, job.parts.present.data(), job.index_count, job.status};
    const run_lists<Bits> lists = lists_of(job);
    const sort_format format = format_of(job);
    const std::size_t from = skewed ? sort_skewed_from : sort_from;
    if (job.updates.size() >= from && (format.packed || job.scratch.sequences == nullptr)) {
      group_by_sort(job, admission, {lists, format, job.scratch.keys(), job.updates.size(), job.scratch.next});
      return true;
    }
    for_each_tile<1>(job.res, job.updates.batch.size, chain_updates{admission, job.heads, job.scratch.next});
    for_each_tile<1>(job.res, job.updates.size(), gather_chain<Bits>{lists, job.scratch.next});
    return false;
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

  /// Positions only where something depends on them.
  static sort_format format_of(const batch_job<B, Bits>& job) {
    return sort_format::for_batch(job.index_count, job.scratch.sequences == nullptr ? 0 : job.updates.batch.size);
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

  /// Directed updates from which sorting them by source beats following chains.
  static constexpr std::size_t sort_from = std::is_same_v<B, cpu> ? 256 : std::size_t{1} << 19;
  /// The same where chains are likely to be long.
  static constexpr std::size_t sort_skewed_from = std::min(sort_from, std::size_t{1} << 13);
  /// On the CPU, updates from which threads share the gathering.
  static constexpr std::size_t parallel_from = std::size_t{1} << 12;
};

}  // namespace mangrove::detail
