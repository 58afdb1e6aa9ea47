#pragma once

#include "gather_sorted.hpp"
#include "mangrove/core/prefetch.hpp"

namespace mangrove::detail {

/// Body: gathers the runs that begin in a stretch of sorted keys, by one lane: `gather_sorted` for the CPU, where a
/// thread has room for many runs, numbers them with one atomic a list, and fetches ahead what sorting them out reads.
template <class Bits>
struct gather_stretch : sorted_runs<Bits> {
  using base = sorted_runs<Bits>;
  using base::count, base::graph, base::growing, base::keys, base::lists, base::status;

  static constexpr std::size_t stretch = 128;

  static std::size_t calls_for(std::size_t count) { return (count + stretch - 1) / stretch; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    vertex_run runs[base::destinations][stretch];
    std::uint32_t sizes[base::destinations] = {};
    std::uint32_t gifts[size_classes] = {};
    const std::size_t first = i * stretch;
    const std::size_t last = first + stretch < count ? first + stretch : count;
    for (std::size_t at = first; at < first + ahead; ++at) fetch(at);
    for (std::size_t at = first; at < last; ++at) {
      fetch(at + ahead);
      if (!base::begins(at)) continue;
      const auto sorted = base::sort(lonely(at) ? take(at) : gather(at), [&gifts](std::uint32_t of) { ++gifts[of]; });
      if (sorted.to != base::nowhere) runs[sorted.to][sizes[sorted.to]++] = sorted.run;
    }
    for (std::uint32_t to = 0; to < base::destinations; ++to) append(to, runs[to], sizes[to]);
    for (std::uint32_t of = 0; of < size_classes; ++of) count_up_by(&status->demand.given[of], gifts[of]);
  }

 private:
  static constexpr std::size_t ahead = 24;

  /// Whether a run that begins here is of one update, as most are.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool lonely(std::size_t at) const {
    return at + 1 < count && base::source(at + 1) != base::source(at);
  }

  /// The run of one update.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run take(std::size_t at) const {
    const std::uint64_t edge = base::format.edge(keys[at]);
    base::targets[at] = key_target(edge);
    if (base::sequences != nullptr) base::sequences[at] = base::format.sequence(keys[at]);
    return {key_source(edge), static_cast<std::uint32_t>(at), 1, vertex_run::in_place};
  }

  /// A run of some.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_run gather(std::size_t at) const {
    const std::uint32_t vertex = base::source(at);
    const auto first = static_cast<std::uint32_t>(at);
    constexpr std::uint32_t too_many = vertex_run::max_updates + 1;
    std::uint32_t distinct = 0;
    for (std::uint32_t steps = 0; base::is_of(at + steps, vertex); ++steps) {
      if (steps == max_run_steps || distinct == too_many) return {vertex, first, too_many, vertex_run::in_place};
      const std::uint64_t key = keys[at + steps];
      distinct = base::add(first, distinct, key_target(base::format.edge(key)), base::format.sequence(key));
    }
    return {vertex, first, distinct, vertex_run::in_place};
  }

  MANGROVE_HOST_DEVICE void fetch(std::size_t at) const {
    if (at < count && keys[at] != base::format.dropped()) mangrove::prefetch(graph.entries + base::source(at));
  }

  MANGROVE_HOST_DEVICE void append(std::uint32_t to, const vertex_run* runs, std::uint32_t size) const {
    const bool grow = to == base::to_growing;
    const std::uint32_t at = count_up_by(grow ? &status->growing.value : &status->listed[to].value, size);
    vertex_run* const list = (grow ? growing : lists[to]) + at;
    for (std::uint32_t k = 0; k < size; ++k) list[k] = runs[k];
  }
};

}  // namespace mangrove::detail
