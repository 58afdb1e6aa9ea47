#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "gather_runs.hpp"
#include "mangrove/core/prefetch.hpp"
#include "sorted_runs.hpp"
#include "stretch_demand.hpp"

namespace mangrove::detail {

/// Body: gathers the runs that begin in a stretch of sorted keys, by one lane: `gather_sorted` for the CPU, where a
/// thread has room for many runs, numbers them with one atomic a list, and fetches ahead what sorting them out reads.
template <class Bits>
struct gather_stretch : run_lists<Bits> {
  using base = run_lists<Bits>;
  using base::graph, base::growing, base::lists, base::policy, base::sequences, base::status, base::targets;
  using typename base::layout;

  static constexpr std::size_t stretch = 256;

  sorted_keys sorted;
  hub_list hubs;

  static std::size_t calls_for(std::size_t count) { return (count + stretch - 1) / stretch; }

  template <class Tile>
  void operator()(const Tile&, std::size_t i) const {
    const gather_stretch own = *this;  // which nothing that is written can change, so that it stays in registers
    vertex_run runs[base::destinations][stretch];
    std::uint32_t sizes[base::destinations] = {};
    stretch_demand demand;
    const std::size_t first = i * stretch;
    const std::size_t last = std::min(first + stretch, own.sorted.count);
    std::uint32_t before = first == 0 ? no_vertex : own.sorted.source(first - 1);
    for (std::size_t at = first; at < first + ahead; ++at) own.fetch(at);
    for (std::size_t at = first; at < last; ++at) {
      own.fetch(at + ahead);
      const std::uint32_t vertex = own.sorted.source(at);
      if (vertex == std::exchange(before, vertex)) continue;
      if (own.sorted.keys[at] == run_keys::dropped) break;                                   // as all that come now
      const bool lonely = at + 1 < own.sorted.count && own.sorted.source(at + 1) != vertex;  // as most: one update
      const vertex_run run = lonely ? own.take(at) : gather(at);
      if (run.count > vertex_run::max_updates) {
        list_hub(run);
        continue;
      }
      const std::uint32_t to = own.destination_of(run, own.graph.entries[vertex], demand);
      runs[to][sizes[to]++] = run;
    }
    own.plan_arrays(runs, sizes, demand);
    for (std::uint32_t to = 0; to < base::destinations; ++to) append(to, runs[to], sizes[to]);
  }

 private:
  static constexpr std::size_t ahead = 48;
  static constexpr std::uint32_t no_vertex = ~std::uint32_t{0};  ///< what a dropped key may be taken for

  /// `sort` without branches on what a vertex has, which nothing predicts.
  [[nodiscard]] std::uint32_t destination_of(const vertex_run& run, const vertex_entry& old,
                                             stretch_demand& demand) const {
    const std::uint32_t inserts = base::inserts_of(run);
    const std::uint32_t erases = run.count - inserts;
    const bool fits = policy.fits_in_place(old, inserts, erases);
    if (base::may_shrink(old, erases) && fits) demand.give(size_class_of(old.granules()));
    const std::uint32_t inlined = all_if(old.degree <= layout::inline_capacity);
    const std::uint32_t kind = (static_cast<std::uint32_t>(adjacency_kind::inlined) & inlined) |
                               (static_cast<std::uint32_t>(layout::kind_of_extent(old)) & ~inlined);
    return (kind & all_if(fits)) | (base::to_growing & ~all_if(fits));
  }
  static std::uint32_t all_if(bool condition) { return -static_cast<std::uint32_t>(condition); }

  /// Plans the arrays that growing vertices move to, behind the runs of those that stay: whoever applies runs can
  /// predict which of the two comes then. Of the others a step of its own has to find out more.
  void plan_arrays(vertex_run (&runs)[base::destinations][stretch], std::uint32_t (&sizes)[base::destinations],
                   stretch_demand& demand) const {
    constexpr auto arrays = static_cast<std::uint32_t>(adjacency_kind::array);
    const std::uint32_t first = sizes[arrays];
    const std::uint32_t count = std::exchange(sizes[base::to_growing], 0);
    for (std::uint32_t k = 0; k < count; ++k) {
      const vertex_run run = runs[base::to_growing][k];
      const std::uint32_t inserts = base::inserts_of(run);
      const auto planned = base::plan_array(run, graph.entries[run.vertex], inserts, run.count - inserts, demand);
      runs[planned.to][sizes[planned.to]++] = planned.run;
    }
    demand.add_to(status->demand);
    for (std::uint32_t k = first; k < sizes[arrays]; ++k) runs[arrays][k].plan += demand.first_of(runs[arrays][k]);
  }

  void put_update(std::size_t at) const {
    targets[at] = sorted.format.target(sorted.keys[at]);
    if (sequences != nullptr) sequences[at] = sorted.format.sequence(sorted.keys[at]);
  }

  /// The run of one update.
  [[nodiscard]] vertex_run take(std::size_t at) const {
    put_update(at);
    return {sorted.source(at), static_cast<std::uint32_t>(at), 1, vertex_run::in_place};
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
    for (std::size_t at = run.first; at < end; ++at) put_update(at);
    const auto count = static_cast<std::uint32_t>(end - run.first);
    hubs.put_pieces(hubs.take_pieces(hubs.put(run.vertex, run.first, count, 0), count));
  }

  /// Where a dropped key leads, does no harm.
  void fetch(std::size_t at) const {
    if (at < sorted.count) mangrove::prefetch(graph.entries + sorted.source(at));
  }

  void append(std::uint32_t to, const vertex_run* runs, std::uint32_t size) const {
    const bool grow = to == base::to_growing;
    const std::uint32_t at = count_up_by(grow ? &status->growing.value : &status->listed[to].value, size);
    vertex_run* const list = (grow ? growing : lists[to]) + at;
    for (std::uint32_t k = 0; k < size; ++k) list[k] = runs[k];
  }
};

}  // namespace mangrove::detail
