#pragma once

#include <type_traits>

#include "batch_gate.hpp"
#include "batch_job.hpp"
#include "hub_path.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "run_path.hpp"

namespace mangrove::detail {

/// The last step of the direct path: all that changes the graph, once a batch is planned.
template <backend B, class Bits>
class queued_changes {
 public:
  using job = batch_job<B, Bits>;

  /// Queues it; does nothing where the batch may not go. @param way how the batch was grouped
  static void make(const job& work, grouping way, const pool_ref& pool, const batch_gate& gate) {
    if constexpr (std::is_same_v<B, cpu>) {
      if (!work.status->ready(gate.terms)) return;
    }
    if (gate.terms >= change_terms::all_moves) runs::move_in_pieces(work, pool, gate.terms);
    const independent_loops<B> loops(work.res, gate.start);  // a vertex has a run or is a hub
    if (finds_hubs(way)) {
      change_with_hubs(work, pool, gate.terms, loops.res());
    } else {
      runs::change(work, way, pool, gate, loops.res());
    }
  }

 private:
  using hubs = hub_path<B, Bits>;
  using runs = run_path<B, Bits>;

  /// Large tables of hubs take single tiles long: where many small ones are made anew, as inserts do, these come after
  /// them, and fill what they leave of the device.
  static void change_with_hubs(const job& work, const pool_ref& pool, change_terms terms, const resources<B>& beside) {
    static_assert(scratch_table_sizes == 2);
    const bool large_first = hubs::only_inserts(work);
    hubs::change_in_place(work, pool, terms, beside);
    runs::apply_uneven(work, pool, terms, beside);
    if (large_first) hubs::template change_in_scratch<1>(work, pool, terms, beside);
    runs::remake(work, pool, terms, beside);
    hubs::template change_in_scratch<0>(work, pool, terms, beside);
    if (!large_first) hubs::template change_in_scratch<1>(work, pool, terms, beside);
    hubs::shrink(work, pool, terms);
  }
};

}  // namespace mangrove::detail
