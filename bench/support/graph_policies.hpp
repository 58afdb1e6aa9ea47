#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/transfer.hpp"
#include "mangrove/graph/dynamic_graph.hpp"
#include "mangrove/graph/for_each_edge.hpp"
#include "registry.hpp"

/// @file
/// Which adjacency policy wins for which operation and degree: graphs in which all vertices have about the same degree,
/// under each policy. Include the backend's `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// Degrees that are measured.
inline constexpr std::uint32_t policy_degrees[] = {8, 32, 128, 512, 4096, 65536};

/// Body: looks edges up.
struct count_present {
  static constexpr int prefetch_stages = 2;

  graph_view<std::uint32_t, none> graph;
  const std::uint32_t* sources;
  const std::uint32_t* targets;
  std::uint8_t* found;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch_edge<Stage>(sources[i], targets[i]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const bool present = graph.contains(tile, sources[i], targets[i]);
    if (tile.lane() == 0) found[i] = present;
  }
};

/// What is read of a vertex: all neighbours, those of a range, or those in common with the next vertex.
enum class neighbor_read : std::uint8_t { scan, range, intersect };

/// Body: adds neighbours up.
struct sum_neighbors {
  graph_view<std::uint32_t, none> graph;
  neighbor_read what;
  std::uint32_t vertices;
  std::uint32_t ids;  ///< neighbours are below
  std::uint64_t* sums;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto u = static_cast<std::uint32_t>(i);
    std::uint64_t sum = 0;
    const auto add = [&](vertex_index v) { sum += v; };
    if (what == neighbor_read::scan) graph.for_each_neighbor(tile, u, add);
    if (what == neighbor_read::range) graph.for_each_neighbor_in(tile, u, ids / 2, ids / 2 + ids / 64, add);
    if (what == neighbor_read::intersect) graph.intersect(tile, u, (u + 1) % vertices, add);
    const std::uint64_t all = tile.sum(sum);
    if (tile.lane() == 0) sums[i] = all;
  }
};

/// A directed graph of 2^bits edges: every vertex has `degree` neighbours, or some fewer, among four times as many.
template <backend B>
struct policy_case {
  using graph_type = dynamic_graph<B, std::uint32_t, none>;

  resources<B> res;
  std::uint32_t vertices;
  std::uint32_t ids;
  std::mt19937_64 random{7};
  graph_type graph;
  buffer<B, std::uint32_t> sources, targets;  ///< of a batch of an eighth as many edges
  std::size_t batch;

  policy_case(const resources<B>& resource, adjacency_policy policy, std::uint32_t degree, int bits)
      : res(resource),
        vertices(std::max<std::uint32_t>(2, (std::uint32_t{1} << bits) / degree)),
        ids(4 * degree),
        graph(res, {.direction = edge_direction::directed, .loops = self_loops::keep, .adjacency = policy}),
        batch(std::min<std::size_t>(std::size_t{1} << 16, std::size_t{vertices} * degree / 8)) {
    draw(std::size_t{vertices} * degree);
    apply(update_kind::insert);
    draw(batch);
  }

  void draw(std::size_t count) {
    std::vector<std::uint32_t> from(count);
    std::vector<std::uint32_t> to(count);
    for (std::size_t i = 0; i < count; ++i) {
      from[i] = static_cast<std::uint32_t>(count == batch ? random() % vertices : i % vertices);
      to[i] = static_cast<std::uint32_t>(random() % ids);
    }
    sources = make_buffer<B>(res, from.data(), count);
    targets = make_buffer<B>(res, to.data(), count);
    res.synchronize();
  }

  void apply(update_kind kind) {
    batch_view<B, std::uint32_t, none> updates{};
    updates.sources = sources.data();
    updates.targets = targets.data();
    updates.kind = kind;
    updates.size = sources.size();
    graph.apply(res, updates);
  }
};

/// Adds POLICY/OPERATION/DEGREE for all operations and degrees.
template <backend B>
void add_policy_benchmarks(const resources<B>& res, const std::string& name, adjacency_policy policy, int bits) {
  using one = policy_case<B>;
  const auto kept = std::make_shared<std::pair<std::uint32_t, std::unique_ptr<one>>>();  // one degree's at a time
  for (const std::uint32_t degree : policy_degrees) {
    const auto add = [=](const std::string& what, auto run) {
      add_benchmark(name, what + "/" + std::to_string(degree), [=](benchmark::State& state) {
        if (kept->first != degree) {
          kept->second.reset();
          *kept = {degree, std::make_unique<one>(res, policy, degree, bits)};
        }
        run(state, *kept->second);
      });
    };
    const auto update = [](update_kind timed, update_kind between) {
      return [=](benchmark::State& state, one& with) {
        with.apply(between);
        for (auto _ : state) {
          state.SetIterationTime(seconds_of(with.res, [&] { with.apply(timed); }));
          with.apply(between);
        }
        report_rate(state, with.batch, "updates/s");
        state.counters["bytes/edge"] = static_cast<double>(with.graph.memory(with.res).extents) /
                                       static_cast<double>(with.graph.directed_edge_count());
      };
    };
    const auto read = [](neighbor_read what) {
      return [=](benchmark::State& state, one& with) {
        buffer<B, std::uint64_t> sums(with.res, with.vertices);
        const sum_neighbors body{with.graph.view(), what, with.vertices, with.ids, sums.data()};
        for (auto _ : state) {
          state.SetIterationTime(seconds_of(with.res, [&] { for_each_tile<8>(with.res, with.vertices, body); }));
        }
        report_rate(state, with.graph.directed_edge_count(), "edges/s");
      };
    };
    add("insert", update(update_kind::insert, update_kind::erase));
    add("erase", update(update_kind::erase, update_kind::insert));
    add("contains", [](benchmark::State& state, one& with) {
      buffer<B, std::uint8_t> found(with.res, with.batch);
      const count_present body{with.graph.view(), with.sources.data(), with.targets.data(), found.data()};
      for (auto _ : state) {
        state.SetIterationTime(seconds_of(with.res, [&] { for_each_tile<1>(with.res, with.batch, body); }));
      }
      report_rate(state, with.batch, "queries/s");
    });
    add("scan", read(neighbor_read::scan));
    add("range", read(neighbor_read::range));
    add("intersect", read(neighbor_read::intersect));
  }
}

/// Runs all. The command line starts with the logarithm of the number of edges.
template <backend B>
int run_policy_benchmarks(const resources<B>& res, int argc, char** argv, const std::string& usual_bits) {
  const int bits = std::stoi(take_names(argc, argv, usual_bits).front());
  benchmark::Initialize(&argc, argv);
  add_policy_benchmarks<B>(res, "by_degree", adjacency_policy::by_degree, bits);
  add_policy_benchmarks<B>(res, "hash", adjacency_policy::hash, bits);
  add_policy_benchmarks<B>(res, "tree", adjacency_policy::tree, bits);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace mangrove::bench
