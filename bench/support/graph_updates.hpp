#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "csr_rebuild.hpp"
#include "mangrove/core/transfer.hpp"
#include "mangrove/graph/dynamic_graph.hpp"
#include "named_graph.hpp"

/// @file
/// Benchmarks of updates and scans of one graph. Include the backend's `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

using counter = benchmark::Counter;

/// A batch in the backend's memory.
template <backend B>
struct placed_edges {
  buffer<B, std::uint32_t> sources;
  buffer<B, std::uint32_t> targets;

  placed_edges(const resources<B>& res, const directed_edges& edges)
      : sources(make_buffer<B>(res, edges.sources.data(), edges.size())),
        targets(make_buffer<B>(res, edges.targets.data(), edges.size())) {}

  [[nodiscard]] batch_view<B, std::uint32_t, none> part(update_kind kind, std::size_t first, std::size_t count) const {
    return {sources.data() + first, targets.data() + first, nullptr, nullptr, kind, count};
  }
  [[nodiscard]] batch_view<B, std::uint32_t, none> all(update_kind kind) const { return part(kind, 0, sources.size()); }
};

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

/// All benchmarks of one graph.
template <backend B>
class graph_benchmarks {
 public:
  using graph_type = dynamic_graph<B, std::uint32_t, none>;

  graph_benchmarks(const resources<B>& res, directed_edges edges)
      : res_(res), edges_(std::move(edges)), placed_(res, edges_) {}

  void register_all(const std::vector<int>& batch_bits) {
    add("bulk_build", 0, [this](benchmark::State& state) { bulk_build(state); });
    for (const int bits : batch_bits) {
      if (bits >= 16) add("incremental_build", bits, [=, this](auto& state) { incremental_build(state, bits); });
    }
    for (const int bits : batch_bits) {
      add("insert", bits, [=, this](auto& state) { update(state, bits, update_kind::insert); });
      add("erase", bits, [=, this](auto& state) { update(state, bits, update_kind::erase); });
      add("csr_rebuild_insert", bits, [=, this](auto& state) { rebuild(state, bits, update_kind::insert); });
      add("csr_rebuild_erase", bits, [=, this](auto& state) { rebuild(state, bits, update_kind::erase); });
    }
    add("scan", 0, [this](auto& state) { scan(state); });
    add("contains", 0, [this](auto& state) { contains(state); });
  }

 private:
  static constexpr graph_options options{.direction = edge_direction::directed};

