#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gather_runs.hpp"
#include "gathered_runs.hpp"
#include "sorted_runs.hpp"

namespace mangrove::detail {

/// From a stretch of sorted keys to the runs that begin there, by one thread of the CPU. Where they begin is found
/// first, without branches, which nothing would predict where some vertices have two updates and some one.
template <class Bits>
struct stretch_runs : run_lists<Bits> {
  using base = run_lists<Bits>;
  using base::sequences, base::targets;

  static constexpr std::size_t stretch = gathered_runs::stretch;

  sorted_keys sorted;
  hub_list hubs;

  /// Writes the updates of a stretch, those of hubs to the list of these, and calls `f(run)` for the other vertices.
  template <class F>
  void for_each_run(std::size_t first, F f) const {
    std::uint32_t begins[stretch + 1];
    const std::size_t last = end_of_stretch(first);
    const std::uint32_t count = find_begins(first, last, begins);
    if (count == 0) return;
    put_updates(begins[0], last);
    begins[count] = static_cast<std::uint32_t>(goes_on(last) ? last + 1 : last);
    for (std::uint32_t k = 0; k < count; ++k) {
      vertex_run run{sorted.source(begins[k]), begins[k], 1, vertex_run::in_place};
      if (begins[k + 1] - begins[k] != 1) {  // most have one update
        run = gather(begins[k]);
        if (run.count > vertex_run::max_updates) {
          list_hub(run);
          continue;
        }
      }
      f(run);
    }
  }

 private:
  /// Keys that are dropped come last.
  [[nodiscard]] std::size_t end_of_stretch(std::size_t first) const {
    std::size_t last = std::min(first + stretch, sorted.count);
    while (last != first && sorted.keys[last - 1] == run_keys::dropped) --last;
    return last;
  }

  /// @param begins get the first keys of vertices @return how many there are
  std::uint32_t find_begins(std::size_t first, std::size_t last, std::uint32_t (&begins)[stretch + 1]) const {
    std::uint32_t count = 0;
    for (std::size_t at = first; at < last; ++at) {
      begins[count] = static_cast<std::uint32_t>(at);
      count += at == 0 || sorted.source(at) != sorted.source(at - 1) ? 1 : 0;
    }
    return count;
  }

  /// Whether a key at the end of a stretch is of the vertex of the one before.
  [[nodiscard]] bool goes_on(std::size_t last) const { return sorted.is_of(last, sorted.source(last - 1)); }

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
    put_updates(run.first, end);
    const auto count = static_cast<std::uint32_t>(end - run.first);
    hubs.put_pieces(hubs.take_pieces(hubs.put(run.vertex, run.first, count, 0), count));
  }

  void put_updates(std::size_t first, std::size_t last) const {
    const sorted_keys from = sorted;  // which nothing that is written can change
    std::uint32_t* const to = targets;
    std::uint32_t* const positions = sequences;
    for (std::size_t at = first; at < last; ++at) to[at] = from.format.target(from.keys[at]);
    if (positions == nullptr) return;
    for (std::size_t at = first; at < last; ++at) positions[at] = from.format.sequence(from.keys[at]);
  }
};

}  // namespace mangrove::detail
