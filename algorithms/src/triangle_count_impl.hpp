#pragma once

#include "clustering.hpp"
#include "mangrove/algorithms/triangle_count.hpp"
#include "undirected_rows.hpp"

/// @file
/// The functions of `algorithms/triangle_count.hpp`: exports, around functions that don't depend on the types of ids
/// and weights.

namespace mangrove {

template <backend B, class Vertex, class Weight>
std::uint64_t triangle_count(const resources<B>& res, const dynamic_graph<B, Vertex, Weight>& graph) {
  return count_oriented(res, orient(res, view_of(detail::triangles::undirected_rows(res, graph))));
}

template <backend B, class Vertex, class Weight>
buffer<B, std::uint64_t> triangle_counts(const resources<B>& res, const dynamic_graph<B, Vertex, Weight>& graph) {
  return count_oriented_by_vertex(res, orient(res, view_of(detail::triangles::undirected_rows(res, graph))));
}

template <backend B, class Vertex, class Weight>
clustering<B> clustering_coefficients(const resources<B>& res, const dynamic_graph<B, Vertex, Weight>& graph) {
  const auto rows = detail::triangles::undirected_rows(res, graph);
  return detail::triangles::clustering_of(res, view_of(rows), graph.vertex_count());
}

}  // namespace mangrove
