#pragma once

#include <cstdint>
#include <string>

#include "update_benchmarks.hpp"

/// @file
/// What weights and wide ids cost: bulk builds, inserts and erases with other types. Include the backend's
/// `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// A graph of other types with the edges of the fixture, and batches of random edges.
template <backend B, class Vertex, class Weight>
struct typed_graph {
  using graph_type = dynamic_graph<B, Vertex, Weight>;
  using edges_type = placed_edges<B, Vertex, Weight>;

  edges_type edges;
  edges_type batch;
  graph_type graph;

  typed_graph(const graph_fixture<B>& fixture, const graph_options& options, int bits)
      : edges(fixture.res(), fixture.edges(), options.ids),
        batch(fixture.res(), random_batch(fixture.edges().vertices, std::size_t{4} << bits, 7), options.ids),
        graph(fixture.res(), options) {
    graph.apply(fixture.res(), edges.all(update_kind::insert));
  }
};

/// @param suffix what tells these types apart in names, such as _weighted
template <class Vertex, class Weight, backend B>
void add_typed_benchmarks(graph_fixture<B>& fixture, const std::string& suffix, id_space ids, int bits) {
  using typed = typed_graph<B, Vertex, Weight>;
  graph_options options = graph_fixture<B>::options;
  options.ids = ids;
  const auto get = [=, &fixture]() -> typed& {
    return fixture.template only<typed>(suffix, [&] { return typed(fixture, options, bits); });
  };
  const std::string& graph = fixture.edges().name;
  add_benchmark(graph, "bulk_build" + suffix, [=, &fixture](benchmark::State& state) {
    typed& kept = get();
    for (auto _ : state) {
      typename typed::graph_type built(fixture.res(), options);
      state.SetIterationTime(
          seconds_of(fixture.res(), [&] { built.apply(fixture.res(), kept.edges.all(update_kind::insert)); }));
    }
    report_rate(state, kept.edges.size(), "edges/s");
  });
  for (const auto kind : {update_kind::insert, update_kind::erase}) {
    add_benchmark(graph, sized(name_of(kind) + suffix, bits), [=, &fixture](benchmark::State& state) {
      typed& kept = get();
      batch_turns turns(kept.batch, std::size_t{1} << bits);
      update_in_turn(state, fixture.res(), turns, kind, 4,
                     [&](const auto& batch) { kept.graph.apply(fixture.res(), batch); });
    });
  }
}

/// Floats as weights; 64-bit ids, as positions and through a table. The fixture's own graph has neither.
template <backend B>
void add_all_typed_benchmarks(graph_fixture<B>& fixture, int bits) {
  add_typed_benchmarks<std::uint32_t, float>(fixture, "_weighted", id_space::dense, bits);
  add_typed_benchmarks<std::uint64_t, none>(fixture, "_ids64", id_space::dense, bits);
  add_typed_benchmarks<std::uint64_t, none>(fixture, "_ids64_sparse", id_space::sparse, bits);
}

}  // namespace mangrove::bench
