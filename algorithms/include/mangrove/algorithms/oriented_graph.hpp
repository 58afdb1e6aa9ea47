#pragma once

#include <cstdint>

#include "mangrove/core/buffer.hpp"
#include "mangrove/graph/csr.hpp"

/// @file
/// Counting triangles of an undirected graph in compressed sparse rows. `algorithms/triangle_count.hpp` does it for a
/// `dynamic_graph`; here are its two steps, for rows that come from elsewhere.

namespace mangrove {

/// Rows in a backend's memory that somebody else owns: the neighbours of u are `targets[offsets[u] .. offsets[u + 1])`,
/// ascending and without repeats, both directions of each edge. Self loops may be there; they are passed over.
template <backend B>
struct csr_view {
  const std::uint64_t* offsets = nullptr;  ///< vertices + 1
  const std::uint32_t* targets = nullptr;  ///< offsets[vertices]
  std::uint32_t vertices = 0;
};

template <backend B, class Weight>
csr_view<B> view_of(const csr<B, Weight>& rows) {
  const std::size_t offsets = rows.offsets.size();
  return {rows.offsets.data(), rows.targets.data(), offsets == 0 ? 0 : static_cast<std::uint32_t>(offsets - 1)};
}

/// By what the vertices are ranked when edges are oriented.
enum class vertex_order : std::uint8_t {
  automatic,  ///< `by_degree` when degrees are skewed, else `by_index`
  by_index,   ///< edges go to the larger index; nothing is relabelled, so neighbours stay near each other
  by_degree   ///< vertices are relabelled, hubs first, and edges go to the smaller label: no vertex keeps many
};

/// Where the out-edges of a vertex stand in `oriented_graph::edges`.
struct edge_range {
  std::uint64_t begin;
  std::uint64_t end;
};

/// Each edge of a simple undirected graph once, in the direction of an order of the vertices, in a backend's memory. So
/// every triangle is found exactly once, as a pair of out-neighbours of a vertex that are joined themselves.
template <backend B>
struct oriented_graph {
  std::uint32_t vertices = 0;
  vertex_order order = vertex_order::by_index;  ///< never `automatic`
  buffer<B, edge_range> rows;                   ///< one per label
  buffer<B, std::uint64_t> edges;               ///< labels, source << 32 | target, ascending
  buffer<B, std::uint32_t> targets;             ///< the targets of `edges` alone
  buffer<B, std::uint32_t> indices;             ///< the vertex index of each label; empty when labels are indices
};

/// Orients the edges of a graph. Self loops are dropped.
/// Cost: one pass over the edges; by degree also a sort of the vertices and one of the edges. Memory: 12 bytes an edge
/// and 16 (by degree: 20) a vertex, and as much again meanwhile.
/// @throws memory_error when memory is refused
template <backend B>
oriented_graph<B> orient(const resources<B>& res, const csr_view<B>& rows,
                         vertex_order order = vertex_order::automatic);

/// The number of triangles, exact. @throws memory_error when memory is refused
template <backend B>
std::uint64_t count_oriented(const resources<B>& res, const oriented_graph<B>& graph);

/// The number of triangles that each vertex is a corner of, by vertex index [dim = graph.vertices].
/// Their sum is three times the number of triangles. @throws memory_error when memory is refused
template <backend B>
buffer<B, std::uint64_t> count_oriented_by_vertex(const resources<B>& res, const oriented_graph<B>& graph);

}  // namespace mangrove
