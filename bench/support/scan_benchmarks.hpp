#pragma once

#include <algorithm>
#include <cstdint>

#include "balanced_scan.hpp"
#include "graph_fixture.hpp"

/// @file
/// Reading a graph: all neighbours of all vertices, beside the same over a CSR, and whether edges exist. Include the
/// backend's `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// Body: sums the neighbours of a vertex.
struct scan_vertex {
  graph_view<std::uint32_t, none> graph;
  std::uint64_t* sums;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t u) const {
    std::uint64_t sum = 0;
    graph.for_each_neighbor(tile, static_cast<vertex_index>(u), [&](vertex_index v) { sum += v; });
    sum = tile.sum(sum);
    if (tile.lane() == 0) sums[u] = sum;
  }
};

/// Body: sums a row.
struct scan_row {
  const std::uint64_t* offsets;
  const std::uint32_t* targets;
  std::uint64_t* sums;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t u) const {
    std::uint64_t sum = 0;
    const std::uint32_t* const row = targets + offsets[u];
    tile.strided(offsets[u + 1] - offsets[u], [&](std::size_t i) { sum += row[i]; });
    sum = tile.sum(sum);
    if (tile.lane() == 0) sums[u] = sum;
  }
};

template <backend B>
void scan_graph(benchmark::State& state, graph_fixture<B>& fixture) {
  const auto view = fixture.graph().view();
  buffer<B, std::uint64_t> sums(fixture.res(), fixture.graph().index_count());
  for (auto _ : state) {
    state.SetIterationTime(seconds_of(fixture.res(), [&] {
      for_each_tile<8>(fixture.res(), sums.size(), scan_vertex{view, sums.data()});
    }));
  }
  report_rate(state, fixture.graph().directed_edge_count(), "edges/s");
}

template <backend B>
void scan_rows(benchmark::State& state, graph_fixture<B>& fixture) {
  const auto rows = fixture.graph().to_csr(fixture.res());
  buffer<B, std::uint64_t> sums(fixture.res(), rows.offsets.size() - 1);
  for (auto _ : state) {
    state.SetIterationTime(seconds_of(fixture.res(), [&] {
      for_each_tile<8>(fixture.res(), sums.size(), scan_row{rows.offsets.data(), rows.targets.data(), sums.data()});
    }));
  }
  report_rate(state, rows.targets.size(), "edges/s");
}

/// Asks for edges of the list `asked`, 2^24 at most.
template <backend B>
void ask_edges(benchmark::State& state, graph_fixture<B>& fixture, const placed_edges<B>& asked) {
  const std::size_t count = std::min<std::size_t>(asked.size(), std::size_t{1} << 24);
  buffer<B, std::uint8_t> found(fixture.res(), count);
  auto& graph = fixture.graph();
  for (auto _ : state) {
    state.SetIterationTime(seconds_of(fixture.res(), [&] {
      graph.contains(fixture.res(), asked.sources.data(), asked.targets.data(), found.data(), count);
    }));
  }
  report_rate(state, count, "queries/s");
}

template <backend B>
void add_scan_benchmarks(graph_fixture<B>& fixture) {
  const std::string& graph = fixture.edges().name;
  add_benchmark(graph, "scan", [&](auto& state) { scan_graph(state, fixture); });
  add_benchmark(graph, "scan_balanced", [&](auto& state) { scan_balanced(state, fixture); });
  add_benchmark(graph, "csr_scan", [&](auto& state) { scan_rows(state, fixture); });
  add_benchmark(graph, "contains", [&](auto& state) { ask_edges(state, fixture, fixture.placed()); });
  add_benchmark(graph, "contains_random", [&](auto& state) { ask_edges(state, fixture, fixture.random_edges()); });
}

}  // namespace mangrove::bench
