#pragma once

#include "gather_runs.hpp"
#include "mangrove/core/lane_share.hpp"

namespace mangrove::detail {

/// Who plans the runs whose vertices have tables, or get them, and may need other extents: the tile that finds them,
/// which spares small batches a launch, or `plan_lane`, so that gathering large ones is no slower. Arrays are planned
/// where they are found in any case.
enum class run_planning { here, later };

/// What the bodies have in common in which a tile with scratch finds many runs: it numbers the runs of each list, and
/// the extents of each size that it plans, by one atomic.
template <class Bits, run_planning Planning>
struct block_runs : run_lists<Bits> {
  using base = run_lists<Bits>;
  using base::growing, base::lists, base::nowhere, base::plans, base::status, base::to_growing;
  using typename base::sorted_run;

  /// A tile's counters.
  struct counters {
    std::uint32_t gifts[size_classes];  ///< extents that may be given back, by size class
    std::uint32_t taken[size_classes];  ///< extents that are planned; then the number of the first one
    std::uint32_t listed[run_lists_count];
  };

  /// Where runs stand in order of kind, those of tables, which are the last ones, begin at a multiple: the lanes of a
  /// warp that had other kinds as well would take them one after the other.
  static constexpr std::uint32_t tables_from = 32;

  /// Where a run goes whose vertex has a `run_plan`: `planned` more than its list, and above that the size class.
  static constexpr std::uint32_t planned = 8;
  static constexpr std::uint32_t class_shift = 4;
  static_assert(planned > nowhere && planned >= run_lists_count && 2 * planned == 1U << class_shift);

  /// Clears the counters; the caller syncs.
  template <class Tile>
  MANGROVE_HOST_DEVICE static void clear(const Tile& tile, counters& in) {
    tile.strided(size_classes, [&](std::size_t of) { in.gifts[of] = in.taken[of] = 0; });
  }

  /// Finds out where a run goes. By one lane. @param old the vertex's entry
  [[nodiscard]] MANGROVE_HOST_DEVICE sorted_run sort_out(counters& in, const vertex_run& run,
                                                         const vertex_entry& old) const {
    return base::sort(run, old, demand{in});
  }

  /// The same, and plans its vertex's extent if it may need another one. @param number of the plan
  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE sorted_run sort_out_and_plan(const Lane& lane, counters& in, const vertex_run& run,
                                                                  const vertex_entry& old, std::uint32_t number) const {
    const sorted_run made = sort_out(in, run, old);
    return made.to == to_growing ? plan(lane, in, run, old, number) : made;
  }

  /// Lists all runs of the tile, in order: lanes have neighbouring ones, so that those that are applied side by side
  /// find their entries in the same lines of the cache.
  /// @param count of runs
  /// @param to_of gives where run k goes @param run_of gives run k, both as `sort_out` did
  /// @param counted is called when all that the tile demands is counted
  /// @param listed is called with k, run k, and its place if runs stood in order of kind, unless its table is made anew
  /// @return the end of these places
  template <class Tile, class ToOf, class RunOf, class Counted, class Listed>
  MANGROVE_HOST_DEVICE std::uint32_t list_all(const Tile& tile, counters& in, std::uint32_t count, ToOf to_of,
                                              RunOf run_of, Counted counted, Listed listed) const {
    tile.sync();  // lanes list runs that others have found
    const lane_share mine = lane_share::of(tile, count);
    std::uint64_t runs = 0;
    mine.for_each([&](std::uint32_t k) {
      if (to_of(k) != nowhere) runs += one_of(list_of(to_of(k)));
    });
    auto [before, all] = tile.scan(runs);
    number(tile, in, all);
    counted();
    mine.for_each([&](std::uint32_t k) {
      const std::uint32_t to = to_of(k);
      if (to == nowhere) return;
      const std::uint32_t list = list_of(to);
      const vertex_run run = with_number(in, to, run_of(k));
      put(in, before, to, run);
      if (list < run_kinds) listed(k, run, place(before, all, list));
      before += one_of(list);
    });
    return place(all, all, tables);
  }

  /// The list that a run goes to.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t list_of(std::uint32_t to) {
    return to >= planned ? to % planned : to;
  }

 private:
  /// Counts what runs demand, for `sort`.
  struct demand {
    static constexpr bool plans_arrays = true;
    counters& in;
    MANGROVE_HOST_DEVICE void give(std::uint32_t size_class) const { fetch_add(in.gifts + size_class, 1U); }
    MANGROVE_HOST_DEVICE std::uint32_t take(std::uint32_t size_class) const {
      return fetch_add(in.taken + size_class, 1U);
    }
  };

  static constexpr auto inlined = static_cast<std::uint32_t>(adjacency_kind::inlined);
  static constexpr auto arrays = static_cast<std::uint32_t>(adjacency_kind::array);
  static constexpr auto tables = static_cast<std::uint32_t>(adjacency_kind::hash);

