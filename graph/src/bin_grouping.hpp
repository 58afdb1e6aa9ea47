#pragma once

#include <cstddef>

#include "batch_job.hpp"
#include "bin_dealing.hpp"
#include "bin_format.hpp"
#include "bin_updates.hpp"
#include "exact_bins.hpp"
#include "gather_bin.hpp"
#include "gather_full_bin.hpp"
#include "mangrove/core/for_each_scratch.hpp"

namespace mangrove::detail {

/// Groups a batch by source through bins of vertices, to which tiles with scratch deal updates out, and from each of
/// which a tile gathers runs.
template <backend B, class Bits>
class bin_grouping {
  using job_type = batch_job<B, Bits>;

 public:
  /// The bins of a batch that is to be dealt out to them; they may not suit it.
  static bin_format format_for(const job_type& job, grouping way) {
    return bin_format::for_batch(job.index_count, job.updates.size(), job.positions(), job.room_for_keys(),
                                 spread_of(way));
  }

  static bin_format full_format_for(const job_type& job) {
    const std::size_t updates = job.updates.size();
    return bin_format::for_hubs(job.index_count, updates, job.positions(), stretches_of(job), updates);
  }

  /// Queues the grouping by bins of one size. @param meanwhile is called once, when the device has something to do
  template <class F>
  static void group(const job_type& job, grouping way, const update_admission& admission, const run_lists<Bits>& lists,
                    const F& meanwhile) {
    const update_bins bins{format_for(job, way), job.scratch.keys(), job.bins};
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

  /// The same by bins with as much room as they need.
  template <class F>
  static void group_in_full(const job_type& job, const update_admission& admission, const run_lists<Bits>& lists,
                            const F& meanwhile) {
    const update_bins bins{full_format_for(job), job.scratch.sorted, job.bins, job.bins + bin_format::max_bins};
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

 private:
  template <bin_slots Way>
  static void gather_bins_of(const resources<B>& res, const run_lists<Bits>& lists, const update_bins& bins,
                             const update_admission& admission) {
    gather_bins(res, gather_bin<Bits, Way>{{lists}, bins, admission});
  }

  static bin_dealing dealing_of(const job_type& job, const update_bins& bins, const update_admission& admission) {
    return {admission, bins, bin_dealing::stretch_for(job.updates), job.scratch.sequences != nullptr};
  }

  static std::size_t stretches_of(const job_type& job) {
    const std::size_t stretch = bin_dealing::stretch_for(job.updates);
    return (job.updates.batch.size + stretch - 1) / stretch;
  }

  template <class Gather>
  static void gather_bins(const resources<B>& res, const Gather& gather) {
    for_each_tile_with_scratch<Gather::width, Gather::scratch_bytes>(res, gather.bins.format.bins, gather);
  }
};

}  // namespace mangrove::detail
