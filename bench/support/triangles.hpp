#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mangrove/algorithms/oriented_graph.hpp"
#include "mangrove/algorithms/triangle_count.hpp"
#include "mangrove/algorithms/triangle_counter.hpp"
#include "named_graph.hpp"
#include "registry.hpp"

/// @file
/// Benchmarks of triangle counting on one graph: at once, and maintained over batches. Include the backend's
/// `seconds_of` before. Edges are undirected: `edges/s` counts each once.

namespace mangrove::bench {

/// Where the edges of a batch come from.
enum class batch_source { own_edges, random_pairs };

template <backend B>
class triangle_benchmarks {
 public:
  using graph_type = dynamic_graph<B, std::uint32_t, none>;
  using counter_type = triangle_counter<B, std::uint32_t, none>;

  triangle_benchmarks(const resources<B>& res, directed_edges edges) : res_(res), edges_(std::move(edges)) {}

  void register_all(const std::vector<int>& batch_bits) {
    add("triangle_count", [this](auto& state) { count_graph(state); });
    add("orient_and_count", [this](auto& state) { count_rows(state); });
    add("count_by_vertex", [this](auto& state) { count_by_vertex(state); });
    for (const int bits : batch_bits) {
      if (std::size_t{1} << bits > edges_.size() / 4) continue;
      const std::string size = std::to_string(std::uint64_t{1} << bits);
      for (const update_kind kind : {update_kind::insert, update_kind::erase}) {
        const std::string name = kind == update_kind::insert ? "insert" : "erase";
        const auto run = [=, this](batch_source source, recount_policy policy) {
          return [=, this](benchmark::State& state) { update(state, bits, kind, source, policy); };
        };
        add("maintained_" + name + "/" + size, run(batch_source::own_edges, recount_policy::never));
        add("recounted_" + name + "/" + size, run(batch_source::own_edges, recount_policy::always));
        add("maintained_" + name + "_random/" + size, run(batch_source::random_pairs, recount_policy::never));
      }
    }
  }

 private:
  /// A batch in the backend's memory.
  struct placed_batch {
    buffer<B, std::uint32_t> sources, targets;

    [[nodiscard]] batch_view<B, std::uint32_t, none> view(update_kind kind) const {
      return {sources.data(), targets.data(), nullptr, nullptr, kind, sources.size()};
    }
  };

  template <class Run>
  void add(const std::string& name, Run run) {
    benchmark::RegisterBenchmark((edges_.name + "/" + name).c_str(), run)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }

  static void report(benchmark::State& state, std::uint64_t edges) {
    state.counters["edges/s"] =
        benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsIterationInvariantRate);
  }

  placed_batch place(const std::uint32_t* sources, const std::uint32_t* targets, std::size_t count) const {
    return {make_buffer<B>(res_, sources, count), make_buffer<B>(res_, targets, count)};
  }

  graph_type& graph() {
    if (!graph_) {
      graph_ = std::make_unique<graph_type>(res_);
      graph_->apply(res_, place(edges_.sources.data(), edges_.targets.data(), edges_.size()).view(update_kind::insert));
    }
    return *graph_;
  }

  void count_graph(benchmark::State& state) {
    graph_type& counted = graph();
    std::uint64_t triangles = 0;
    for (auto _ : state) state.SetIterationTime(seconds_of(res_, [&] { triangles = triangle_count(res_, counted); }));
    state.counters["triangles"] = static_cast<double>(triangles);
    report(state, counted.edge_count());
  }

  /// What others measure: the export to rows is not timed.
  void count_rows(benchmark::State& state) {
    const auto rows = graph().to_csr(res_);
    for (auto _ : state) {
      state.SetIterationTime(seconds_of(res_, [&] { count_oriented(res_, orient(res_, view_of(rows))); }));
    }
    report(state, graph().edge_count());
  }

  void count_by_vertex(benchmark::State& state) {
    graph_type& counted = graph();
    for (auto _ : state) state.SetIterationTime(seconds_of(res_, [&] { triangle_counts(res_, counted); }));
    report(state, counted.edge_count());
  }

  std::vector<placed_batch> batches(int bits, batch_source source) const {
    const std::size_t size = std::size_t{1} << bits;
    std::vector<placed_batch> made;
    for (std::uint64_t k = 0; k < 4; ++k) {
      if (source == batch_source::own_edges) {
        made.push_back(place(edges_.sources.data() + k * size, edges_.targets.data() + k * size, size));
      } else {
        const directed_edges random = random_batch(edges_.vertices, size, k + 1);
        made.push_back(place(random.sources.data(), random.targets.data(), size));
      }
    }
    return made;
  }

  /// Applies batches and takes them back in turn, the count being kept; the time of one of the two counts.
  void update(benchmark::State& state, int bits, update_kind kind, batch_source source, recount_policy policy) {
    const auto ready = batches(bits, source);
    counter_type counter(res_, graph(), policy);
    const bool erase_first = source == batch_source::own_edges;
    std::size_t turn = 0;
    std::uint64_t changed = 0;
    const auto apply = [&](update_kind what) {
      const auto batch = ready[turn % ready.size()].view(what);
      return seconds_of(res_, [&] {
        const update_counts counts = counter.update(res_, batch).counts;
        changed = counts.inserted + counts.erased;
      });
    };
    for (auto _ : state) {
      const double first = apply(erase_first ? update_kind::erase : update_kind::insert);
      const double second = apply(erase_first ? update_kind::insert : update_kind::erase);
      state.SetIterationTime((kind == update_kind::erase) == erase_first ? first : second);
      ++turn;
    }
    if (counter.value() != triangle_count(res_, graph())) state.SkipWithError("the count is wrong");
    if (source == batch_source::random_pairs) graph_.reset();  // some pairs were edges of the graph and are erased now
    report(state, changed);
  }

  resources<B> res_;
  directed_edges edges_;
  std::unique_ptr<graph_type> graph_;
};

/// Runs the benchmarks of the graphs that the command line names first, as in `rmat18,road20`; the rest are Google
/// Benchmark's own options.
template <backend B>
int run_triangle_benchmarks(const resources<B>& res, int argc, char** argv, const std::vector<int>& batch_bits) {
  const std::vector<std::string> names = take_names(argc, argv, "rmat16");
  benchmark::Initialize(&argc, argv);
  std::vector<std::unique_ptr<triangle_benchmarks<B>>> all;
  for (const std::string& name : names) {
    all.push_back(std::make_unique<triangle_benchmarks<B>>(res, named_graph(cpu_resources(), name)));
    all.back()->register_all(batch_bits);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace mangrove::bench
