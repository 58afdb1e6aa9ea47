#pragma once

#include <cstddef>
#include <cstdint>

#include "vertex_runs.hpp"

namespace mangrove::detail {

/// What the bodies that group updates by source do with each update first.
struct update_admission {
  edge_updates updates;
  const std::uint32_t* present;  ///< one bit an index: which vertices there are
  std::uint32_t known_count;     ///< entries in the dictionary
  std::uint32_t index_count;     ///< those, and more that there is room for
  std::uint64_t vertex_count;    ///< vertices that there are
  std::uint32_t* creating;       ///< gets the vertices that come to be; null: all updates are looked at instead
  batch_status* status;

  /// Whether update i, of (u, v), may change an edge.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool accepts(std::size_t i, std::uint32_t u, std::uint32_t v) const {
    if (u == v && updates.loops == self_loops::drop) return false;
    return names_edge(updates.batch.kind_of(i)) && u < index_count && v < index_count;
  }

  /// The same. Notes what the batch needs.
  MANGROVE_HOST_DEVICE bool admit(std::size_t i, std::uint32_t u, std::uint32_t v) const {
    if (!admit_edge(i, u, v)) return false;
    note_ends(i, u, v);
    return true;
  }

  /// Notes which ends of update i, of (u, v), come to be.
  MANGROVE_HOST_DEVICE void note_ends(std::size_t i, std::uint32_t u, std::uint32_t v) const {
    note_missing(u, v, missing_ends(i, u, v));
  }

  /// Vertices that an update brings into being.
  struct ends {
    bool u;
    bool v;
  };

  /// Which ends of update i, of (u, v), come to be.
  [[nodiscard]] MANGROVE_HOST_DEVICE ends missing_ends(std::size_t i, std::uint32_t u, std::uint32_t v) const {
    if (updates.batch.kind_of(i) != update_kind::insert) return {};
    const bool has_u = exists(u);  // both are read at once
    const bool has_v = exists(v);
    return {!has_u, !has_v};
  }

  /// The same without sources that whoever gathers the updates of a vertex notes, which can tell that some are inserts
  /// if all are. An undirected update's ends are both sources.
  [[nodiscard]] MANGROVE_HOST_DEVICE ends missing_besides_sources(std::size_t i, std::uint32_t u,
                                                                  std::uint32_t v) const {
    if (!all_inserts()) return missing_ends(i, u, v);
    const bool is_source = updates.direction == edge_direction::undirected;
    return {false, !is_source && (v == 0 || !all_but_first_exist()) && !exists(v)};
  }

  /// Whether the batch is one of inserts alone.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool all_inserts() const {
    return updates.batch.kinds == nullptr && updates.batch.kind == update_kind::insert;
  }

  /// Notes those of both ends that come to be. Lanes share an atomic: a counter takes less than one a nanosecond.
  MANGROVE_HOST_DEVICE void note_missing(std::uint32_t u, std::uint32_t v, ends missing) const {
    const std::uint32_t count = (missing.u ? 1U : 0U) + (missing.v ? 1U : 0U);
    if (count == 0) return;
    if (creating == nullptr) return note_missing(u);
    std::uint32_t* const to = creating + count_up_by(&status->creating, count);
    if (missing.u) to[0] = u;
    if (missing.v) to[count - 1] = v;
  }

  /// As `admit`, but vertices that come to be are left to the caller.
  MANGROVE_HOST_DEVICE bool admit_edge(std::size_t i, std::uint32_t u, std::uint32_t v) const {
    const update_kind kind = updates.batch.kind_of(i);
    if (!names_edge(kind)) {
      store_relaxed(&status->unsuited, 1U);
      return false;
    }
    if (u == v && updates.loops == self_loops::drop) {
      if (updates.names_new_vertices) store_relaxed(&status->unsuited, 1U);
      return false;
    }
    const std::uint32_t larger = u > v ? u : v;
    if (larger < known_count) return true;
    if (kind == update_kind::insert) note_beyond(larger);
    return larger < index_count;  // else an edge to nowhere, or the batch comes again
  }

  /// Notes that an index beyond the dictionary comes to be.
  MANGROVE_HOST_DEVICE void note_beyond(std::uint32_t index) const {
    raise_to(&status->index_limit, index + 1 == 0 ? index : index + 1);
    if (index >= index_count) store_relaxed(&status->beyond, 1U);
  }

  /// @pre the index is below `index_count`
  [[nodiscard]] MANGROVE_HOST_DEVICE bool exists(std::uint32_t index) const {
    return vertex_count == index_count || (present[index / 32] >> (index % 32) & 1) != 0;
  }

  /// Whether every index, but maybe 0 where ids begin at 1, has its vertex, so that no other has to be looked at.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool all_but_first_exist() const {
    return vertex_count == index_count || (vertex_count + 1 == index_count && !exists(0));
  }

  /// Notes that a vertex comes to be.
  MANGROVE_HOST_DEVICE void note_missing(std::uint32_t vertex) const {
    if (creating == nullptr) {
      store_relaxed(&status->creating, static_cast<std::uint32_t>(updates.batch.size));
    } else {
      creating[count_up_one(&status->creating)] = vertex;
    }
  }
};

}  // namespace mangrove::detail
