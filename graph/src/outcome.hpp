#pragma once

#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"
#include "mangrove/graph/graph_change.hpp"

/// @file
/// What the last update on each edge comes to, given the graph as it is.

namespace mangrove::detail {

enum class edge_outcome : std::uint8_t { nothing, insert, overwrite, erase, detach };

inline constexpr std::uint32_t outcome_kinds = 5;

/// Counts by outcome: of edges (an undirected one once), and of directed edges.
struct outcome_counts {
  std::uint64_t edges[outcome_kinds];
  std::uint64_t directed[outcome_kinds];

  [[nodiscard]] std::uint64_t of(edge_outcome outcome) const { return edges[static_cast<int>(outcome)]; }
  [[nodiscard]] std::uint64_t directed_of(edge_outcome outcome) const { return directed[static_cast<int>(outcome)]; }
};

/// Body: looks every named edge up and decides; marks those that commit has work for.
template <class Bits>
struct decide_outcome {
  static constexpr int prefetch_stages = 2;

  adjacency_view<Bits> graph;
  indexed_updates updates;
  vertex_erasures erasures;
  const std::uint64_t* edges;
  const std::uint32_t* sequences;
  edge_outcome* outcomes;
  std::uint8_t* effective;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(key_source(edges[i]), key_target(edges[i]));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t u = key_source(edges[i]);
    const std::uint32_t v = key_target(edges[i]);
    const bool present = graph.contains(tile, u, v);
    if (tile.lane() != 0) return;
    const edge_outcome outcome = decide(u, v, sequences[i], present);
    outcomes[i] = outcome;
    effective[i] = is_effective(outcome);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static bool is_effective(edge_outcome outcome) {
    return outcome != edge_outcome::nothing && !(is_none<Bits> && outcome == edge_outcome::overwrite);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE edge_outcome decide(std::uint32_t u, std::uint32_t v, std::uint32_t sequence,
                                                         bool present) const {
    const update_kind kind = updates.kind_of(sequence);
    if (kind == update_kind::erase_vertex) return present ? edge_outcome::detach : edge_outcome::nothing;
    if (kind == update_kind::erase || erasures.undo(sequence, u) || erasures.undo(sequence, v)) {
      return present ? edge_outcome::erase : edge_outcome::nothing;
    }
    return present ? edge_outcome::overwrite : edge_outcome::insert;
  }
};

/// Body: counts the outcomes of a stretch of edges, then adds them to the totals at once.
struct count_outcomes {
  static constexpr std::size_t stretch = 512;

  const edge_outcome* outcomes;
  const std::uint64_t* edges;
  std::size_t count;
  edge_direction direction;
  outcome_counts* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t size = count - first < stretch ? count - first : stretch;
    std::uint32_t once[outcome_kinds] = {};
    std::uint32_t directed[outcome_kinds] = {};
    tile.strided(size, [&](std::size_t k) {
      const edge_outcome outcome = outcomes[first + k];
      const std::uint32_t counted = counts_once(edges[first + k], direction) ? 1 : 0;
      for (std::uint32_t kind = 0; kind < outcome_kinds; ++kind) {
        const std::uint32_t hit = static_cast<std::uint32_t>(outcome) == kind ? 1 : 0;
        once[kind] += hit & counted;
        directed[kind] += hit;
      }
    });
    for (std::uint32_t kind = 0; kind < outcome_kinds; ++kind) {
      tile.add_sum(&totals->edges[kind], once[kind]);
      tile.add_sum(&totals->directed[kind], directed[kind]);
    }
  }
};

/// Body: gathers the edges that commit works on.
template <class Bits>
struct gather_effective {
  const std::uint32_t* kept;
  const std::uint64_t* edges_from;
  const edge_outcome* outcomes;
  const std::uint32_t* sequences;
  const Bits* weights_from;  ///< the batch's; null for zeros
  std::uint64_t* edges;
  edge_action* actions;
  Bits* weights;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t at = kept[i];
    edges[i] = edges_from[at];
    actions[i] = action(outcomes[at]);
    if constexpr (!is_none<Bits>) {
      weights[i] = weights_from == nullptr || actions[i] == edge_action::erase ? Bits{} : weights_from[sequences[at]];
    }
  }

  MANGROVE_HOST_DEVICE static edge_action action(edge_outcome outcome) {
    if (outcome == edge_outcome::insert) return edge_action::insert;
    return outcome == edge_outcome::overwrite ? edge_action::overwrite : edge_action::erase;
  }
};

}  // namespace mangrove::detail
