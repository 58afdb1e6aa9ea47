#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "gather_runs.hpp"
#include "mangrove/core/prefetch.hpp"
#include "sorted_runs.hpp"

namespace mangrove::detail {

/// Body: gathers the runs that begin in a stretch of sorted keys, by one lane: `gather_sorted` for the CPU, where a
/// thread has room for many runs, numbers them with one atomic a list, and fetches ahead what sorting them out reads.
template <class Bits>
struct gather_stretch : run_lists<Bits> {
  using base = run_lists<Bits>;
  using base::graph, base::growing, base::lists, base::sequences, base::status, base::targets;

  static constexpr std::size_t stretch = 128;

  sorted_keys sorted;
  hub_list hubs;

  static std::size_t calls_for(std::size_t count) { return (count + stretch - 1) / stretch; }

  template <class Tile>
  void operator()(const Tile&, std::size_t i) const {
    const sorted_keys own = sorted;  // which nothing that is written can change, so that it stays in registers
    vertex_run runs[base::destinations][stretch];
    std::uint32_t sizes[base::destinations] = {};
    std::uint32_t gifts[size_classes] = {};
    const std::size_t first = i * stretch;
    const std::size_t last = std::min(first + stretch, own.count);
    std::uint32_t before = first == 0 ? no_vertex : own.source(first - 1);
    for (std::size_t at = first; at < first + ahead; ++at) fetch(own, at);
    for (std::size_t at = first; at < last; ++at) {
      fetch(own, at + ahead);
      const std::uint32_t vertex = own.source(at);
      if (vertex == std::exchange(before, vertex)) continue;
      if (own.keys[at] == run_keys::dropped) break;                            // as all that come now
      const bool lonely = at + 1 < own.count && own.source(at + 1) != vertex;  // as most runs are: one update
      const vertex_run run = lonely ? take(own, at) : gather(at);
      if (run.count > vertex_run::max_updates) {
        list_hub(run);
        continue;
      }
      const auto to = base::sort(run, graph.entries[vertex], own_gifts{gifts}).to;
      runs[to][sizes[to]++] = run;
    }
    for (std::uint32_t to = 0; to < base::destinations; ++to) append(to, runs[to], sizes[to]);
    for (std::uint32_t of = 0; of < size_classes; ++of) count_up_by(&status->demand.given[of], gifts[of]);
  }

 private:
  /// Counts extents that may be given back, for `sort`.
  struct own_gifts {
    static constexpr bool plans_arrays = false;
    std::uint32_t* counts;
    void give(std::uint32_t size_class) const { ++counts[size_class]; }
  };

  static constexpr std::size_t ahead = 24;
  static constexpr std::uint32_t no_vertex = ~std::uint32_t{0};  ///< what a dropped key may be taken for

  void put_update(const sorted_keys& own, std::size_t at) const {
    targets[at] = own.format.target(own.keys[at]);
    if (sequences != nullptr) sequences[at] = own.format.sequence(own.keys[at]);
  }

  /// The run of one update.
  [[nodiscard]] vertex_run take(const sorted_keys& own, std::size_t at) const {
    put_update(own, at);
    return {own.source(at), static_cast<std::uint32_t>(at), 1, vertex_run::in_place};
  }

  /// A run of some; of a hub, one update more than a run has.
  [[nodiscard]] vertex_run gather(std::size_t at) const {
    const std::uint32_t vertex = sorted.source(at);
    const auto first = static_cast<std::uint32_t>(at);
    constexpr std::uint32_t too_many = vertex_run::max_updates + 1;
    std::uint32_t distinct = 0;
    for (std::uint32_t steps = 0; sorted.is_of(at + steps, vertex); ++steps) {
      if (steps == max_run_steps || distinct == too_many) return {vertex, first, too_many, vertex_run::in_place};
      const std::uint64_t key = sorted.keys[at + steps];
      distinct = base::add(first, distinct, sorted.format.target(key), sorted.format.sequence(key));
    }
    return {vertex, first, distinct, vertex_run::in_place};
  }

  void list_hub(const vertex_run& run) const {
    const std::size_t end = sorted.end_of(run.first, run.vertex);
    for (std::size_t at = run.first; at < end; ++at) put_update(sorted, at);
    const auto count = static_cast<std::uint32_t>(end - run.first);
    hubs.put_pieces(hubs.take_pieces(hubs.put(run.vertex, run.first, count, 0), count));
  }

  void fetch(const sorted_keys& own, std::size_t at) const {
    if (at < own.count) mangrove::prefetch(graph.entries + own.source(at));  // where a dropped key leads, does no harm
  }

  void append(std::uint32_t to, const vertex_run* runs, std::uint32_t size) const {
    const bool grow = to == base::to_growing;
    const std::uint32_t at = count_up_by(grow ? &status->growing.value : &status->listed[to].value, size);
    vertex_run* const list = (grow ? growing : lists[to]) + at;
    for (std::uint32_t k = 0; k < size; ++k) list[k] = runs[k];
  }
};

}  // namespace mangrove::detail
