#pragma once

#include <cstdint>
#include <vector>

#include "graph_fixture.hpp"

/// @file
/// Erasing vertices with all their edges from an undirected graph, beside a CSR that is filtered. Include the backend's
/// `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// Vertices to erase, and what brings them back.
template <backend B>
struct vertex_batch {
  buffer<B, std::uint32_t> vertices;
  placed_edges<B> incident;  ///< the edges that touch them, each once

  vertex_batch(const graph_fixture<B>& fixture, int bits)
      : vertex_batch(fixture, random_vertices(fixture.edges().vertices, std::size_t{1} << bits, 11)) {}

  [[nodiscard]] batch_view<B, std::uint32_t, none> all(update_kind kind) const {
    return {vertices.data(), vertices.data(), nullptr, nullptr, kind, vertices.size()};
  }

 private:
  vertex_batch(const graph_fixture<B>& fixture, const std::vector<std::uint32_t>& chosen)
      : vertices(make_buffer<B>(fixture.res(), chosen.data(), chosen.size())),
        incident(fixture.res(), edges_at(one_direction(fixture.edges()), chosen)) {}
};

/// The graph of the fixture with undirected edges, and some of its vertices. All of these exist, edges or not.
template <backend B>
struct erasable_graph {
  dynamic_graph<B, std::uint32_t, none> graph;
  vertex_batch<B> batch;

  erasable_graph(const graph_fixture<B>& fixture, int bits) : graph(fixture.res()), batch(fixture, bits) {
    graph.apply(fixture.res(), placed_edges<B>(fixture.res(), one_direction(fixture.edges())).all(update_kind::insert));
    graph.apply(fixture.res(), batch.all(update_kind::insert_vertex));
  }

  void restore(const resources<B>& res) {
    graph.apply(res, batch.all(update_kind::insert_vertex));
    graph.apply(res, batch.incident.all(update_kind::insert));
  }
};

template <backend B>
void report_erased(benchmark::State& state, const vertex_batch<B>& batch) {
  report_rate(state, batch.vertices.size(), "vertices/s");
  state.counters["incident_edges"] = static_cast<double>(batch.incident.size());
}

template <backend B>
void erase_from_graph(benchmark::State& state, graph_fixture<B>& fixture, int bits) {
  const auto& res = fixture.res();
  auto& kept = fixture.template only<erasable_graph<B>>(sized("erase_vertices", bits),
                                                        [&] { return erasable_graph<B>(fixture, bits); });
  update_counts counts;
  for (auto _ : state) {
    state.SetIterationTime(
        seconds_of(res, [&] { counts = kept.graph.apply(res, kept.batch.all(update_kind::erase_vertex)); }));
    kept.restore(res);
  }
  if (counts.vertices_erased != kept.batch.vertices.size() || counts.detached != kept.batch.incident.size()) {
    state.SkipWithError("what was erased is not what was there");
  }
  report_erased(state, kept.batch);
}

template <backend B>
void erase_from_rows(benchmark::State& state, graph_fixture<B>& fixture, int bits) {
  const auto& res = fixture.res();
  auto& batch = fixture.template only<vertex_batch<B>>(sized("csr_erase_vertices", bits),
                                                       [&] { return vertex_batch<B>(fixture, bits); });
  csr_rebuild<B>& rows = fixture.rows();
  const auto saved = rows.save(res);
  for (auto _ : state) {
    state.SetIterationTime(
        seconds_of(res, [&] { rows.erase_vertices(res, batch.vertices.data(), batch.vertices.size()); }));
    rows.restore(res, saved);
  }
  report_erased(state, batch);
}

/// @param batch_bits logarithms of the numbers of vertices; those above a quarter of the graph's are left out
template <backend B>
void add_vertex_benchmarks(graph_fixture<B>& fixture, const std::vector<int>& batch_bits) {
  const std::string& graph = fixture.edges().name;
  for (const int bits : batch_bits) {
    if (std::size_t{4} << bits > fixture.edges().vertices) continue;
    add_benchmark(graph, sized("erase_vertices", bits),
                  [=, &fixture](auto& state) { erase_from_graph(state, fixture, bits); });
    add_benchmark(graph, sized("csr_erase_vertices", bits),
                  [=, &fixture](auto& state) { erase_from_rows(state, fixture, bits); });
  }
}

}  // namespace mangrove::bench
