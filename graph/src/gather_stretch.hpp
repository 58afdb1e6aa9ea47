#pragma once

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
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    vertex_run runs[base::destinations][stretch];
    std::uint32_t sizes[base::destinations] = {};
    std::uint32_t gifts[size_classes] = {};
    const std::size_t first = i * stretch;
    const std::size_t last = first + stretch < sorted.count ? first + stretch : sorted.count;
    for (std::size_t at = first; at < first + ahead; ++at) fetch(at);
    for (std::size_t at = first; at < last; ++at) {
      fetch(at + ahead);
      if (!begins(at)) continue;
      const vertex_run run = lonely(at) ? take(at) : gather(at);
      if (run.count > vertex_run::max_updates) {
        list_hub(run);
        continue;
      }
      const auto to = base::sort(run, graph.entries[run.vertex], [&gifts](std::uint32_t of) { ++gifts[of]; }).to;
      runs[to][sizes[to]++] = run;
    }
    for (std::uint32_t to = 0; to < base::destinations; ++to) append(to, runs[to], sizes[to]);
    for (std::uint32_t of = 0; of < size_classes; ++of) count_up_by(&status->demand.given[of], gifts[of]);
  }

 private:
  static constexpr std::size_t ahead = 24;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::size_t at) const {
    return sorted.format.source(sorted.keys[at]);
  }

  /// Whether a run begins at key `at`.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool begins(std::size_t at) const {
    return sorted.keys[at] != sorted.format.dropped() && (at == 0 || source(at - 1) != source(at));
  }

  /// Whether a run that begins here is of one update, as most are.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool lonely(std::size_t at) const {
    return at + 1 < sorted.count && source(at + 1) != source(at);
  }

  /// The run of one update.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run take(std::size_t at) const {
    targets[at] = sorted.format.target(sorted.keys[at]);
    if (sequences != nullptr) sequences[at] = sorted.format.sequence(sorted.keys[at]);
    return {source(at), static_cast<std::uint32_t>(at), 1, vertex_run::in_place};
  }

  /// A run of some; of a hub, one update more than a run has.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run gather(std::size_t at) const {
    const std::uint32_t vertex = source(at);
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

  MANGROVE_HOST_DEVICE void list_hub(const vertex_run& run) const {
    const std::size_t end = sorted.end_of(run.first, run.vertex);
    const hub_list::range of = hubs.put(run.vertex, run.first, static_cast<std::uint32_t>(end - run.first));
    for (std::uint32_t part = 0; part < of.count; ++part) hubs.put_piece(of, part);
  }

  MANGROVE_HOST_DEVICE void fetch(std::size_t at) const {
    if (at < sorted.count && sorted.keys[at] != sorted.format.dropped()) mangrove::prefetch(graph.entries + source(at));
  }

  MANGROVE_HOST_DEVICE void append(std::uint32_t to, const vertex_run* runs, std::uint32_t size) const {
    const bool grow = to == base::to_growing;
    const std::uint32_t at = count_up_by(grow ? &status->growing.value : &status->listed[to].value, size);
    vertex_run* const list = (grow ? growing : lists[to]) + at;
    for (std::uint32_t k = 0; k < size; ++k) list[k] = runs[k];
  }
};

}  // namespace mangrove::detail
