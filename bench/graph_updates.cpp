// Updates and scans of a dynamic graph on the CPU, beside rebuilding a CSR and a flat hash set per vertex.
//   bench_graph_updates rmat20,road20 --benchmark_out=FILE.json; MANGROVE_THREADS sets the number of threads.
#include "mangrove/core/for_each.hpp"
#include "support/stopwatch.hpp"
// The suites below call what the two above declare.
#include <cstdlib>

#include "support/flat_set_benchmarks.hpp"
#include "support/graph_updates.hpp"

int main(int argc, char** argv) {
  using namespace mangrove;
  const char* const threads = std::getenv("MANGROVE_THREADS");
  const bench::batch_sizes sizes{.edges = {0, 5, 10, 14, 17, 20}, .vertices = {10, 14, 16}};
  return bench::run_or_explain([&] {
    const cpu_resources res(threads == nullptr ? 0 : std::atoi(threads));
    return bench::run_graph_benchmarks<cpu>(
        res, argc, argv, sizes, [&](auto& fixture) { bench::add_flat_set_benchmarks(fixture, sizes.edges); });
  });
}
