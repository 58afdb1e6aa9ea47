#pragma once

#include "gather_runs.hpp"

namespace mangrove::detail {

/// Who plans the runs whose vertices may need other extents: the tile that finds them, which spares small batches a
/// launch, or `plan_lane`, which has other registers than the gathering of large ones.
enum class run_planning { here, later };

/// What the bodies have in common in which a tile with scratch finds many runs: it numbers those of each list, and the
/// extents of each size that it plans, by one atomic.
template <class Bits, run_planning Planning>
struct block_runs : run_lists<Bits> {
  using base = run_lists<Bits>;
  using base::growing, base::lists, base::nowhere, base::plans, base::status, base::to_growing;

  /// A tile's counters.
  struct counters {
    std::uint32_t gifts[size_classes];  ///< extents that may be given back, by size class
    std::uint32_t taken[size_classes];  ///< extents that are planned; then the number of the first one
    std::uint32_t listed[run_lists_count];
    std::uint32_t growing;
    std::uint32_t is_last;  ///< for `grant_at_end`
  };

  /// Where a run goes once it is planned: `planned` more than its list.
  static constexpr std::uint32_t planned = 8;
  static_assert(planned > nowhere && planned >= run_lists_count);

  /// Clears the counters; the caller syncs.
  template <class Tile>
  MANGROVE_HOST_DEVICE static void clear(const Tile& tile, counters& in) {
    tile.strided(size_classes, [&](std::size_t of) { in.gifts[of] = in.taken[of] = 0; });
    if (tile.lane() == 0) in.growing = 0;
  }

  /// What is called with the size class of an extent that may be given back.
  MANGROVE_HOST_DEVICE static auto count_gifts(counters& in) {
    return [&in](std::uint32_t size_class) { relaxed_add(in.gifts + size_class, 1U); };
  }

  /// Lists all runs of the tile, planned if that is done here.
  /// @param numbers scratch for two of each run @param count of runs @param first_plan number that plans may have
  /// @param to_of gives a reference to where run k goes, as `sort` found out @param run_of gives run k
  /// @param counted is called when all that the tile demands is counted
  /// @param listed is called with k, run k, and its place if runs stood by kind of adjacency, unless its table is made
  /// anew @return how many such places there are
  template <class Tile, class ToOf, class RunOf, class Counted, class Listed>
  MANGROVE_HOST_DEVICE std::uint32_t list_all(const Tile& tile, counters& in, std::uint16_t* numbers, std::size_t count,
                                              std::size_t first_plan, ToOf to_of, RunOf run_of, Counted counted,
                                              Listed listed) const {
    if constexpr (Planning == run_planning::here) plan_all(tile, in, numbers, count, first_plan, to_of, run_of);
    std::uint64_t runs = 0;
    tile.strided(count, [&](std::size_t k) {
      if (to_of(k) != nowhere) runs += one_of(list_of(to_of(k)));
    });
    auto [before, all] = tile.scan(runs);
    number(tile, in, all);
    counted();
    tile.strided(count, [&](std::size_t k) {
      if (to_of(k) == nowhere) return;
      const std::uint32_t list = list_of(to_of(k));
      vertex_run run = run_of(k);
      if (to_of(k) >= planned) run.plan = static_cast<std::uint32_t>(first_plan + numbers[count + k]);
      put(in, before, to_of(k), run);
      if (list < run_kinds) listed(k, run, place(before, all, list));
      before += one_of(list);
    });
    return place(0, all, run_kinds);
  }

  /// The list that a run goes to.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t list_of(std::uint32_t to) {
    return to >= planned ? to - planned : to;
  }

 private:
  /// Runs of the lists before it are counted together, 16 bits each; of the last one there are few.
  static constexpr std::uint32_t last_list = run_lists_count - 1;
  static_assert(last_list == 4 && to_growing < last_list);

  MANGROVE_HOST_DEVICE static constexpr std::uint64_t one_of(std::uint32_t list) {
    return list == last_list ? 0 : std::uint64_t{1} << (16 * list);
  }
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t count_of(std::uint64_t packed, std::uint32_t list) {
    return static_cast<std::uint32_t>(packed >> (16 * list) & 0xffff);
  }

