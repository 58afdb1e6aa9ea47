// Rates of sorted arrays on the GPU, by the names of those of B-link trees.
//   bench_sorted_array_cuda 24 --benchmark_out=FILE.json for 2^24 keys
#include "mangrove/core/for_each.cuh"
#include "support/stopwatch.cuh"
// The suite below calls what the ones above declare.
#include "sorted_array_benchmarks.hpp"

int main(int argc, char** argv) {
  return mangrove::bench::run_or_explain([&] {
    return mangrove::bench::run_sorted_array_benchmarks<mangrove::cuda>(mangrove::cuda_resources(), argc, argv, "24");
  });
}
