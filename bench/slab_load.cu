// What the load of slab hash tables costs and saves, on the GPU.
//   bench_slab_load_cuda 24 --benchmark_out=FILE.json for 2^24 keys
#include "support/stopwatch.cuh"
// The suite below calls what the one above declares.
#include "support/slab_load.hpp"

int main(int argc, char** argv) {
  return mangrove::bench::run_or_explain([&] {
    return mangrove::bench::run_slab_load_benchmarks<mangrove::cuda>(mangrove::cuda_resources(), argc, argv, "24");
  });
}
