#pragma once

#include "chain_updates.hpp"
#include "gather_runs.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/unrolled.hpp"

/// @file
/// From chains of updates of the same source to runs.

namespace mangrove::detail {

/// What the bodies that gather chains have in common. @tparam Lists what they write runs to
template <class Lists>
struct chain_gatherer : Lists {
  using Lists::sequences, Lists::status, Lists::targets, Lists::updates;
  /// Updates of a chain that are held in registers.
  static constexpr int held = 4;

  std::uint32_t* heads;
  const std::uint32_t* next;

  struct chain {
    std::uint32_t links[held];
    std::uint32_t edges[held];  ///< the targets of those
    std::uint32_t rest;         ///< the link after those
    std::uint32_t steps;        ///< updates, counted up to a few more than a run may have
  };

  /// Whether update i began a chain.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool leads(std::size_t i) const { return next[i] == chain_end; }

  /// Follows a chain from its last update to the one that began it. @param first that one's link @param target its
  [[nodiscard]] MANGROVE_HOST_DEVICE chain walk(std::uint32_t head, std::uint32_t first, std::uint32_t target) const {
    chain of{{}, {}, head, 0};
    unrolled<held>([&](int k) {
      of.links[k] = of.rest;
      if (of.rest == chain_end) return;
      of.edges[k] = of.rest == first ? target : updates.target(of.rest - 1);
      of.rest = of.rest == first ? chain_end : next[of.rest - 1];
      ++of.steps;
    });
    for (std::uint32_t link = of.rest; link != chain_end && of.steps <= max_run_steps; link = next[link - 1]) {
      ++of.steps;
    }
    return of;
  }

  /// Writes the last update on each edge of a chain, and finds out where its run goes.
  /// @param sort is called with the run, and the target of its first update
  template <class Sort>
  MANGROVE_HOST_DEVICE typename Lists::sorted_run gather(std::uint32_t vertex, const chain& of, std::uint32_t first,
                                                         Sort sort) const {
    const written made = of.steps > max_run_steps ? written{of.steps, 0}
                         : of.rest == chain_end   ? write_held(of, first)
                                                  : follow(of, first);
    if (made.count <= vertex_run::max_updates) {
      return sort(vertex_run{vertex, first, made.count, vertex_run::in_place}, made.target);
    }
    store_relaxed(&status->crowded, 1U);
    return {};
  }

 private:
  struct written {
    std::uint32_t count;
    std::uint32_t target;  ///< of the first one
  };

  /// Writes the last of the held updates on each edge.
  MANGROVE_HOST_DEVICE written write_held(const chain& of, std::uint32_t first) const {
    const auto& links = of.links;
    const auto& edges = of.edges;
    written made{0, edges[0]};
    unrolled<held>([&](int k) {
      bool last = links[k] != chain_end;
      unrolled<held>([&](int j) { last = last && !(edges[j] == edges[k] && links[j] > links[k]); });
      if (!last) return;
      if (made.count == 0) made.target = edges[k];
      targets[first + made.count] = edges[k];
      if (sequences != nullptr) sequences[first + made.count] = updates.sequence(links[k] - 1);
      ++made.count;
    });
    return made;
  }

  MANGROVE_HOST_DEVICE written follow(const chain& of, std::uint32_t first) const {
    written made{0, of.edges[0]};
    for (std::uint32_t link = of.links[0]; link != chain_end; link = next[link - 1]) {
      made.count = Lists::add(first, made.count, updates.target(link - 1), updates.sequence(link - 1));
    }
    return made;
  }
};

/// Body: gathers the chain that update i began. Unmakes the chain. A batch with longer ones has to be sorted.
template <class Bits>
struct gather_chain : chain_gatherer<run_lists<Bits>> {
  static constexpr int prefetch_stages = 2;
  using base = chain_gatherer<run_lists<Bits>>;
  using base::graph, base::heads, base::next, base::status, base::updates;

  template <int Stage>
  void prefetch(std::size_t i) const {
    if (!base::leads(i)) return;
    const std::uint32_t u = updates.source(static_cast<std::uint32_t>(i));
    if constexpr (Stage == 0) {
      mangrove::prefetch(heads + u);
      mangrove::prefetch(graph.entries + u);
    } else {
      mangrove::prefetch(next + heads[u] - 1);
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (!base::leads(i)) return;
    const std::uint32_t vertex = updates.source(static_cast<std::uint32_t>(i));
    const auto at = static_cast<std::uint32_t>(i);
    const auto chain = base::walk(heads[vertex], at + 1, updates.target(at));
    heads[vertex] = chain_end;
    const std::uint32_t first = count_up_by(&status->updates.value, chain.steps);
    const typename base::sorted_run runs[1] = {
        base::gather(vertex, chain, first, [this](const vertex_run& run, std::uint32_t) { return base::sort(run); })};
    base::list(runs);
  }
};

}  // namespace mangrove::detail
