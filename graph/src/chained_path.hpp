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
class chained_path {
 public:
  using job = batch_job<B, Bits>;

  /// For no batch.
  chained_path() = default;

  /// @param singly_to directed updates up to which a lane shall have one, so that as many lanes as can be share them
  /// @param most directed updates
  chained_path(const resources<B>& res, std::size_t singly_to, std::size_t most)
      : singly_to_(std::min({most, singly_to, most_updates<1>(res)})), most_(std::min(most, most_updates<2>(res))) {}

  /// Whether it is for a batch.
  [[nodiscard]] bool suits(const edge_updates& updates) const { return updates.size() <= most_; }

  /// Queues all of a batch. Where the batch may not go, or a vertex has to move that `terms` leave out, its runs are
  /// planned and listed. @pre `suits`; `terms` are below `all_moves`
  void change(const job& work, const pool_ref& pool, change_terms terms) const {
    const independent_loops<B> loops(work.res);
    if (work.updates.size() <= singly_to_) {
      change_by<1>(work, pool, terms, loops.res());
    } else {
      change_by<2>(work, pool, terms, loops.res());
    }
    if (terms >= change_terms::in_scratch) run_path<B, Bits>::remake(work, pool, terms, loops.res());
  }

 private:
  /// @tparam Each updates of a lane
  template <int Each>
  using body = change_chained<Bits, Each>;

  /// Cost: some microseconds of the host.
  template <int Each>
  static std::size_t most_updates(const resources<B>& res) {
    const std::size_t tiles = most_tiles_in_phases<body<Each>::width, body<Each>::scratch_bytes, body<Each>>(res);
    const std::size_t for_updates = tiles == 0 ? 0 : tiles - 1;  // one grants
    return std::min(for_updates, ~std::size_t{0} / body<Each>::stretch) * body<Each>::stretch;
  }

  template <int Each>
  static void change_by(const job& work, const pool_ref& pool, change_terms terms, const resources<B>& res) {
    const std::size_t tiles = body<Each>::gather_body::calls_for(work.updates.size());
    const update_admission admission = work.admission();
    const grant_beside grant{work.granter(), static_cast<std::uint32_t>(tiles)};
    const body<Each> all{{admission, work.heads, work.scratch.next, noted_ends::besides_sources},
                         {{{work.lists()}, work.heads, work.scratch.next}, admission, grant},
                         work.changes(0, pool, terms),
                         work.maker()};
    for_each_tile_in_phases<body<Each>::width, body<Each>::scratch_bytes>(res, tiles + 1, all, &work.status->met);
  }

  std::size_t singly_to_ = 0;
  std::size_t most_ = 0;
};

}  // namespace mangrove::detail