  template <class Run>
  void add(const std::string& what, int bits, const Run& run) {
    std::string name = edges_.name;
    name.append("/").append(what);
    if (bits != 0) name.append("/").append(std::to_string(std::size_t{1} << bits));
    benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMillisecond);
  }

  static void report(benchmark::State& state, std::size_t edges, const char* rate) {
    state.counters[rate] = counter(static_cast<double>(edges), counter::kIsIterationInvariantRate);
  }

  /// The graph, built once; benchmarks leave it as they found it but for room that has grown.
  graph_type& graph() {
    if (graph_ == nullptr) {
      graph_ = std::make_unique<graph_type>(res_, options);
      graph_->apply(res_, placed_.all(update_kind::insert));
    }
    return *graph_;
  }

  void bulk_build(benchmark::State& state) {
    graph_memory memory;
    for (auto _ : state) {
      graph_type built(res_, options);
      state.SetIterationTime(seconds_of(res_, [&] { built.apply(res_, placed_.all(update_kind::insert)); }));
      memory = built.memory(res_);
    }
    report(state, edges_.size(), "edges/s");
    report_memory(state, memory);
  }

  void incremental_build(benchmark::State& state, int bits) {
    const std::size_t size = std::size_t{1} << bits;
    graph_memory memory;
    for (auto _ : state) {
      graph_type built(res_, options);
      state.SetIterationTime(seconds_of(res_, [&] {
        for (std::size_t first = 0; first < edges_.size(); first += size) {
          built.apply(res_, placed_.part(update_kind::insert, first, std::min(size, edges_.size() - first)));
        }
      }));
      memory = built.memory(res_);
    }
    report(state, edges_.size(), "edges/s");
    report_memory(state, memory);
  }

  void report_memory(benchmark::State& state, const graph_memory& memory) const {
    const auto edges = static_cast<double>(edges_.size());
    const double csr = 4 * edges + 8 * static_cast<double>(edges_.vertices);
    state.counters["bytes/edge"] = static_cast<double>(memory.dictionary + memory.extents) / edges;
    state.counters["bytes_mapped/edge"] = static_cast<double>(memory.committed) / edges;
    state.counters["csr_bytes/edge"] = csr / edges;
  }

  std::vector<placed_edges<B>> batches(int bits) const {
    std::vector<placed_edges<B>> made;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      made.emplace_back(res_, random_batch(edges_.vertices, std::size_t{1} << bits, seed));
    }
    return made;
  }

  /// Inserts batches in turn and erases each again; the time of one of the two counts.
  void update(benchmark::State& state, int bits, update_kind kind) {
    const auto ready = batches(bits);
    graph_type& changed = graph();
    std::size_t turn = 0;
    for (const auto& batch : ready) {
      changed.apply(res_, batch.all(update_kind::insert));
      changed.apply(res_, batch.all(update_kind::erase));
    }
    for (auto _ : state) {
      const auto& batch = ready[turn++ % ready.size()];
      const double inserting = seconds_of(res_, [&] { changed.apply(res_, batch.all(update_kind::insert)); });
      const double erasing = seconds_of(res_, [&] { changed.apply(res_, batch.all(update_kind::erase)); });
      state.SetIterationTime(kind == update_kind::insert ? inserting : erasing);
    }
    report(state, std::size_t{1} << bits, "edges/s");
  }

  void rebuild(benchmark::State& state, int bits, update_kind kind) {
    const auto ready = batches(bits);
    csr_rebuild<B> rows(res_, edges_.vertices);
    rows.insert(res_, placed_.sources.data(), placed_.targets.data(), edges_.size());
    std::size_t turn = 0;
    const auto run = [&](const placed_edges<B>& batch, update_kind what) {
      const std::size_t count = batch.sources.size();
      return seconds_of(res_, [&] {
        what == update_kind::insert ? rows.insert(res_, batch.sources.data(), batch.targets.data(), count)
                                    : rows.erase(res_, batch.sources.data(), batch.targets.data(), count);
      });
    };
    for (auto _ : state) {
      const auto& batch = ready[turn++ % ready.size()];
      const double inserting = run(batch, update_kind::insert);
      const double erasing = run(batch, update_kind::erase);
      state.SetIterationTime(kind == update_kind::insert ? inserting : erasing);
    }
    report(state, std::size_t{1} << bits, "edges/s");
  }

  void scan(benchmark::State& state) {
    buffer<B, std::uint64_t> sums(res_, graph().index_count());
    for (auto _ : state) {
      state.SetIterationTime(seconds_of(res_, [&] {
        for_each_tile<8>(res_, sums.size(), scan_vertex{graph().view(), sums.data()});
      }));
    }
    report(state, graph().directed_edge_count(), "edges/s");
  }

  void contains(benchmark::State& state) {
    const std::size_t count = std::min<std::size_t>(edges_.size(), std::size_t{1} << 24);
    buffer<B, std::uint8_t> found(res_, count);
    for (auto _ : state) {
      state.SetIterationTime(seconds_of(
          res_, [&] { graph().contains(res_, placed_.sources.data(), placed_.targets.data(), found.data(), count); }));
    }
    report(state, count, "queries/s");
  }

  resources<B> res_;
  directed_edges edges_;
  placed_edges<B> placed_;
  std::unique_ptr<graph_type> graph_;
};

/// Runs the benchmarks of the graphs that the command line names first, as in `rmat20,rgg20`; the rest are Google
/// Benchmark's own options.
template <backend B>
int run_graph_benchmarks(const resources<B>& res, int argc, char** argv, std::vector<int> batch_bits) {
  const std::string names = argc > 1 && argv[1][0] != '-' ? argv[1] : "rmat16";
  if (argc > 1 && argv[1][0] != '-') {
    std::copy(argv + 2, argv + argc, argv + 1);
    --argc;
  }
  benchmark::Initialize(&argc, argv);
  std::vector<std::unique_ptr<graph_benchmarks<B>>> all;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.size(), names.find(',', at));
    all.push_back(std::make_unique<graph_benchmarks<B>>(res, named_graph(cpu_resources(), names.substr(at, end - at))));
    all.back()->register_all(batch_bits);
    at = end + 1;
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace mangrove::bench