  /// Runs of the lists before it are counted together, 16 bits each; of the last one there are few.
  static constexpr std::uint32_t last_list = run_lists_count - 1;
  static_assert(last_list == 4 && to_growing < last_list);

  MANGROVE_HOST_DEVICE static constexpr std::uint64_t one_of(std::uint32_t list) {
    return list == last_list ? 0 : std::uint64_t{1} << (16 * list);
  }
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t count_of(std::uint64_t packed, std::uint32_t list) {
    return static_cast<std::uint32_t>(packed >> (16 * list) & 0xffff);
  }

  /// Where the next run of a list stands if those of the lists before it stand first, and tables from a multiple on.
  MANGROVE_HOST_DEVICE static std::uint32_t place(std::uint64_t before, std::uint64_t all, std::uint32_t list) {
    const std::uint32_t at = count_of(before, list);
    if (list == inlined) return at;
    const std::uint32_t arrays_from = count_of(all, inlined);
    if (list == arrays) return arrays_from + at;
    return (arrays_from + count_of(all, arrays) + tables_from - 1) / tables_from * tables_from + at;
  }

  /// Decides what becomes of a vertex that may need another extent, and plans that.
  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE sorted_run plan(const Lane& lane, counters& in, vertex_run run,
                                                     const vertex_entry& old, std::uint32_t number) const {
    const run_decision<Bits> next = base::decide_ahead(lane, run, old);
    if (next.has_tree()) {
      store_relaxed(&status->unsuited, 1U);
      return {};
    }
    const std::uint32_t size_class = size_class_of(next.choice.granules);
    if (next.gives_old()) fetch_add(in.gifts + size_class_of(old.granules()), 1U);
    if (next.gives_new()) fetch_add(in.gifts + size_class, 1U);
    if (next.stays) return {run, next.list()};
    const std::uint32_t taken = fetch_add(in.taken + size_class, 1U);
    if (next.moves_array() && base::updates.size() < vertex_run::too_many_for_array_plans) {
      run.plan = vertex_run::plan_array(next.choice.granules, taken);
      return {run, next.list()};
    }
    run.plan = number;
    plans[run.plan] = {old, next.choice.kind, next.choice.granules, taken};
    if (next.moves_in_pieces()) base::list_pieces(lane, run.plan, old, next.choice);
    return {run, size_class << class_shift | (planned + next.list())};
  }

  /// Numbers all runs of the tile in their lists, and its extents. @pre all are counted
  template <class Tile>
  MANGROVE_HOST_DEVICE void number(const Tile& tile, counters& in, std::uint64_t runs) const {
    tile.strided(size_classes + last_list, [&](std::size_t k) {  // in one go: nobody waits for two atomics
      k < size_classes ? number_extents(in, static_cast<std::uint32_t>(k))
                       : number_runs(in, runs, static_cast<std::uint32_t>(k - size_classes));
    });
    tile.sync();
  }

  MANGROVE_HOST_DEVICE void number_extents(counters& in, std::uint32_t size_class) const {
    if (in.gifts[size_class] != 0) fetch_add(&status->demand.given[size_class], in.gifts[size_class]);
    if (in.taken[size_class] == 0) return;
    in.taken[size_class] = fetch_add(&status->demand.taken[size_class], in.taken[size_class]);
  }

  MANGROVE_HOST_DEVICE void number_runs(counters& in, std::uint64_t runs, std::uint32_t list) const {
    const std::uint32_t count = count_of(runs, list);
    const bool grow = Planning == run_planning::later && list == to_growing;
    std::uint32_t* const counter = grow ? &status->growing.value : &status->listed[list].value;
    in.listed[list] = count == 0 ? 0 : fetch_add(counter, count);
  }

  /// A run with its planned extent numbered among all, not only among the tile's.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run with_number(const counters& in, std::uint32_t to,
                                                            vertex_run run) const {
    if (to >= planned) {
      fetch_add(&plans[run.plan].taken, in.taken[to >> class_shift]);  // which nothing has to be read for
    } else if (run.has_array_plan()) {
      run.plan += in.taken[size_class_of(run.granules())];
    }
    return run;
  }

  /// Lists a run. @param before those that the tile has listed, or will, in front of it
  MANGROVE_HOST_DEVICE void put(const counters& in, std::uint64_t before, std::uint32_t to,
                                const vertex_run& run) const {
    const std::uint32_t list = list_of(to);
    const std::uint32_t at =
        list == last_list ? count_up_one(&status->listed[last_list].value) : in.listed[list] + count_of(before, list);
    store_whole((to == to_growing ? growing : lists[list]) + at, run);
  }
};

}  // namespace mangrove::detail
