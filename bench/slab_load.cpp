// What the load of slab hash tables costs and saves, on the CPU.
//   bench_slab_load 22 --benchmark_out=FILE.json for 2^22 keys; MANGROVE_THREADS sets the number of threads.
#include "support/stopwatch.hpp"
// The suite below calls what the one above declares.
#include <cstdlib>

#include "support/slab_load.hpp"

int main(int argc, char** argv) {
  const char* const threads = std::getenv("MANGROVE_THREADS");
  return mangrove::bench::run_or_explain([&] {
    const mangrove::cpu_resources res(threads == nullptr ? 0 : std::atoi(threads));
    return mangrove::bench::run_slab_load_benchmarks<mangrove::cpu>(res, argc, argv, "20");
  });
}
