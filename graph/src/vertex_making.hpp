#pragma once

#include "vertex_runs.hpp"

/// @file
/// Making new vertices exist, beside the runs.

namespace mangrove::detail {

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

/// Body: makes the vertices exist that an insert names. For the CPU; the caller asks before whether the batch may go.
struct create_named : vertex_maker {
  indexed_updates batch;
  self_loops loops;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (batch.kind_of(i) != update_kind::insert) return;
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
  change_terms terms;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (status->ready(terms)) create(vertices[i]);
  }
};

}  // namespace mangrove::detail
