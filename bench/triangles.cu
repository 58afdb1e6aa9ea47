// Triangle counting on the GPU: at once, and maintained over batches.
//   bench_triangles_cuda rmat20,rgg20,mesh20,road23 --benchmark_out=FILE.json
#include "support/stopwatch.cuh"
// The suite below calls what the one above declares.
#include "support/triangles.hpp"

int main(int argc, char** argv) {
  return mangrove::bench::run_or_explain([&] {
    return mangrove::bench::run_triangle_benchmarks<mangrove::cuda>(mangrove::cuda_resources(), argc, argv,
                                                                    {10, 12, 14, 16, 18, 20, 22});
  });
}
