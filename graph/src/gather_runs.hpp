#pragma once

#include "run_plan.hpp"

/// @file
/// From updates that are grouped by source to runs, each in the list of the adjacency that it will find. Small batches
/// are grouped by chains, `gather_chains.hpp`; for large ones, whose chains would be long walks through memory, a sort
/// by source costs less: `gather_sorted.hpp`.

namespace mangrove::detail {

/// Tells of most targets that they are new, so that repeats need not be looked for among those that a lane has.
class target_filter {
 public:
  /// @return whether the target may have been added before
  MANGROVE_HOST_DEVICE bool add(std::uint32_t target) {
    const std::uint64_t bit = std::uint64_t{1} << (target * golden_ratio >> 26);
    const bool maybe = (seen_ & bit) != 0;
    seen_ |= bit;
    return maybe;
  }

 private:
  static constexpr std::uint32_t golden_ratio = 0x9e3779b9;  ///< of 2^32: spreads neighbouring numbers

  std::uint64_t seen_ = 0;
};

/// What the ways of grouping have in common.
template <class Bits>
struct run_lists : run_planner<Bits> {
  using base = run_planner<Bits>;
  using base::graph, base::policy, base::sequences, base::status, base::targets, base::updates;

  vertex_run* lists[run_lists_count];
  vertex_run*
      growing;  ///< gets the runs whose vertex may need another extent, unless the tile that finds them plans them

  /// Where a run goes: to the list of a kind, to the growing ones, or nowhere.
  static constexpr std::uint32_t to_growing = run_kinds;
  static constexpr std::uint32_t destinations = run_kinds + 1;
  static constexpr std::uint32_t nowhere = destinations;

  struct sorted_run {
    vertex_run run;
    std::uint32_t to = nowhere;
  };

  /// Finds out where a run goes.
  [[nodiscard]] MANGROVE_HOST_DEVICE sorted_run sort(const vertex_run& run) const {
    return sort(run, graph.entries[run.vertex],
                [this](std::uint32_t size_class) { count_up(&status->demand.given[size_class]); });
  }

  /// The same. @param old the vertex's entry
  /// @param count_gift is called with the size class of an extent that may be given back
  template <class CountGift>
  [[nodiscard]] MANGROVE_HOST_DEVICE sorted_run sort(const vertex_run& run, const vertex_entry& old,
                                                     CountGift count_gift) const {
    std::uint32_t inserts = updates.batch.kind == update_kind::insert ? run.count : 0;
    if (updates.batch.kinds != nullptr) inserts = count_inserts(run.first, run.count);
    const std::uint32_t erases = run.count - inserts;
    if (!fits_in_place(policy, old, inserts, erases)) return {run, to_growing};
    // Beyond the inline capacity, but maybe not for long: one comparison, since nothing predicts who is beyond.
    const bool may_shrink = old.degree - (entry_layout<Bits>::inline_capacity + 1) < erases;
    if (may_shrink) count_gift(size_class_of(old.granules()));
    return {run, static_cast<std::uint32_t>(entry_layout<Bits>::kind(old))};
  }

  /// Lists some runs. All lanes must come together, so that they share atomics.
  template <int N>
  MANGROVE_HOST_DEVICE void list(const sorted_run (&sorted)[N]) const {
    static_assert(destinations == 4);
    std::uint32_t* const counters[destinations] = {&status->listed[0].value, &status->listed[1].value,
                                                   &status->listed[2].value, &status->growing.value};
    std::uint32_t at[destinations] = {};
    unrolled<destinations>(
        [&](int to) { unrolled<N>([&](int k) { at[to] += sorted[k].to == static_cast<std::uint32_t>(to) ? 1 : 0; }); });
    count_up_four(counters, at);
    unrolled<destinations>([&](int to) {
      vertex_run* const destination = to == to_growing ? growing : lists[to];
      unrolled<N>([&](int k) {
        if (sorted[k].to == static_cast<std::uint32_t>(to)) destination[at[to]++] = sorted[k].run;
      });
    });
  }

  /// Writes one update of a run, unless a later one on the same edge is there. @return the updates that are there now
  MANGROVE_HOST_DEVICE std::uint32_t add(std::uint32_t first, std::uint32_t count, std::uint32_t target,
                                         std::uint32_t sequence) const {
    std::uint32_t k = 0;
    while (k < count && targets[first + k] != target) ++k;
    if (k == count) {
      targets[first + k] = target;
    } else if (sequences == nullptr || sequence < sequences[first + k]) {
      return count;
    }
    if (sequences != nullptr) sequences[first + k] = sequence;
    return k == count ? count + 1 : count;
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_inserts(std::uint32_t first, std::uint32_t count) const {
    std::uint32_t inserts = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      inserts += updates.batch.kinds[sequences[first + k]] == update_kind::insert ? 1 : 0;
    }
    return inserts;
  }
};

/// Steps along the updates of a vertex: repeats of an edge are dropped on the way.
inline constexpr std::uint32_t max_run_steps = 2 * vertex_run::max_updates;

}  // namespace mangrove::detail
