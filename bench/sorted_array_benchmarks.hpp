#pragma once

#include "mangrove/adjacency/sorted_array.hpp"
#include "ordered_scaling.hpp"

namespace mangrove::bench {

/// Runs all benchmarks of sorted arrays. The command line starts with the logarithm of the number of keys.
template <backend B>
int run_sorted_array_benchmarks(const resources<B>& res, int argc, char** argv, const std::string& usual_bits) {
  const int bits = std::stoi(take_names(argc, argv, usual_bits).front());
  benchmark::Initialize(&argc, argv);
  ordered_scaling<B, sorted_array<B, std::uint32_t, std::uint32_t>> narrow(res, "array_u32", bits);
  ordered_scaling<B, sorted_array<B, std::uint64_t, std::uint64_t>> wide(res, "array_u64", bits);
  narrow.add_all();
  wide.add_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace mangrove::bench
