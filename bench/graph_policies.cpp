// Which adjacency policy wins for which operation and degree, on the CPU.
//   bench_graph_policies 22 --benchmark_out=FILE.json for 2^22 edges; MANGROVE_THREADS sets the number of threads.
#include "mangrove/core/for_each.hpp"
#include "support/stopwatch.hpp"
// The suite below calls what the two above declare.
#include <cstdlib>

#include "support/graph_policies.hpp"

int main(int argc, char** argv) {
  const char* const threads = std::getenv("MANGROVE_THREADS");
  return mangrove::bench::run_or_explain([&] {
    const mangrove::cpu_resources res(threads == nullptr ? 0 : std::atoi(threads));
    return mangrove::bench::run_policy_benchmarks<mangrove::cpu>(res, argc, argv, "20");
  });
}
