#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

/// @file
/// How benchmarks are named, registered and reported: GRAPH/WHAT or GRAPH/WHAT/SIZE, timed by hand.

namespace mangrove::bench {

/// A name with a size of 2^bits, as in insert/65536.
inline std::string sized(const std::string& what, int bits) {
  return what + "/" + std::to_string(std::size_t{1} << bits);
}

/// Registers `run(state)`, which sets the time of every iteration, as GRAPH/WHAT.
template <class Run>
void add_benchmark(const std::string& graph, const std::string& what, const Run& run) {
  benchmark::RegisterBenchmark((graph + "/" + what).c_str(), run)->UseManualTime()->Unit(benchmark::kMillisecond);
}

/// Reports `count` things an iteration as a rate named `rate`, such as edges/s.
inline void report_rate(benchmark::State& state, std::size_t count, const char* rate) {
  state.counters[rate] = benchmark::Counter(static_cast<double>(count), benchmark::Counter::kIsIterationInvariantRate);
}

/// Takes the first argument off the command line when it is no option: names with commas between, as in rmat20,rgg20.
inline std::vector<std::string> take_names(int& argc, char** argv, const std::string& usual) {
  std::string list = usual;
  if (argc > 1 && argv[1][0] != '-') {
    list = argv[1];
    std::copy(argv + 2, argv + argc, argv + 1);
    --argc;
  }
  std::vector<std::string> names;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.size(), list.find(',', at));
    names.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

/// What `main` comes to if `run()` is all it does: what that throws, as where there is no GPU, is told.
template <class Run>
int run_or_explain(const Run& run) {
  try {
    return run();
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return 1;
  }
}

}  // namespace mangrove::bench
