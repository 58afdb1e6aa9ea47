#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graph_fixture.hpp"

/// @file
/// Building a graph from nothing: at once, and in batches. Include the backend's `for_each_tile` and `seconds_of`
/// before.

namespace mangrove::bench {

/// Reports bytes a directed edge: in use, mapped, of lists of what is free, and what a CSR takes (4 an edge, 8 a
/// vertex).
inline void report_memory(benchmark::State& state, const graph_memory& memory, const directed_edges& edges) {
  const auto count = static_cast<double>(edges.size());
  state.counters["bytes/edge"] = static_cast<double>(memory.dictionary + memory.extents) / count;
  state.counters["bytes_mapped/edge"] = static_cast<double>(memory.committed) / count;
  state.counters["list_bytes/edge"] = static_cast<double>(memory.free_lists) / count;
  state.counters["csr_bytes/edge"] = 4 + 8 * static_cast<double>(edges.vertices) / count;
}

/// Whether a graph that is built gets memory for all edges first, if their number is known.
enum class build_memory { as_needed, reserved };

/// Builds a graph in batches of `size` edges.
template <backend B>
void build_graph(benchmark::State& state, graph_fixture<B>& fixture, std::size_t size, build_memory given) {
  const auto& edges = fixture.placed();
  graph_memory memory;
  for (auto _ : state) {
    typename graph_fixture<B>::graph_type built(fixture.res(), fixture.options);
    state.SetIterationTime(seconds_of(fixture.res(), [&] {
      if (given == build_memory::reserved) built.reserve(edges.size());
      for (std::size_t first = 0; first < edges.size(); first += size) {
        built.apply(fixture.res(), edges.part(update_kind::insert, first, std::min(size, edges.size() - first)));
      }
    }));
    memory = built.memory(fixture.res());
  }
  report_rate(state, edges.size(), "edges/s");
  report_memory(state, memory, fixture.edges());
}

/// The same with a CSR that is rebuilt for every batch.
template <backend B>
void build_rows(benchmark::State& state, graph_fixture<B>& fixture, std::size_t size) {
  const auto& edges = fixture.placed();
  for (auto _ : state) {
    csr_rebuild<B> built(fixture.res(), fixture.edges().vertices);
    state.SetIterationTime(seconds_of(fixture.res(), [&] {
      for (std::size_t first = 0; first < edges.size(); first += size) {
        built.insert(fixture.res(), edges.sources.data() + first, edges.targets.data() + first,
                     std::min(size, edges.size() - first));
      }
    }));
  }
  report_rate(state, edges.size(), "edges/s");
}

/// @param batch_bits logarithms of the batch sizes; those below 2^16 would take too long. The CSR is built in batches
/// that are large enough for it to end.
template <backend B>
void add_build_benchmarks(graph_fixture<B>& fixture, const std::vector<int>& batch_bits) {
  const std::string& graph = fixture.edges().name;
  const std::size_t all = fixture.edges().size();
  add_benchmark(graph, "bulk_build",
                [&, all](auto& state) { build_graph(state, fixture, all, build_memory::as_needed); });
  add_benchmark(graph, "csr_build", [&, all](auto& state) { build_rows(state, fixture, all); });
  for (const int bits : batch_bits) {
    const std::size_t size = std::size_t{1} << bits;
    if (bits < 16 || size > all) continue;
    add_benchmark(graph, sized("incremental_build", bits),
                  [&, size](auto& state) { build_graph(state, fixture, size, build_memory::as_needed); });
    if (bits < 20) continue;
    add_benchmark(graph, sized("incremental_build_reserved", bits),
                  [&, size](auto& state) { build_graph(state, fixture, size, build_memory::reserved); });
    add_benchmark(graph, sized("csr_incremental_build", bits),
                  [&, size](auto& state) { build_rows(state, fixture, size); });
  }
}

}  // namespace mangrove::bench
