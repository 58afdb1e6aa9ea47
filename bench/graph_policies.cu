// Which adjacency policy wins for which operation and degree, on the GPU.
//   bench_graph_policies_cuda 24 --benchmark_out=FILE.json for 2^24 edges
#include "mangrove/core/for_each.cuh"
#include "support/stopwatch.cuh"
// The suite below calls what the two above declare.
#include "support/graph_policies.hpp"

int main(int argc, char** argv) {
  return mangrove::bench::run_or_explain([&] {
    return mangrove::bench::run_policy_benchmarks<mangrove::cuda>(mangrove::cuda_resources(), argc, argv, "24");
  });
}
