#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "layout_choice.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/pool_ref.hpp"
#include "mangrove/core/unrolled.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"
#include "outcome.hpp"

/// @file
/// What becomes of a batch on the direct path: one run of updates per vertex, the last update on each edge kept; and
/// what is counted and found out on the way.

namespace mangrove::detail {

/// Updates of one vertex in a batch, one per edge. Lists of them are aligned to their size.
struct vertex_run {
  std::uint32_t vertex;
  std::uint32_t first;  ///< of its updates among all gathered ones
  std::uint32_t count;
  std::uint32_t plan;  ///< what `plan_array` gives, or number of the plan for its new extent; `in_place` without one

  static constexpr std::uint32_t in_place = ~std::uint32_t{0};
  /// Updates of a vertex that one tile may have to work through; a vertex with more is a hub, unless those who find it
  /// let its run have some more.
  static constexpr std::uint32_t max_updates = 32;
  /// Fewer updates than a batch has whose arrays are planned in runs.
  static constexpr std::uint32_t too_many_for_array_plans = std::uint32_t{1} << 29;

  /// A plan for an array, which needs no more words. @param granules of its extent, at most a slab
  /// @param request number within the size class
  [[nodiscard]] MANGROVE_HOST_DEVICE static constexpr std::uint32_t plan_array(std::uint32_t granules,
                                                                               std::uint32_t request) {
    return array_bit | (granules - 1) << granules_shift | request;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool has_array_plan() const { return plan != in_place && (plan & array_bit) != 0; }
  /// Of the planned array.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t granules() const { return (plan >> granules_shift & 3) + 1; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t request() const { return plan & (too_many_for_array_plans - 1); }

 private:
  static constexpr std::uint32_t array_bit = std::uint32_t{1} << 31;
  static constexpr std::uint32_t granules_shift = 29;
  static_assert(granules_per_slab == 4);
};

/// Sizes of tables that are changed, or made anew, in scratch; those of one size share a launch.
inline constexpr std::uint32_t scratch_table_sizes = 2;

/// Numbers of such tables, of hubs, by size.
using hub_table_counts = std::array<std::size_t, scratch_table_sizes>;

/// Slabs that a tile's scratch has room for, by size.
MANGROVE_HOST_DEVICE constexpr std::uint32_t slabs_in_scratch(std::uint32_t size) {
  return size == 0 ? 32 : 384;
}

/// The smallest size that so many slabs fit into; `scratch_table_sizes` if there is none.
MANGROVE_HOST_DEVICE constexpr std::uint32_t scratch_size_for(std::uint32_t slabs) {
  std::uint32_t size = 0;
  while (size < scratch_table_sizes && slabs > slabs_in_scratch(size)) ++size;
  return size;
}

/// Kinds of adjacency that the direct path changes, each of which has a list of the runs that are applied to it.
inline constexpr std::uint32_t run_kinds = 3;
/// Behind these: the lists of runs whose vertex has a table that is made anew in scratch, or was one, by its size.
inline constexpr std::uint32_t remade_runs = run_kinds;
inline constexpr std::uint32_t run_lists_count = remade_runs + scratch_table_sizes;

/// On which terms a change of the graph is queued: each has launches, and makes changes, that the one before does not.
enum class change_terms : std::uint8_t {
  in_place,    ///< no vertex moves to a table or from one; arrays move wherever they are applied to
  in_scratch,  ///< those that do fit into scratch
  all_moves,   ///< but the pool has to meet the demand as it is
  granted      ///< the host has seen the demand and met it
};

/// A counter in a cache line of its own: atomics on counters in one line wait for each other.
struct alignas(128) spread_counter {
  std::uint32_t value;
};

/// Directed edges by what came of them.
struct run_outcomes {
  std::uint32_t edges[outcome_kinds];
  std::uint32_t loops[outcome_kinds];  ///< self loops among them
};

/// What the bodies of a batch count and find out; in the backend's memory, zero at first. What tiles wait to read
/// before they begin, `beyond` most of all, lies in another cache line than hubs, runs and extents, which many of them
/// count meanwhile.
struct batch_status {
  spread_counter listed[run_lists_count];  ///< runs, by list
  spread_counter growing;   ///< runs whose vertex may need another extent, where a step of its own plans them
  spread_counter updates;   ///< gathered
  spread_counter remaking;  ///< runs whose tables parts of tiles have begun to make anew

