#pragma once

#include "intersect_rows.hpp"
#include "orient.hpp"

/// @file
/// The functions of `algorithms/oriented_graph.hpp`. Included by the files that instantiate them, after the backend's
/// `for_each_tile`; each of them says in `count_all` which method suits which graph.

namespace mangrove {

namespace detail::triangles {
template <class Corners>
std::uint64_t count_all(const cpu_resources& res, const oriented_graph<cpu>& graph, Corners corners);
template <class Corners>
std::uint64_t count_all(const cuda_resources& res, const oriented_graph<cuda>& graph, Corners corners);
}  // namespace detail::triangles

template <backend B>
std::uint64_t count_oriented(const resources<B>& res, const oriented_graph<B>& graph) {
  return detail::triangles::count_all(res, graph, detail::triangles::ignore_corners{});
}

template <backend B>
buffer<B, std::uint64_t> count_oriented_by_vertex(const resources<B>& res, const oriented_graph<B>& graph) {
  buffer<B, std::uint64_t> counts(res, graph.vertices);
  fill_bytes(res, counts.data(), 0, graph.vertices);
  detail::triangles::count_all(res, graph, detail::triangles::count_corners{graph.indices.data(), counts.data()});
  return counts;
}

}  // namespace mangrove
