#pragma once

#include "run_changes.hpp"

/// @file
/// What is left when the runs are applied: adding up what they came to, and making new vertices exist.

namespace mangrove::detail {

/// Body: adds up what a stretch of runs came to.
struct sum_runs {
  static constexpr std::uint32_t stretch = 512;

  const run_counts* counts[run_kinds];
  std::size_t stretches;  ///< of each kind, at most
  edge_direction direction;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (!status->go()) return;
    const std::size_t kind = i / stretches;
    const auto first = static_cast<std::uint32_t>(i % stretches) * stretch;
    if (first >= status->listed[kind].value) return;
    const std::uint32_t left = status->listed[kind].value - first;
    std::uint32_t all[3] = {};
    std::uint32_t loops[3] = {};
    tile.strided(left < stretch ? left : stretch, [&](std::size_t k) {
      const run_counts& run = counts[kind][first + k];
      all[0] += run.inserted;
      all[1] += run.overwritten;
      all[2] += run.erased;
      loops[0] += run.loops_inserted;
      loops[1] += run.loops_overwritten;
      loops[2] += run.loops_erased;
    });
    add(tile, edge_outcome::insert, all[0], loops[0]);
    add(tile, edge_outcome::overwrite, all[1], loops[1]);
    add(tile, edge_outcome::erase, all[2], loops[2]);
  }

 private:
  /// An undirected edge has come in both directions, a loop in one.
  template <class Tile>
  MANGROVE_HOST_DEVICE void add(const Tile& tile, edge_outcome outcome, std::uint32_t all, std::uint32_t loops) const {
    count_outcomes::add(tile, &status->outcomes.directed[static_cast<int>(outcome)], all);
    const std::uint32_t twice = direction == edge_direction::directed ? 2 * all : all + loops;
    count_outcomes::add(tile, &status->outcomes.edges[static_cast<int>(outcome)], twice);
  }
};

/// Body: makes the vertices exist that an insert names.
struct create_vertices {
  indexed_updates batch;
  self_loops loops;
  std::uint32_t* present;
  batch_status* status;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (!status->go() || batch.kind_of(i) != update_kind::insert) return;
    const std::uint32_t u = batch.sources[i];
    const std::uint32_t v = batch.targets[i];
    if (u == v && loops == self_loops::drop) return;
    const bool has_u = exists(u);
    const bool has_v = exists(v);
    if (!has_u) create(u);
    if (!has_v) create(v);
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE bool exists(std::uint32_t index) const {
    return (load_relaxed(present + index / 32) >> (index % 32) & 1) != 0;
  }

  MANGROVE_HOST_DEVICE void create(std::uint32_t index) const {
    std::uint32_t* const word = present + index / 32;
    const std::uint32_t bit = std::uint32_t{1} << (index % 32);
    if ((fetch_or(word, bit) & bit) == 0) count_up(&status->vertices_created);
  }
};

}  // namespace mangrove::detail