  // Counted while the graph is changed; nobody waits for `met` any more then.
  alignas(128) run_outcomes outcomes;
  std::uint32_t met;  ///< tiles of `change_chained`, between phases; elsewhere 1 once extents have been granted

  // Counted while updates are grouped.
  alignas(128) std::uint32_t hubs;                ///< vertices whose updates make no run
  std::uint32_t long_runs;                        ///< not 0: some vertex has more updates than a run holds
  std::uint32_t hub_pieces;                       ///< of their updates
  std::uint32_t placed_pieces;                    ///< of the updates of hubs whose tables are changed where they are
  std::uint32_t hub_tables[scratch_table_sizes];  ///< tables of hubs that are changed in scratch, by size
  std::uint32_t shrinking;                        ///< pieces of the tables of hubs that hardly anything is left of
  std::uint32_t ended;                            ///< tiles that have counted the extents that they demand

  // Read by whoever changes the graph.
  alignas(128) std::uint32_t tasks;  ///< pieces of tables that move
  std::uint32_t unsuited;            ///< not 0: the batch is for the sorted path
  std::uint32_t crowded;             ///< not 0: bins or chains do not suit the batch, which has to be grouped anew
  std::uint32_t foreseen;            ///< not 0: some hub's table cannot be planned before more is found out
  std::uint32_t unforeseen;          ///< not 0: for some hub that would have to be more than was
  std::uint32_t index_limit;         ///< one more than the largest index that comes to be beyond the dictionary
  std::uint32_t beyond;              ///< not 0: there is no room for some such index
  std::uint32_t creating;            ///< vertices that come to be, repeats included, or updates to look at
  std::uint32_t vertices_created;    ///< how many
  std::uint64_t granules_left;       ///< that the pool has memory for
  pool_verdict verdict;

  alignas(128) pool_demand demand;                   ///< `given` is what may be given at most
  std::array<std::uint32_t, size_classes> returned;  ///< extents really given

  /// Whether the pool can meet the demand as it is.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool has_extents() const {
    return (verdict.refused == 0) & (verdict.fresh <= granules_left);
  }

  /// Whether the batch comes again, with room for more vertices; known once its updates have been admitted.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool comes_again() const { return beyond != 0; }

  /// The least that a change of the graph has to be queued with, if the pool can meet the demand.
  [[nodiscard]] MANGROVE_HOST_DEVICE change_terms moves() const {
    const std::uint32_t remade = listed[remade_runs].value | listed[remade_runs + 1].value;
    const change_terms without_tasks = remade != 0 ? change_terms::in_scratch : change_terms::in_place;
    return tasks != 0 ? change_terms::all_moves : without_tasks;
  }

  /// Whether the graph may be changed. Reads all that it may depend on at once: every launch that changes the graph
  /// waits for this first.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool ready(change_terms terms) const {
    const bool suits = (unsuited | crowded | unforeseen | beyond) == 0;
    return suits & ((terms == change_terms::granted) | (has_extents() & (moves() <= terms)));
  }
};

/// A batch of edge updates by index, undirected ones to be read in both directions.
struct edge_updates {
  indexed_updates batch;
  edge_direction direction;
  self_loops loops;
  bool names_new_vertices;  ///< the batch has new ids; those of dropped self loops would have to be taken back

  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t size() const {
    return direction == edge_direction::directed ? batch.size : 2 * batch.size;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::uint32_t i) const {
    if (direction == edge_direction::directed) return batch.sources[i];
    return i % 2 == 0 ? batch.sources[i / 2] : batch.targets[i / 2];
  }
  /// Position in the batch of the update that directed update i is of.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t sequence(std::uint32_t i) const {
    return direction == edge_direction::directed ? i : i / 2;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::uint32_t i) const {
    if (direction == edge_direction::directed) return batch.targets[i];
    return i % 2 == 0 ? batch.targets[i / 2] : batch.sources[i / 2];
  }
};

/// Links of chains of updates: one more than an update's position, or one of these.
inline constexpr std::uint32_t chain_end = 0;
inline constexpr std::uint32_t not_chained = ~std::uint32_t{0};

}  // namespace mangrove::detail
