#pragma once

#include <string>
#include <vector>

#include "graph_fixture.hpp"

/// @file
/// Batches of inserts and of erases, beside a CSR that is rebuilt for each. Include the backend's `for_each_tile` and
/// `seconds_of` before.

namespace mangrove::bench {

/// Inserts batches in turn and erases each again; the time of one of the two counts.
/// @param warm_ups batches that go first, unmeasured
/// @param apply applies a batch view
template <class Resources, class Turns, class Apply>
void update_in_turn(benchmark::State& state, const Resources& res, Turns& turns, update_kind kind, int warm_ups,
                    const Apply& apply) {
  const auto run = [&](update_kind what) {
    const auto batch = turns.view(what);
    return seconds_of(res, [&] { apply(batch); });
  };
  for (int i = 0; i < warm_ups; ++i) {
    run(update_kind::insert);
    run(update_kind::erase);
    turns.next();
  }
  for (auto _ : state) {
    const double inserting = run(update_kind::insert);
    const double erasing = run(update_kind::erase);
    state.SetIterationTime(kind == update_kind::insert ? inserting : erasing);
    turns.next();
  }
  report_rate(state, turns.size(), "edges/s");
}

template <backend B>
void update_graph(benchmark::State& state, graph_fixture<B>& fixture, batch_shape shape, int bits, update_kind kind) {
  auto& changed = fixture.graph();
  update_in_turn(state, fixture.res(), fixture.batches(shape, bits), kind, 4,
                 [&](const auto& batch) { changed.apply(fixture.res(), batch); });
}

template <backend B>
void update_rows(benchmark::State& state, graph_fixture<B>& fixture, int bits, update_kind kind) {
  auto& rows = fixture.rows();
  update_in_turn(state, fixture.res(), fixture.batches(batch_shape::uniform, bits), kind, 1, [&](const auto& batch) {
    const bool inserting = batch.kind == update_kind::insert;
    inserting ? rows.insert(fixture.res(), batch.sources, batch.targets, batch.size)
              : rows.erase(fixture.res(), batch.sources, batch.targets, batch.size);
  });
}

inline std::string name_of(update_kind kind) {
  return kind == update_kind::insert ? "insert" : "erase";
}

/// Batches of random edges.
template <backend B>
void add_update_benchmarks(graph_fixture<B>& fixture, const std::vector<int>& batch_bits) {
  const std::string& graph = fixture.edges().name;
  for (const int bits : batch_bits) {
    for (const auto kind : {update_kind::insert, update_kind::erase}) {
      add_benchmark(graph, sized(name_of(kind), bits),
                    [=, &fixture](auto& state) { update_graph(state, fixture, batch_shape::uniform, bits, kind); });
    }
    for (const auto kind : {update_kind::insert, update_kind::erase}) {
      add_benchmark(graph, sized("csr_rebuild_" + name_of(kind), bits),
                    [=, &fixture](auto& state) { update_rows(state, fixture, bits, kind); });
    }
  }
}

/// Batches that a few vertices, or one, take for the most part: names end in _power_law and _hub. Hubs make vertices
/// beyond the graph's own when it has fewer than a batch has edges, so these come last.
template <backend B>
void add_skewed_update_benchmarks(graph_fixture<B>& fixture, int bits) {
  for (const auto shape : {batch_shape::power_law, batch_shape::hub}) {
    const std::string suffix = shape == batch_shape::hub ? "_hub" : "_power_law";
    for (const auto kind : {update_kind::insert, update_kind::erase}) {
      add_benchmark(fixture.edges().name, sized(name_of(kind) + suffix, bits),
                    [=, &fixture](auto& state) { update_graph(state, fixture, shape, bits, kind); });
    }
  }
}

}  // namespace mangrove::bench
