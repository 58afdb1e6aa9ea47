#pragma once

#include <algorithm>
#include <cstddef>

#include "batch_job.hpp"
#include "change_chained.hpp"
#include "mangrove/core/for_each_phase.hpp"
#include "run_path.hpp"

namespace mangrove::detail {

/// Small batches in one launch, and one beside its last phase for tables that are made anew. What other batches spend
/// on launches, and on reading again what the launch before has read, is much of what these take.
template <backend B, class Bits>
struct chained_path {
  using job = batch_job<B, Bits>;
  using body = change_chained<Bits>;

  /// How many directed updates it is for.
  static std::size_t most_updates(const resources<B>& res) {
    const std::size_t tiles = most_tiles_in_phases<body::width, body::scratch_bytes, body>(res);
    return std::min(tiles, ~std::size_t{0} / body::width) * body::width;
  }

  /// Queues all of a batch. Where the batch may not go, or a vertex has to move that `terms` leave out, its runs are
  /// planned and listed. @pre `terms` are below `all_moves`
  static void change(const job& work, const pool_ref& pool, change_terms terms) {
    const independent_loops<B> loops(work.res);
    const std::size_t tiles = body::gather_body::calls_for(work.updates.size());
    const update_admission admission{work.updates,     work.parts.present.data(),
                                     work.index_count, work.parts.vertex_count,
                                     work.creating(),  work.status};
    const grant_at_end grant{work.granter(), static_cast<std::uint32_t>(tiles)};
    const body all{{admission, work.heads, work.scratch.next},
                   {{{work.lists()}, work.heads, work.scratch.next}, grant},
                   work.changes(0, pool, terms),
                   {work.parts.present.data(), work.status}};
    for_each_tile_in_phases<body::width, body::scratch_bytes>(loops.res(), tiles, all, &work.status->met.value);
    if (terms >= change_terms::in_scratch) run_path<B, Bits>::remake(work, pool, terms, loops.res());
  }
};

}  // namespace mangrove::detail
