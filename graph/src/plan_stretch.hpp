#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "run_plan.hpp"

namespace mangrove::detail {

/// Body: plans a stretch of growing runs by one lane: `plan_run` for the CPU, whose threads would wait for each other
/// if they took numbers from shared counters for every run.
template <class Bits>
struct plan_stretch : plan_run<Bits> {
  using base = plan_run<Bits>;
  using base::graph, base::growing, base::lists, base::plans, base::status, base::targets;
  using typename base::decision;

  static constexpr std::size_t stretch = 256;

  static std::size_t calls_for(std::size_t runs) { return (runs + stretch - 1) / stretch; }

  template <class Tile>
  void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t end = status->growing.value;
    const std::size_t count = end - first < stretch ? end - first : stretch;
    decision decided[stretch];
    numbers next{};
    for (std::size_t k = 0; k < ahead; ++k) fetch<0>(first + k, end);
    for (std::size_t k = 0; k < count; ++k) {
      fetch<0>(first + k + ahead, end);
      fetch<1>(first + k + ahead / 2, end);
      decided[k] = base::decide(growing[first + k], base::count_changes(tile, growing[first + k]));
      if (decided[k].has_tree()) return store_relaxed(&status->unsuited, 1U);
      next.count(decided[k]);
    }
    reserve(next);
    for (std::size_t k = 0; k < count; ++k) commit(tile, growing[first + k], decided[k], next);
  }

 private:
  static constexpr std::size_t ahead = 24;

  /// How many of each a stretch needs; then the next ones that it has.
  struct numbers {
    pool_demand demand;
    std::array<std::uint32_t, run_kinds> listed{};
    std::uint32_t plans = 0;

    void count(const decision& of) {
      if (of.gives_old()) ++demand.given[size_class_of(of.old.granules())];
      if (of.gives_new()) ++demand.given[size_class_of(of.choice.granules)];
      ++listed[of.kind()];
      if (of.stays) return;
      ++demand.taken[size_class_of(of.choice.granules)];
      ++plans;
    }
  };

  void reserve(numbers& next) const {
    for (std::uint32_t size_class = 0; size_class < size_classes; ++size_class) {
      count_up_by(&status->demand.given[size_class], next.demand.given[size_class]);
      std::uint32_t& taken = next.demand.taken[size_class];
      taken = count_up_by(&status->demand.taken[size_class], taken);
    }
    for (std::uint32_t kind = 0; kind < run_kinds; ++kind) {
      next.listed[kind] = count_up_by(&status->listed[kind].value, next.listed[kind]);
    }
    next.plans = count_up_by(&status->plans, next.plans);
  }

  template <class Tile>
  void commit(const Tile& tile, vertex_run run, const decision& of, numbers& next) const {
    if (!of.stays) {
      run.plan = next.plans++;
      plans[run.plan] = {of.old, of.choice.kind, of.choice.granules,
                         next.demand.taken[size_class_of(of.choice.granules)]++};
      base::list_moves(tile, run.plan, of.old, of.choice);
    }
    lists[of.kind()][next.listed[of.kind()]++] = run;
  }

  template <int Stage>
  void fetch(std::size_t at, std::size_t end) const {
    if (at < end) graph.template prefetch<Stage>(growing[at].vertex, targets[growing[at].first]);
  }
};

}  // namespace mangrove::detail
