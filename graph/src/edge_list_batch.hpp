#pragma once

#include <cstdint>
#include <string>

#include "mangrove/core/error.hpp"
#include "mangrove/graph/edge_list.hpp"
#include "mangrove/graph/update.hpp"
#include "translated_updates.hpp"

/// @file
/// Lists of edges as batches.

namespace mangrove::detail {

/// The number of vertices that a list says exist. @throws usage_error when a graph cannot hold as many
inline std::uint32_t checked_vertex_count(const edge_list& edges) {
  if (edges.vertex_count >= max_vertices) {
    throw usage_error("an edge list with " + std::to_string(edges.vertex_count) +
                      " vertices is too large: a graph holds at most " + std::to_string(max_vertices));
  }
  return static_cast<std::uint32_t>(edges.vertex_count);
}

/// A list of edges as a batch that also makes its vertices exist.
inline update_batch with_vertices(const edge_list& edges) {
  update_batch batch;
  batch.kinds.assign(edges.vertex_count, update_kind::insert_vertex);
  batch.kinds.resize(edges.vertex_count + edges.size(), update_kind::insert);
  batch.sources.resize(edges.vertex_count);
  for (std::uint64_t i = 0; i < edges.vertex_count; ++i) batch.sources[i] = i + 1;
  batch.targets.resize(edges.vertex_count);
  batch.sources.insert(batch.sources.end(), edges.sources.begin(), edges.sources.end());
  batch.targets.insert(batch.targets.end(), edges.targets.begin(), edges.targets.end());
  if (edges.weighted()) {
    batch.weights.resize(edges.vertex_count);
    batch.weights.insert(batch.weights.end(), edges.weights.begin(), edges.weights.end());
  }
  return batch;
}

}  // namespace mangrove::detail
