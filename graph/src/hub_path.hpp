#pragma once

#include <cstddef>
#include <cstdint>

#include "batch_job.hpp"
#include "hub_shrink.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/mirrored.hpp"

namespace mangrove::detail {

/// The hubs of a batch on the direct path: they are planned once the host knows of them, and their edges changed one
/// by one.
template <backend B, class Bits>
class hub_path {
 public:
  /// Forgets the batch before.
  void clear() noexcept { hubs_ = updates_ = 0; }
  [[nodiscard]] bool empty() const noexcept { return hubs_ == 0; }

  /// Takes the marks off hubs that grouping found.
  static void unmark(const batch_job<B, Bits>& job, std::uint32_t hubs) {
    for_each_tile<1>(job.res, hubs, unmark_hub{job.scratch.hubs.hubs, job.heads});
  }

  /// Finds out what the hubs' updates come to, and plans their tables.
  /// @param grouped_by how the batch was; a sort has listed their updates
  void plan(const batch_job<B, Bits>& job, mirrored<B, batch_status>& status, grouping grouped_by) {
    const hub_list& list = job.scratch.hubs;
    const batch_status& seen = status.last();
    hubs_ = seen.hubs;
    updates_ = seen.hub_updates;
    if (grouped_by != grouping::sort) {
      for_each_tile<1>(job.res, job.updates.size(),
                       list_chained_update{job.updates, job.heads, job.scratch.next, list, job.status});
      updates_ = status.fetch(job.res).hub_updates;
      for_each_tile<1>(job.res, hubs_, share_named_edges{list.hubs, updates_});
    }
    unmark(job, hubs_);
    find_outcomes(job);
    for_each_tile<8>(job.res, hubs_, plan_hub<Bits>{job.view(), list.hubs, job.parts.rule, job.planner(), job.status});
    fill_bytes(job.res, &job.status->hubs_planned, 1, 1);
  }

  /// Queues the changes.
  void change(const batch_job<B, Bits>& job, const pool_ref& pool) const {
    const run_changes<Bits> common = job.changes(0, pool);
    const hub_list& list = job.scratch.hubs;
    const hub_changes<Bits> one{common, list};
    table_task* const tasks = job.scratch.tasks;
    const std::uint32_t capacity = job.scratch.task_capacity;
    for_each_tile<1>(job.res, hubs_, publish_hub<Bits>{common, list.hubs, tasks, capacity});
    const bool mixed = job.updates.batch.kinds != nullptr;
    const bool inserts = mixed || job.updates.batch.kind == update_kind::insert;
    if (mixed || !inserts || !is_none<Bits>) for_each_tile<4>(job.res, updates_, change_hub_edge<Bits>{one});
    if (inserts) for_each_tile<1>(job.res, updates_, insert_hub_edge<Bits>{one});
    for_each_counted<32>(job.res, &job.status->shrinking, capacity, find_left<Bits>{common, list.hubs, tasks});
    for_each_counted<1>(job.res, &job.status->shrinking, capacity, shrink_hub<Bits>{common, list.hubs, tasks});
  }

 private:
  void find_outcomes(const batch_job<B, Bits>& job) const {
    const hub_list& list = job.scratch.hubs;
    const std::size_t slots = 2 * std::size_t{updates_};
    buffer<B, std::uint64_t> edges(job.res, slots);
    buffer<B, std::uint32_t> last(job.res, slots);
    fill_bytes(job.res, edges.data(), 0xff, slots);
    fill_bytes(job.res, last.data(), 0, slots);
    const named_edges named{edges.data(), last.data()};
    for_each_tile<1>(job.res, updates_, note_hub_update{list, named});
    for_each_tile<1>(job.res, updates_, decide_hub_update<Bits>{job.view(), job.updates.batch, list, named});
  }

  std::uint32_t hubs_ = 0;
  std::uint32_t updates_ = 0;  ///< theirs
};

}  // namespace mangrove::detail
