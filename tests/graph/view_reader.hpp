#pragma once

#include <cstdint>
#include <vector>

#include "graph_support.hpp"
#include "mangrove/core/buffer.hpp"

/// @file
/// Bodies that read a graph through its view, on its backend. Needs the backend's `for_each_tile`.

namespace mangrove::test {

template <class Vertex, class Weight>
struct read_ids {
  graph_view<Vertex, Weight> graph;
  std::uint64_t* ids;
  std::uint8_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto index = static_cast<vertex_index>(i);
    present[i] = graph.exists(index);
    ids[i] = present[i] != 0 ? graph.id(index) : 0;
  }
};

template <class Types>
std::vector<std::uint64_t> all_ids(const resources<typename Types::backend_type>& res,
                                   const typename Types::graph& graph) {
  using B = typename Types::backend_type;
  buffer<B, std::uint64_t> ids(res, graph.index_count());
  buffer<B, std::uint8_t> present(res, graph.index_count());
  for_each_tile<1>(res, graph.index_count(),
                   read_ids<typename Types::vertex, typename Types::weight>{graph.view(), ids.data(), present.data()});
  const auto flags = to_host(res, present.data(), present.size());
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(flags.begin(), flags.end(), 1)), graph.vertex_count());
  return to_host(res, ids.data(), ids.size());
}

/// For a vertex pair by id: degrees, whether the edge is there, its weight, sums over neighbours and common neighbours.
struct pair_facts {
  std::uint64_t known;  ///< bit 0: the source is a vertex, bit 1: the target is
  std::uint64_t degree;
  std::uint64_t contains;
  std::uint64_t neighbor_sum;  ///< of neighbours' indices plus one
  std::uint64_t common;
  double weight;
};

template <class Vertex, class Weight>
struct read_pair {
  graph_view<Vertex, Weight> graph;
  const Vertex* sources;
  const Vertex* targets;
  pair_facts* facts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const vertex_index u = graph.index(tile, sources[i]);
    const vertex_index v = graph.index(tile, targets[i]);
    pair_facts found{};
    found.known = (u != no_vertex ? 1 : 0) | (v != no_vertex ? 2 : 0);
    if (found.known == 3) read(tile, u, v, found);
    if (tile.lane() == 0) facts[i] = found;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void read(const Tile& tile, vertex_index u, vertex_index v, pair_facts& found) const {
    found.degree = graph.degree(u);
    found.contains = graph.contains(tile, u, v) ? 1 : 0;
    std::uint64_t sum = 0;
    graph.for_each_neighbor(tile, u, [&](vertex_index w) { sum += w + 1; });
    found.neighbor_sum = tile.sum(sum);
    std::uint64_t common = 0;
    graph.intersect(tile, u, v, [&](vertex_index) { ++common; });
    found.common = tile.sum(common);
    if constexpr (!is_none<Weight>) found.weight = static_cast<double>(graph.weight(tile, u, v, Weight(-1)));
  }
};

template <int Width, class Types>
std::vector<pair_facts> read_pairs(const resources<typename Types::backend_type>& res,
                                   const typename Types::graph& graph,
                                   const std::vector<typename Types::vertex>& sources,
                                   const std::vector<typename Types::vertex>& targets) {
  using B = typename Types::backend_type;
  const auto from = make_buffer<B>(res, sources.data(), sources.size());
  const auto to = make_buffer<B>(res, targets.data(), targets.size());
  buffer<B, pair_facts> facts(res, sources.size());
  for_each_tile<Width>(
      res, sources.size(),
      read_pair<typename Types::vertex, typename Types::weight>{graph.view(), from.data(), to.data(), facts.data()});
  return to_host(res, facts.data(), facts.size());
}

}  // namespace mangrove::test
