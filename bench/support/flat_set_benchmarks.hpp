#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flat_sets.hpp"
#include "scan_benchmarks.hpp"
#include "update_benchmarks.hpp"

/// @file
/// The flat hash set per vertex at what the other benchmarks do. Names start with flat_set_, those that fetch ahead
/// with flat_set_ahead_. Include `core/for_each.hpp` and `stopwatch.hpp` before.

namespace mangrove::bench {

using cpu_fixture = graph_fixture<cpu>;

inline flat_set_graph make_flat_sets(const cpu_fixture& fixture, fetching how) {
  flat_set_graph made(fixture.edges().vertices);
  const auto& edges = fixture.placed();
  made.insert(fixture.res(), edges.sources.data(), edges.targets.data(), edges.size(), how);
  return made;
}

/// The sets of the fixture's graph; kept from one benchmark to the next.
inline flat_set_graph& flat_sets(cpu_fixture& fixture) {
  return fixture.only<flat_set_graph>("flat_sets", [&] { return make_flat_sets(fixture, fetching::ahead); });
}

inline void build_flat_sets(benchmark::State& state, const cpu_fixture& fixture, fetching how) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    std::unique_ptr<flat_set_graph> built;
    state.SetIterationTime(
        seconds_of(fixture.res(), [&] { built = std::make_unique<flat_set_graph>(make_flat_sets(fixture, how)); }));
    bytes = built->bytes();
  }
  report_rate(state, fixture.edges().size(), "edges/s");
  state.counters["bytes/edge"] = static_cast<double>(bytes) / static_cast<double>(fixture.edges().size());
}

inline void update_flat_sets(benchmark::State& state, cpu_fixture& fixture, int bits, update_kind kind, fetching how) {
  flat_set_graph& sets = flat_sets(fixture);
  update_in_turn(state, fixture.res(), fixture.batches(batch_shape::uniform, bits), kind, 4, [&](const auto& batch) {
    const bool inserting = batch.kind == update_kind::insert;
    inserting ? sets.insert(fixture.res(), batch.sources, batch.targets, batch.size, how)
              : sets.erase(fixture.res(), batch.sources, batch.targets, batch.size, how);
  });
}

inline void ask_flat_sets(benchmark::State& state, cpu_fixture& fixture, const placed_edges<cpu>& asked, fetching how) {
  const std::size_t count = std::min<std::size_t>(asked.size(), std::size_t{1} << 24);
  std::vector<std::uint8_t> found(count);
  const flat_set_graph& sets = flat_sets(fixture);
  for (auto _ : state) {
    state.SetIterationTime(seconds_of(fixture.res(), [&] {
      sets.contains(fixture.res(), asked.sources.data(), asked.targets.data(), found.data(), count, how);
    }));
  }
  report_rate(state, count, "queries/s");
}

inline void scan_flat_sets(benchmark::State& state, cpu_fixture& fixture) {
  const flat_set_graph& sets = flat_sets(fixture);
  std::vector<std::uint64_t> sums(sets.vertices());
  for (auto _ : state) {
    state.SetIterationTime(seconds_of(fixture.res(), [&] {
      for_each_tile<8>(fixture.res(), sums.size(), [&](const auto&, std::size_t u) {
        std::uint64_t sum = 0;
        sets.at(u).for_each([&](std::uint32_t v) { sum += v; });
        sums[u] = sum;
      });
    }));
  }
  report_rate(state, fixture.edges().size(), "edges/s");
}

/// @param batch_bits logarithms of the batch sizes
inline void add_flat_set_benchmarks(cpu_fixture& fixture, const std::vector<int>& batch_bits) {
  const std::string& graph = fixture.edges().name;
  for (const auto how : {fetching::on_demand, fetching::ahead}) {
    const std::string prefix = how == fetching::ahead ? "flat_set_ahead_" : "flat_set_";
    add_benchmark(graph, prefix + "build", [=, &fixture](auto& state) { build_flat_sets(state, fixture, how); });
    for (const int bits : batch_bits) {
      for (const auto kind : {update_kind::insert, update_kind::erase}) {
        add_benchmark(graph, sized(prefix + name_of(kind), bits),
                      [=, &fixture](auto& state) { update_flat_sets(state, fixture, bits, kind, how); });
      }
    }
    add_benchmark(graph, prefix + "contains",
                  [=, &fixture](auto& state) { ask_flat_sets(state, fixture, fixture.placed(), how); });
    add_benchmark(graph, prefix + "contains_random",
                  [=, &fixture](auto& state) { ask_flat_sets(state, fixture, fixture.random_edges(), how); });
  }
  add_benchmark(graph, "flat_set_scan", [&](auto& state) { scan_flat_sets(state, fixture); });
}

}  // namespace mangrove::bench
