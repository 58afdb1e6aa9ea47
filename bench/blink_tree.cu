// Rates of B-link trees on the GPU.
//   bench_blink_tree_cuda 24 --benchmark_out=FILE.json for 2^24 keys; mixed loads: 10^7 operations on 4 * 10^7 keys
#include "mangrove/core/for_each.cuh"
#include "support/stopwatch.cuh"
// The suite below calls what the ones above declare.
#include "blink_benchmarks.hpp"

int main(int argc, char** argv) {
  return mangrove::bench::run_or_explain([&] {
    return mangrove::bench::run_blink_benchmarks<mangrove::cuda>(mangrove::cuda_resources(), argc, argv, "24", 40000000,
                                                                 10000000);
  });
}
