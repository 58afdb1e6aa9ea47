// Updates and scans of a dynamic graph on the CPU, beside rebuilding a CSR.
//   bench_graph_updates rmat20,road20 --benchmark_out=FILE.json; MANGROVE_THREADS sets the number of threads.
#include "mangrove/core/for_each.hpp"
#include "support/stopwatch.hpp"
// The suite below calls what the two above declare.
#include <cstdlib>

#include "support/graph_updates.hpp"

int main(int argc, char** argv) {
  const char* const threads = std::getenv("MANGROVE_THREADS");
  const mangrove::cpu_resources res(threads == nullptr ? 0 : std::atoi(threads));
  return mangrove::bench::run_graph_benchmarks<mangrove::cpu>(res, argc, argv, {10, 14, 17, 20});
}
