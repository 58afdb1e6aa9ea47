#pragma once

#include "mangrove/core/load_row.hpp"
#include "run_plan.hpp"

/// @file
/// From updates that are grouped by source to runs, each in the list of the adjacency that it will find. Small batches
/// are grouped by chains, `gather_chain.hpp`; for large ones, whose chains would be long walks through memory, a sort
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
  using typename base::layout;

  vertex_run* lists[run_lists_count];
  vertex_run* growing;  ///< gets runs whose vertices may need other extents, unless those who find them plan these

  /// Where a run goes: to the list of a kind, to the growing ones, or nowhere.
  static constexpr std::uint32_t to_growing = run_kinds;
  static constexpr std::uint32_t destinations = run_kinds + 1;
  static constexpr std::uint32_t nowhere = destinations;

  struct sorted_run {
    vertex_run run;
    std::uint32_t to = nowhere;
  };

  /// Counts extents that may be given back, one by one, for `sort`.
  struct shared_demand {
    static constexpr bool plans_arrays = false;
    pool_demand* all;
    MANGROVE_HOST_DEVICE void give(std::uint32_t size_class) const { count_up(&all->given[size_class]); }
  };

  /// Finds out where a run goes.
  [[nodiscard]] MANGROVE_HOST_DEVICE sorted_run sort(const vertex_run& run) const {
    return sort(run, graph.entries[run.vertex], shared_demand{&status->demand});
  }

  /// The same. @param old the vertex's entry
  /// @param demand its `give` counts an extent that may be given back, by size class; where it `plans_arrays`, its
  /// `take` counts one that is taken, and tells its number
  template <class Demand>
  [[nodiscard]] MANGROVE_HOST_DEVICE sorted_run sort(const vertex_run& run, const vertex_entry& old,
                                                     const Demand& demand) const {
    const std::uint32_t inserts = inserts_of(run);
    const std::uint32_t erases = run.count - inserts;
    if (!policy.fits_in_place(old, inserts, erases)) {
      if constexpr (Demand::plans_arrays) {
        const layout_choice next = policy.choose(old, old.degree + inserts, erases);
        return plan_array(run, old, inserts, erases, next, demand);
      }
      return {run, to_growing};
    }
    if (may_shrink(old, erases)) demand.give(size_class_of(old.granules()));
    return {run, static_cast<std::uint32_t>(layout::kind(old))};
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
        if (sorted[k].to == static_cast<std::uint32_t>(to)) store_whole(destination + at[to]++, sorted[k].run);
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

 protected:
  /// How many of a run's updates are inserts; the others are erases.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t inserts_of(const vertex_run& run) const {
    std::uint32_t inserts = updates.batch.kind == update_kind::insert ? run.count : 0;
    if (updates.batch.kinds != nullptr) inserts = count_inserts(run.first, run.count);
    return inserts;
  }

  /// Whether a vertex whose extent stays may come to shrink into its entry: it is beyond the inline capacity, but maybe
  /// not for long. One comparison, since nothing predicts who is beyond.
  [[nodiscard]] MANGROVE_HOST_DEVICE static bool may_shrink(const vertex_entry& old, std::uint32_t erases) {
    return old.degree - (layout::inline_capacity + 1) < erases;
  }

  /// Plans another array as if all edges to insert were new: nothing has to be looked up for that, and who applies the
  /// run gives back what was not needed, if what the vertex has may suffice: it has as many neighbours afterwards as it
  /// had at least, and as many as it gets. Where there is a table, or is to be one, the run goes to the growing ones.
  /// @param next what the vertex gets
  template <class Demand>
  [[nodiscard]] MANGROVE_HOST_DEVICE sorted_run plan_array(vertex_run run, const vertex_entry& old,
                                                           std::uint32_t inserts, std::uint32_t erases,
                                                           const layout_choice& next, Demand& demand) const {
    const adjacency_kind was = layout::kind(old);
    const bool moves_array = was == adjacency_kind::inlined || was == adjacency_kind::array;
    if (!moves_array || next.kind != adjacency_kind::array || updates.size() >= vertex_run::too_many_for_array_plans) {
      return {run, to_growing};
    }
    const std::uint32_t size_class = size_class_of(next.granules);
    const bool has_array = was == adjacency_kind::array;
    if (has_array) demand.give(size_class_of(old.granules()));
    const std::uint32_t least = old.degree > inserts ? old.degree : inserts;
    const std::uint32_t slots = has_array ? layout::array_slots(old.granules()) : layout::inline_capacity;
    if (erases != 0 || least <= slots) demand.give(size_class);
    run.plan = vertex_run::plan_array(next.granules, demand.take(size_class));
    return {run, static_cast<std::uint32_t>(adjacency_kind::array)};
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
