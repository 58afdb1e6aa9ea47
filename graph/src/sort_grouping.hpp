#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>

#include "batch_job.hpp"
#include "for_each_stretch.hpp"
#include "gather_sorted.hpp"
#include "gather_stretch.hpp"
#include "key_stretch.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "mangrove/core/run_in_parts.hpp"
#include "sort_ranges.hpp"

namespace mangrove::detail {

/// Groups a batch by source by sorting keys, from which runs are gathered.
/// @tparam Rule the backend's `grouping_rule`, or another one's in tests
template <backend B, class Bits, class Rule>
class sort_grouping {
  using job_type = batch_job<B, Bits>;

 public:
  /// Queues it. @param meanwhile is called once, when the device has something to do
  template <class F>
  static void group(const job_type& job, const update_admission& admission, const run_lists<Bits>& lists,
                    const F& meanwhile) {
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

 private:
  /// Makes keys and sorts them, a range of sources by each thread. @return false if that does not suit the batch
  static bool sort_in_ranges(const job_type& job, const key_updates& make) {
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

  static void sort_keys(const job_type& job, const sorted_keys& sorted) {
    const auto first_bit = static_cast<int>(sorted.format.first_bit);
    const auto last_bit = first_bit + static_cast<int>(sorted.format.format.index_bits);
    if constexpr (std::is_same_v<B, cpu>) {
      sort(job.res, job.scratch.sorted, job.scratch.spare_keys(), sorted.count, first_bit, last_bit);
    } else {
      sort(job.res, job.scratch.sorted, sorted.count, first_bit, last_bit);
    }
  }

  /// From updates to keys: a stretch of updates to a thread, one to a lane.
  static void make_keys(const job_type& job, const key_updates& make) {
    const std::size_t updates = job.updates.batch.size;
    if constexpr (!Rule::by_blocks) {
      for_each_stretch(job.res, updates, key_stretch::calls_for(updates), key_stretch{make});
    } else {
      for_each_tile<1>(job.res, updates, make);
    }
  }

  /// From sorted keys to runs: a stretch of keys to a thread or a block.
  static void gather_runs(const job_type& job, const run_lists<Bits>& lists, const sorted_keys& sorted) {
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
