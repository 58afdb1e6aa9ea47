#pragma once

#include "mangrove/algorithms/oriented_graph.hpp"
#include "ranges.hpp"
#include "tally.hpp"

/// @file
/// Triangles of an oriented graph by intersecting its rows: bodies for both backends. Included after the backend's
/// `for_each_tile`.

namespace mangrove::detail::triangles {

/// An oriented graph as bodies see it.
struct oriented_view {
  const edge_range* rows;
  const std::uint64_t* edges;
  const std::uint32_t* targets;
  std::uint64_t count;
};

template <backend B>
oriented_view view_of(const oriented_graph<B>& graph) {
  return {graph.rows.data(), graph.edges.data(), graph.targets.data(), graph.edges.size()};
}

/// What becomes of the triangles of a count without vertices: nothing but their number.
struct ignore_corners {
  MANGROVE_HOST_DEVICE void add(std::uint32_t, std::uint64_t) const {}
};

/// Adds triangles to their corners.
struct count_corners {
  const std::uint32_t* indices;  ///< of labels; null when labels are indices
  std::uint64_t* counts;         ///< by index

  MANGROVE_HOST_DEVICE void add(std::uint32_t label, std::uint64_t triangles) const {
    if (triangles != 0) fetch_add(counts + (indices == nullptr ? label : indices[label]), triangles);
  }
};

/// Body: the triangles whose first corner is vertex u, by merging rows that are short: each lane takes some of u's
/// edges.
template <class Corners>
struct merge_rows {
  oriented_view graph;
  Corners corners;
  tally_handle total;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t u) const {
    const edge_range row = graph.rows[u];
    if (row.end - row.begin < 2) return;
    std::uint64_t found = 0;
    tile.strided(row.end - row.begin, [&](std::size_t i) {
      const std::uint32_t v = graph.targets[row.begin + i];
      const std::uint64_t common = merge(row, graph.rows[v]);
      corners.add(v, common);
      found += common;
    });
    found = tile.sum(found);
    if (tile.lane() == 0) {
      corners.add(static_cast<std::uint32_t>(u), found);
      total.add(u, found);
    }
  }

 private:
  MANGROVE_HOST_DEVICE std::uint64_t merge(edge_range a, edge_range b) const {
    std::uint64_t common = 0;
    while (a.begin < a.end && b.begin < b.end) {
      const std::uint32_t x = graph.targets[a.begin];
      const std::uint32_t y = graph.targets[b.begin];
      if (x == y) {
        corners.add(x, 1);
        ++common;
      }
      a.begin += x <= y;
      b.begin += y <= x;
    }
    return common;
  }
};

/// Body: the triangles on edge i, by looking the targets of the shorter row up in the longer one. Passes over edges
/// whose shorter row has not between `shortest` and `longest` targets: those are for tiles of another width.
template <class Corners>
struct search_rows {
  oriented_view graph;
  Corners corners;
  tally_handle total;
  std::uint64_t shortest;
  std::uint64_t longest;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t u = source_of(graph.edges[i]);
    const std::uint32_t v = target_of(graph.edges[i]);
    edge_range small = graph.rows[u];
    edge_range large = graph.rows[v];
    if (large.end - large.begin < small.end - small.begin) {
      const edge_range other = small;
      small = large;
      large = other;
    }
    if (small.end - small.begin < shortest || small.end - small.begin > longest) return;
    std::uint64_t found = 0;
    tile.strided(small.end - small.begin, [&](std::size_t k) {
      const std::uint32_t w = graph.targets[small.begin + k];
      if (holds(graph.targets, large.begin, large.end, w)) {
        corners.add(w, 1);
        ++found;
      }
    });
    found = tile.sum(found);
    if (tile.lane() == 0) {
      corners.add(u, found);
      corners.add(v, found);
      total.add(i, found);
    }
  }
};

/// Counts by merging. Good where rows are short and alike: neighbours lie together, little is read twice.
template <backend B, class Corners>
void count_by_merging(const resources<B>& res, const oriented_graph<B>& graph, Corners corners, tally_handle total) {
  const merge_rows<Corners> body{view_of(graph), corners, total};
  if (graph.edges.size() < 2 * std::uint64_t{graph.vertices}) {
    for_each_tile<1>(res, graph.vertices, body);
  } else {
    for_each_tile<8>(res, graph.vertices, body);
  }
}

/// Counts by searching. Good where rows differ in length; each edge gets a tile that suits its shorter row, so that a
/// hub is the work of as many tiles as it has edges.
template <backend B, class Corners>
void count_by_searching(const resources<B>& res, const oriented_graph<B>& graph, Corners corners, tally_handle total) {
  constexpr std::uint64_t narrow = 16;
  const oriented_view view = view_of(graph);
  for_each_tile<4>(res, view.count, search_rows<Corners>{view, corners, total, 1, narrow});
  for_each_tile<32>(res, view.count, search_rows<Corners>{view, corners, total, narrow + 1, ~std::uint64_t{0}});
}

}  // namespace mangrove::detail::triangles
