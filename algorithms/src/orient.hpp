#pragma once

#include <bit>
#include <utility>

#include "mangrove/algorithms/oriented_graph.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bulk.hpp"
#include "ranges.hpp"

/// @file
/// Orienting the edges of a graph. Included by the files that instantiate it, after the backend's `for_each_tile`.

namespace mangrove::detail::triangles {

/// Edges that one tile copies.
inline constexpr std::uint64_t edges_per_chunk = 512;

inline std::size_t chunks_of(std::uint64_t edges) {
  return static_cast<std::size_t>((edges + edges_per_chunk - 1) / edges_per_chunk);
}

/// Body: how many neighbours of a vertex are other vertices, and how many of them have a larger index.
template <backend B>
struct measure_row {
  csr_view<B> rows;
  std::uint32_t* degrees;
  std::uint64_t* larger;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t u) const {
    const std::uint64_t begin = rows.offsets[u];
    const std::uint64_t end = rows.offsets[u + 1];
    const auto self = static_cast<std::uint32_t>(u);
    const std::size_t at = lower_bound(rows.targets, begin, end, self);
    const bool loop = at < end && rows.targets[at] == self;
    degrees[u] = static_cast<std::uint32_t>(end - begin - loop);
    larger[u] = end - at - loop;
  }
};

/// Body: writes a chunk of the edges (u, v) with u < v, in order. They are the last ones of each row.
template <backend B>
struct list_larger {
  csr_view<B> rows;
  const std::uint64_t* starts;  ///< where each vertex's go to
  std::uint64_t count;
  std::uint64_t* edges;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t chunk) const {
    const std::uint64_t first = chunk * edges_per_chunk;
    const std::uint64_t last = first + edges_per_chunk < count ? first + edges_per_chunk : count;
    for_each_row_part(starts, rows.vertices, first, last, [&](std::size_t u, std::uint64_t begin, std::uint64_t end) {
      const std::uint32_t* const from = rows.targets + rows.offsets[u + 1] - (starts[u + 1] - begin);
      tile.strided(end - begin,
                   [&](std::size_t i) { edges[begin + i] = static_cast<std::uint64_t>(u) << 32 | from[i]; });
    });
  }
};

/// Body: a key that puts vertices of higher degree first.
struct degree_key {
  const std::uint32_t* degrees;
  std::uint64_t* keys;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t u) const {
    keys[u] = static_cast<std::uint64_t>(~degrees[u]) << 32 | u;
  }
};

/// Body: reads indices and their labels off the sorted keys.
struct assign_label {
  const std::uint64_t* keys;
  std::uint32_t* indices;
  std::uint32_t* labels;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t label) const {
    indices[label] = target_of(keys[label]);
    labels[indices[label]] = static_cast<std::uint32_t>(label);
  }
};

/// Body: names an edge by labels and points it from the larger to the smaller.
struct relabel_edge {
  const std::uint32_t* labels;
  std::uint64_t* edges;

  template <int Stage>
  void prefetch(std::size_t i) const {
    mangrove::prefetch(labels + source_of(edges[i]));
    mangrove::prefetch(labels + target_of(edges[i]));
  }
  static constexpr int prefetch_stages = 1;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint64_t key = edge_key(labels[source_of(edges[i])], labels[target_of(edges[i])]);
    edges[i] = key << 32 | key >> 32;
  }
};

/// Body: marks where rows begin and end, and copies the target.
struct mark_row {
  const std::uint64_t* edges;
  std::uint64_t count;
  edge_range* rows;
  std::uint32_t* targets;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t source = source_of(edges[i]);
    targets[i] = target_of(edges[i]);
    if (i == 0 || source_of(edges[i - 1]) != source) rows[source].begin = i;
    if (i + 1 == count || source_of(edges[i + 1]) != source) rows[source].end = i + 1;
  }
};

/// A simple undirected graph: each edge once, as `edge_key`, ascending; and the vertices' degrees.
template <backend B>
struct simple_graph {
  std::uint32_t vertices = 0;
  buffer<B, std::uint64_t> edges;
  buffer<B, std::uint32_t> degrees;
};

template <backend B>
simple_graph<B> simple_graph_of(const resources<B>& res, const csr_view<B>& rows) {
  simple_graph<B> graph{rows.vertices, {}, buffer<B, std::uint32_t>(res, rows.vertices)};
  buffer<B, std::uint64_t> larger(res, rows.vertices);
  for_each_tile<1>(res, rows.vertices, measure_row<B>{rows, graph.degrees.data(), larger.data()});
  buffer<B, std::uint64_t> starts(res, rows.vertices + std::size_t{1});
  exclusive_scan(res, larger.data(), starts.data(), rows.vertices);
  const std::uint64_t count = read_back(res, starts.data() + rows.vertices);
  graph.edges = buffer<B, std::uint64_t>(res, count);
  for_each_tile<8>(res, chunks_of(count), list_larger<B>{rows, starts.data(), count, graph.edges.data()});
  return graph;
}

/// Relabelling pays where hubs would otherwise keep long lists; elsewhere it only scatters what lies together.
template <backend B>
bool degrees_are_skewed(const resources<B>& res, const simple_graph<B>& graph) {
  constexpr std::uint64_t harmless_degree = 32;
  constexpr std::uint64_t skew = 8;  // largest degree over the mean
  const std::uint64_t largest = max_value(res, graph.degrees.data(), graph.vertices);
  return largest > harmless_degree && largest * graph.vertices > skew * 2 * graph.edges.size();
}

template <backend B>
buffer<B, std::uint32_t> relabel_by_degree(const resources<B>& res, simple_graph<B>& graph) {
  buffer<B, std::uint64_t> keys(res, graph.vertices);
  for_each_tile<1>(res, graph.vertices, degree_key{graph.degrees.data(), keys.data()});
  sort(res, keys.data(), graph.vertices);
  buffer<B, std::uint32_t> indices(res, graph.vertices);
  buffer<B, std::uint32_t> labels(res, graph.vertices);
  for_each_tile<1>(res, graph.vertices, assign_label{keys.data(), indices.data(), labels.data()});
  for_each_tile<1>(res, graph.edges.size(), relabel_edge{labels.data(), graph.edges.data()});
  sort(res, graph.edges.data(), graph.edges.size(), 0, 32 + static_cast<int>(std::bit_width(graph.vertices)));
  return indices;
}

template <backend B>
oriented_graph<B> orient_simple(const resources<B>& res, simple_graph<B> graph, vertex_order order) {
  oriented_graph<B> oriented;
  if (order == vertex_order::automatic) {
    order = degrees_are_skewed(res, graph) ? vertex_order::by_degree : vertex_order::by_index;
  }
  if (order == vertex_order::by_degree) oriented.indices = relabel_by_degree(res, graph);
  oriented.order = order;
  oriented.vertices = graph.vertices;
  oriented.rows = buffer<B, edge_range>(res, graph.vertices);
  fill_bytes(res, oriented.rows.data(), 0, graph.vertices);
  oriented.targets = buffer<B, std::uint32_t>(res, graph.edges.size());
  for_each_tile<1>(res, graph.edges.size(),
                   mark_row{graph.edges.data(), graph.edges.size(), oriented.rows.data(), oriented.targets.data()});
  oriented.edges = std::move(graph.edges);
  return oriented;
}

}  // namespace mangrove::detail::triangles

namespace mangrove {

template <backend B>
oriented_graph<B> orient(const resources<B>& res, const csr_view<B>& rows, vertex_order order) {
  using namespace detail::triangles;
  return orient_simple(res, simple_graph_of(res, rows), order);
}

}  // namespace mangrove
