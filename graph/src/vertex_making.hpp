#pragma once

#include "vertex_runs.hpp"

/// @file
/// Making new vertices exist, beside the runs.

namespace mangrove::detail {

/// What the bodies that make vertices exist have in common.
struct vertex_maker {
  std::uint32_t* present;
  batch_status* status;

  /// @return 1 if the vertex did not exist, else 0; the caller adds that to `vertices_created`
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t create(std::uint32_t index) const {
    std::uint32_t* const word = present + index / 32;
    const std::uint32_t bit = std::uint32_t{1} << (index % 32);
    return (load_relaxed(word) & bit) == 0 && (fetch_or(word, bit) & bit) == 0 ? 1 : 0;
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
    const std::uint32_t created = create(u) + create(v);
    if (created != 0) count_up_by(&status->vertices_created, created);
  }
};

/// Body: makes a vertex exist that grouping has noted. The caller asks before whether the batch may go.
struct create_noted : vertex_maker {
  using sums_type = call_sums<1>;

  const std::uint32_t* vertices;

  template <class Tile>
  MANGROVE_HOST_DEVICE sums_type operator()(const Tile&, std::size_t i) const {
    sums_type created;
    created.of[0] = create(vertices[i]);
    return created;
  }

  MANGROVE_HOST_DEVICE void book(const sums_type& all) const {
    if (all.of[0] != 0) fetch_add(&status->vertices_created, all.of[0]);
  }
};

}  // namespace mangrove::detail
