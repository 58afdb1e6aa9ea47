// Counts the common neighbours of pairs of vertices, before and after the graph changes.
//
// What an analysis of your own looks like on a GPU: a lambda over the graph's view, run by for_each_tile.
// common_neighbors.cpp is the same on the CPU.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/for_each.cuh"
#include "mangrove/core/transfer.hpp"
#include "mangrove/graph/dynamic_graph.hpp"

using namespace mangrove;

using graph_type = dynamic_graph<mangrove::cuda, std::uint64_t, none>;

constexpr std::uint64_t vertices = 1000;
constexpr std::uint64_t reach = 40;

/// Every vertex is joined with those at most `reach` ids away.
edge_list band() {
  edge_list edges;
  for (std::uint64_t u = 1; u <= vertices; ++u) {
    for (std::uint64_t v = u + 1; v <= vertices && v <= u + reach; ++v) {
      edges.sources.push_back(u);
      edges.targets.push_back(v);
    }
  }
  return edges;
}

/// How many common neighbours the vertices with the ids sources[i] and targets[i] have, for every i.
std::vector<std::uint32_t> common_neighbors(const cuda_resources& res, const graph_type& graph,
                                            const std::vector<std::uint64_t>& sources,
                                            const std::vector<std::uint64_t>& targets) {
  const auto first = make_buffer<mangrove::cuda>(res, sources.data(), sources.size());
  const auto second = make_buffer<mangrove::cuda>(res, targets.data(), targets.size());
  buffer<mangrove::cuda, std::uint32_t> counts(res, sources.size());
  for_each_tile<8>(res, sources.size(),
                   [view = graph.view(), us = first.data(), vs = second.data(), counts = counts.data()] __device__(
                       const auto& tile, std::size_t i) {
                     const vertex_index u = view.index(tile, us[i]);
                     const vertex_index v = view.index(tile, vs[i]);
                     std::uint32_t seen = 0;
                     if (u != no_vertex && v != no_vertex) view.intersect(tile, u, v, [&](vertex_index) { ++seen; });
                     const std::uint32_t all = tile.sum(seen);
                     if (tile.lane() == 0) counts[i] = all;
                   });
  return to_host(res, counts.data(), counts.size());
}

int run() {
  const cuda_resources res;
  graph_type graph(res);
  graph.insert(res, band());

  const std::vector<std::uint64_t> sources = {500, 500, 500, 1, 500};
  const std::vector<std::uint64_t> targets = {501, 540, 600, 2, 5000};
  const auto before = common_neighbors(res, graph, sources, targets);

  update_batch batch;
  batch.push_back(update_kind::erase, 500, 510);    // 510 was a common neighbour of the first two pairs
  batch.push_back(update_kind::insert, 500, 5000);  // a new vertex
  batch.push_back(update_kind::insert, 5000, 501);
  graph.apply(res, batch);
  const auto after = common_neighbors(res, graph, sources, targets);

  for (std::size_t i = 0; i < sources.size(); ++i) {
    std::printf("%llu and %llu: %u common neighbours, then %u\n", static_cast<unsigned long long>(sources[i]),
                static_cast<unsigned long long>(targets[i]), before[i], after[i]);
  }
  const std::vector<std::uint32_t> expected_before = {2 * reach - 2, reach - 1, 0, reach - 1, 0};
  const std::vector<std::uint32_t> expected_after = {2 * reach - 2, reach - 2, 0, reach - 1, 1};
  return before == expected_before && after == expected_after ? 0 : 1;
}

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "common_neighbors: %s\n", error.what());
    return 1;
  }
}
