#pragma once

#include <cstdint>

#include "mangrove/core/buffer.hpp"
#include "mangrove/graph/dynamic_graph.hpp"

/// @file
/// Exact triangle counts of a graph as it is now. To keep the count while the graph changes, see
/// `algorithms/triangle_counter.hpp`.
///
/// The graph must be undirected; a directed one is a `usage_error`, since a triangle of directed edges can mean several
/// things. Self loops and weights play no role. Instantiated for the types of `dynamic_graph`.
///
/// Cost of all functions: an export of the edges (`dynamic_graph::to_csr`), a pass or a sort of them, and one
/// intersection of two sorted lists an edge. Memory: about 40 bytes an undirected edge meanwhile. They read the graph
/// only; several may run at the same time, but no batch may be applied meanwhile. @throws memory_error when memory is
/// refused

namespace mangrove {

/// The number of triangles.
template <backend B, class Vertex, class Weight>
std::uint64_t triangle_count(const resources<B>& res, const dynamic_graph<B, Vertex, Weight>& graph);

/// The number of triangles that each vertex is a corner of, in the backend's memory, by vertex index
/// [dim = graph.index_count()].
template <backend B, class Vertex, class Weight>
buffer<B, std::uint64_t> triangle_counts(const resources<B>& res, const dynamic_graph<B, Vertex, Weight>& graph);

/// How much the neighbours of vertices know each other.
template <backend B>
struct clustering {
  buffer<B, std::uint64_t> triangles;  ///< as `triangle_counts` gives them
  buffer<B, double> local;             ///< by vertex index: joined pairs of neighbours over all pairs; 0 below degree 2
  double average = 0;                  ///< mean of `local` over the vertices that exist; 0 when there are none
  double transitivity = 0;             ///< three times the triangles over the paths of two edges; 0 when there are none
  std::uint64_t triangle_count = 0;
};

/// Local, average and global clustering coefficients.
template <backend B, class Vertex, class Weight>
clustering<B> clustering_coefficients(const resources<B>& res, const dynamic_graph<B, Vertex, Weight>& graph);

}  // namespace mangrove
