// Triangle counting on the CPU: at once, and maintained over batches.
//   bench_triangles rmat18,road20 --benchmark_out=FILE.json; MANGROVE_THREADS sets the number of threads.
#include "support/stopwatch.hpp"
// The suite below calls what the one above declares.
#include <cstdlib>

#include "support/triangles.hpp"

int main(int argc, char** argv) {
  const char* const threads = std::getenv("MANGROVE_THREADS");
  return mangrove::bench::run_or_explain([&] {
    const mangrove::cpu_resources res(threads == nullptr ? 0 : std::atoi(threads));
    return mangrove::bench::run_triangle_benchmarks<mangrove::cpu>(res, argc, argv, {10, 14, 17});
  });
}
