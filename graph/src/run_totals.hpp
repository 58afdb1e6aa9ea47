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
    totals inserted{}, overwritten{}, erased{};
    constexpr int together = 4;
    const std::uint32_t end = left < stretch ? left : stretch;
    tile.strided((end + together - 1) / together, [&](std::size_t pack) {
      const auto at = static_cast<std::uint32_t>(pack) * together;
      std::uint32_t packed[together];
      load_row<access::plain>(reinterpret_cast<const std::uint32_t*>(counts[kind] + first + at), packed);
      unrolled<together>([&](int k) {
        const auto run = run_counts::unpacked(at + k < end ? packed[k] : 0);
        inserted.add(run, edge_outcome::insert);
        overwritten.add(run, edge_outcome::overwrite);
        erased.add(run, edge_outcome::erase);
      });
    });
    add(tile, edge_outcome::insert, inserted);
    add(tile, edge_outcome::overwrite, overwritten);
    add(tile, edge_outcome::erase, erased);
  }

 private:
  struct totals {
    std::uint32_t edges, loops;

    MANGROVE_HOST_DEVICE void add(const run_counts& run, edge_outcome outcome) {
      edges += run.of(outcome);
      loops += run.loop() == outcome ? 1 : 0;
    }
  };

  /// An undirected edge has come in both directions, a loop in one.
  template <class Tile>
  MANGROVE_HOST_DEVICE void add(const Tile& tile, edge_outcome outcome, const totals& all) const {
    count_outcomes::add(tile, &status->outcomes.directed[static_cast<int>(outcome)], all.edges);
    const std::uint32_t twice = direction == edge_direction::directed ? 2 * all.edges : all.edges + all.loops;
    count_outcomes::add(tile, &status->outcomes.edges[static_cast<int>(outcome)], twice);
  }
};

/// What the bodies that make vertices exist have in common.
struct vertex_maker {
  std::uint32_t* present;
  batch_status* status;

  MANGROVE_HOST_DEVICE void create(std::uint32_t index) const {
    std::uint32_t* const word = present + index / 32;
    const std::uint32_t bit = std::uint32_t{1} << (index % 32);
    if ((load_relaxed(word) & bit) == 0 && (fetch_or(word, bit) & bit) == 0) count_up(&status->vertices_created);
  }
};

/// Body: makes the vertices exist that an insert names.
struct create_named : vertex_maker {
  indexed_updates batch;
  self_loops loops;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (!status->go() || batch.kind_of(i) != update_kind::insert) return;
    const std::uint32_t u = batch.sources[i];
    const std::uint32_t v = batch.targets[i];
    if (u == v && loops == self_loops::drop) return;
    create(u);
    create(v);
  }
};

/// Body: makes a vertex exist that grouping has noted.
struct create_noted : vertex_maker {
  const std::uint32_t* vertices;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (status->go()) create(vertices[i]);
  }
};

}  // namespace mangrove::detail
