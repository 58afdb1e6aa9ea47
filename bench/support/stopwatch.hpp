#pragma once

#include <chrono>

#include "mangrove/core/resources.hpp"

namespace mangrove::bench {

/// Seconds that `work` takes on the CPU.
template <class Work>
double seconds_of(const cpu_resources&, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace mangrove::bench
