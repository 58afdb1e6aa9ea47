// Rates of sorted arrays on the CPU, by the names of those of B-link trees.
//   bench_sorted_array 22 --benchmark_out=FILE.json for 2^22 keys; MANGROVE_THREADS sets the number of threads.
#include <cstdlib>

#include "mangrove/core/for_each.hpp"
#include "support/stopwatch.hpp"
// The suite below calls what the ones above declare.
#include "sorted_array_benchmarks.hpp"

int main(int argc, char** argv) {
  const char* const threads = std::getenv("MANGROVE_THREADS");
  return mangrove::bench::run_or_explain([&] {
    const mangrove::cpu_resources res(threads == nullptr ? 0 : std::atoi(threads));
    return mangrove::bench::run_sorted_array_benchmarks<mangrove::cpu>(res, argc, argv, "20");
  });
}
