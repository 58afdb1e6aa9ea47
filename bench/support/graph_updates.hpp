#pragma once

#include <memory>
#include <string>
#include <vector>

#include "build_benchmarks.hpp"
#include "scan_benchmarks.hpp"
#include "typed_benchmarks.hpp"
#include "update_benchmarks.hpp"
#include "vertex_benchmarks.hpp"

/// @file
/// All benchmarks of a dynamic graph. Include the backend's `for_each_tile` and `seconds_of` before.

namespace mangrove::bench {

/// Sizes of batches, as logarithms, that suit a backend.
struct batch_sizes {
  std::vector<int> edges;
  std::vector<int> vertices;
  int skewed = 17;  ///< of batches that one vertex takes, and of R-MAT edges
  int typed = 20;   ///< of batches with weights or wide ids
};

template <backend B>
void add_graph_benchmarks(graph_fixture<B>& fixture, const batch_sizes& sizes) {
  add_build_benchmarks(fixture, sizes.edges);
  add_update_benchmarks(fixture, sizes.edges);
  add_scan_benchmarks(fixture);
  add_vertex_benchmarks(fixture, sizes.vertices);
  add_all_typed_benchmarks(fixture, sizes.typed);
  add_skewed_update_benchmarks(fixture, sizes.skewed);
}

/// Runs the benchmarks of the graphs that the command line names first, as in `rmat20,rgg20`; the rest are Google
/// Benchmark's own options.
/// @param add_more adds a backend's own benchmarks of a fixture
template <backend B, class AddMore>
int run_graph_benchmarks(const resources<B>& res, int argc, char** argv, const batch_sizes& sizes,
                         const AddMore& add_more) {
  const std::vector<std::string> names = take_names(argc, argv, "rmat16");
  benchmark::Initialize(&argc, argv);
  std::vector<std::unique_ptr<graph_fixture<B>>> fixtures;
  for (const std::string& name : names) {
    fixtures.push_back(std::make_unique<graph_fixture<B>>(res, named_graph(cpu_resources(), name), sizes.edges.back()));
    add_graph_benchmarks(*fixtures.back(), sizes);
    add_more(*fixtures.back());
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace mangrove::bench
