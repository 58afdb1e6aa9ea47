// Updates and scans of a dynamic graph on the GPU, beside rebuilding a CSR.
//   bench_graph_updates_cuda rmat20,rgg20,mesh20,road23 --benchmark_out=FILE.json
#include "mangrove/core/for_each.cuh"
#include "support/stopwatch.cuh"
// The suite below calls what the two above declare.
#include "support/graph_updates.hpp"

int main(int argc, char** argv) {
  const mangrove::bench::batch_sizes sizes{
      .edges = {0, 5, 10, 12, 14, 16, 18, 20, 22}, .vertices = {16, 18, 20}, .skewed = 22};
  return mangrove::bench::run_or_explain([&] {
    return mangrove::bench::run_graph_benchmarks<mangrove::cuda>(mangrove::cuda_resources(), argc, argv, sizes,
                                                                 [](auto&) {});
  });
}
