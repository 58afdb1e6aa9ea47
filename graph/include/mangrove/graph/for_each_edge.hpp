#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "mangrove/graph/detail/balanced_walk.hpp"
#include "mangrove/graph/graph_view.hpp"

/// @file
/// All edges of a graph, with the work shared out evenly: a hub's neighbours are walked by many tiles. Include the
/// backend's `for_each_tile` (core/for_each.hpp or core/for_each.cuh) before.

namespace mangrove {

namespace detail {

/// The adjacency that a view reads.
template <class Vertex, class Weight>
const adjacency_view<Weight>& adjacency_of(const graph_view<Vertex, Weight>& view) {
  using view_type = graph_view<Vertex, Weight>;
  static_assert(std::is_standard_layout_v<view_type>, "a view must be interconvertible with its first member");
  return reinterpret_cast<const adjacency_view<Weight>&>(view);
}

template <class Resources>
using backend_with = std::conditional_t<std::same_as<Resources, cpu_resources>, cpu, cuda>;

/// Vertices by number: all of them.
struct every_vertex {
  MANGROVE_HOST_DEVICE std::uint32_t operator()(std::size_t i) const { return static_cast<std::uint32_t>(i); }
};

/// Body: calls `f(u, v)`, or `f(u, v, weight)`, for the edges of a chunk.
template <class Weight, class F>
struct call_with_edges {
  F f;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const edge_chunk<Weight>& chunk) const {
    chunk.for_each_slot(tile, [&](vertex_index v, const Weight* weight) {
      if constexpr (is_none<Weight> || std::is_invocable_v<const F&, vertex_index, vertex_index>) {
        f(chunk.source(), v);
      } else {
        f(chunk.source(), v, *weight);
      }
    });
  }
};

}  // namespace detail

/// Calls `body(tile, chunk)` for chunks (see `edge_chunk`) that are together all edges of the graph. For bodies that
/// bring a vertex's neighbours together: `chunk.whole()` says whether they are all there, or only some of a hub's.
///
/// On CUDA it is queued on the stream of `res`, without waiting; the view must stay valid until that is done.
///
/// @tparam Width lanes of the tile that walks a vertex of medium degree: 2, 4, 8, 16 or 32. Small vertices get one
/// lane,
///   chunks of hubs a whole warp, so the body must be a template over the tile.
/// @param body a function object; on CUDA one that the device can run, copied to it. It is not called for vertices
///   without edges.
/// @throws memory_error when scratch memory is refused: four bytes per vertex index and a little
/// Cost: a read of the dictionary and of all extents in use by vertices.
template <int Width = 8, class Resources, class Vertex, class Weight, class Body>
void for_each_chunk(const Resources& res, const graph_view<Vertex, Weight>& view, const Body& body) {
  using B = detail::backend_with<Resources>;
  static_assert(Width >= 2 && Width <= 32 && (Width & (Width - 1)) == 0);
  const auto& graph = detail::adjacency_of(view);
  detail::balanced_walk<B>(res, graph.entry_count)
      .template run<Width, 32>(res, graph, graph.entry_count, detail::every_vertex{}, body);
}

/// Calls `f(u, v)`, or `f(u, v, weight)`, once for every directed edge, by vertex indices, in a lane each and in no
/// particular order. An undirected edge comes in both directions. Otherwise as `for_each_chunk`.
template <int Width = 8, class Resources, class Vertex, class Weight, class F>
void for_each_edge(const Resources& res, const graph_view<Vertex, Weight>& view, const F& f) {
  for_each_chunk<Width>(res, view, detail::call_with_edges<Weight, F>{f});
}

}  // namespace mangrove