  /// Where the next run of a list stands if those of the lists before it stand first.
  MANGROVE_HOST_DEVICE static std::uint32_t place(std::uint64_t before, std::uint64_t all, std::uint32_t list) {
    std::uint32_t at = count_of(before, list);
    for (std::uint32_t k = 0; k < list; ++k) at += count_of(all, k);
    return at;
  }

  /// Plans the growing ones of the tile's runs. @param numbers of them; behind those, for each its plan's
  template <class Tile, class ToOf, class RunOf>
  MANGROVE_HOST_DEVICE void plan_all(const Tile& tile, counters& in, std::uint16_t* numbers, std::size_t count,
                                     std::size_t first_plan, ToOf to_of, RunOf run_of) const {
    tile.sync();
    tile.strided(count, [&](std::size_t k) {
      if (to_of(k) == to_growing) numbers[relaxed_add(&in.growing, 1U)] = static_cast<std::uint16_t>(k);
    });
    tile.sync();
    tile.strided(in.growing, [&](std::size_t g) {
      const std::size_t k = numbers[g];
      to_of(k) = static_cast<std::uint8_t>(decide(tile.solo(), in, run_of(k), first_plan + g));
      numbers[count + k] = static_cast<std::uint16_t>(g);
    });
    tile.sync();
  }

  /// Decides what becomes of a vertex, and plans its extent if it gets another one. @return where its run goes
  template <class Lane>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t decide(const Lane& lane, counters& in, const vertex_run& run,
                                                          std::size_t number) const {
    const run_decision<Bits> next = base::decide(lane, run);
    if (next.has_tree()) {
      store_relaxed(&status->unsuited, 1U);
      return nowhere;
    }
    const auto& [kind, granules, same] = next.choice;
    if (next.gives_old()) relaxed_add(in.gifts + size_class_of(next.old.granules()), 1U);
    if (next.gives_new()) relaxed_add(in.gifts + size_class_of(granules), 1U);
    if (next.stays) return next.list();
    plans[number] = {next.old, kind, granules, relaxed_add(in.taken + size_class_of(granules), 1U)};
    if (next.moves_in_pieces()) {
      base::list_pieces(lane, static_cast<std::uint32_t>(number), next.old, next.choice);
    }
    return planned + next.list();
  }

  /// Numbers all runs of the tile in their lists, and its extents. @pre all are counted
  template <class Tile>
  MANGROVE_HOST_DEVICE void number(const Tile& tile, counters& in, std::uint64_t runs) const {
    tile.strided(last_list, [&](std::size_t k) {
      const std::uint32_t count = count_of(runs, static_cast<std::uint32_t>(k));
      const bool grow = Planning == run_planning::later && k == to_growing;
      std::uint32_t* const counter = grow ? &status->growing.value : &status->listed[k].value;
      in.listed[k] = count == 0 ? 0 : fetch_add(counter, count);
    });
    tile.strided(size_classes, [&](std::size_t of) {
      if (in.gifts[of] != 0) fetch_add(&status->demand.given[of], in.gifts[of]);
      if (in.taken[of] != 0) in.taken[of] = fetch_add(&status->demand.taken[of], in.taken[of]);
    });
    tile.sync();
  }

  /// Lists a run. @param before those that the tile has listed, or will, in front of it
  MANGROVE_HOST_DEVICE void put(const counters& in, std::uint64_t before, std::uint32_t to,
                                const vertex_run& run) const {
    const std::uint32_t list = list_of(to);
    if (to >= planned) plans[run.plan].taken += in.taken[size_class_of(plans[run.plan].granules)];
    const std::uint32_t at =
        list == last_list ? count_up_one(&status->listed[last_list].value) : in.listed[list] + count_of(before, list);
    (to == to_growing ? growing : lists[list])[at] = run;
  }
};

}  // namespace mangrove::detail
