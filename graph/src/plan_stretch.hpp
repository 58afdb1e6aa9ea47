#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gather_runs.hpp"

namespace mangrove::detail {

/// Body: plans a stretch of growing runs by one lane. For the CPU, whose threads would wait for each other if they took
/// numbers from shared counters for every run.
template <class Bits>
struct plan_stretch : run_lists<Bits> {
  using base = run_lists<Bits>;
  using base::graph, base::growing, base::lists, base::plans, base::status, base::targets;
  using decision = run_decision<Bits>;

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
      decided[k] = base::decide(tile.solo(), growing[first + k]);
      if (decided[k].has_tree()) return store_relaxed(&status->unsuited, 1U);
      next.count(decided[k]);
    }
    reserve(next);
    for (std::size_t k = 0; k < count; ++k) commit(tile, first + k, decided[k], next);
  }

 private:
  static constexpr std::size_t ahead = 24;

  /// How many of each a stretch needs; then the next ones that it has.
  struct numbers {
    pool_demand demand;
    std::array<std::uint32_t, run_lists_count> listed{};

    void count(const decision& of) {
      if (of.gives_old()) ++demand.given[size_class_of(of.old.granules())];
      if (of.gives_new()) ++demand.given[size_class_of(of.choice.granules)];
      ++listed[of.list()];
      if (!of.stays) ++demand.taken[size_class_of(of.choice.granules)];
    }
  };

  void reserve(numbers& next) const {
    for (std::uint32_t size_class = 0; size_class < size_classes; ++size_class) {
      count_up_by(&status->demand.given[size_class], next.demand.given[size_class]);
      std::uint32_t& taken = next.demand.taken[size_class];
      taken = count_up_by(&status->demand.taken[size_class], taken);
    }
    for (std::uint32_t list = 0; list < run_lists_count; ++list) {
      next.listed[list] = count_up_by(&status->listed[list].value, next.listed[list]);
    }
  }

  template <class Tile>
  void commit(const Tile& tile, std::size_t number, const decision& of, numbers& next) const {
    vertex_run run = growing[number];
    if (!of.stays) {
      run.plan = static_cast<std::uint32_t>(number);
      plans[number] = {of.old, of.choice.kind, of.choice.granules,
                       next.demand.taken[size_class_of(of.choice.granules)]++};
      if (of.moves_in_pieces()) base::list_pieces(tile, run.plan, of.old, of.choice);
    }
    lists[of.list()][next.listed[of.list()]++] = run;
  }

  template <int Stage>
  void fetch(std::size_t at, std::size_t end) const {
    if (at < end) graph.template prefetch<Stage>(growing[at].vertex, targets[growing[at].first]);
  }
};

}  // namespace mangrove::detail
