#pragma once

#include <cstddef>

#include "mangrove/core/resources.hpp"
#include "mangrove/core/tile.hpp"
#include "support/together.hpp"

/// @file
/// Bodies whose calls meet. Include the backend's `for_each_tile` before.

namespace mangrove::test {

/// Threads that share the calls on the CPU.
inline constexpr std::size_t threads_at_once = 4;

/// As `for_each_tile`, by threads of the test's own: ThreadSanitizer sees how they meet, and each has every fourth
/// call, so that neighbours run at the same time.
template <int Width, class Body>
void run_at_once(const cpu_resources&, std::size_t count, const Body& body) {
  run_together(threads_at_once, [count, &body](std::size_t thread) {
    for (std::size_t i = thread; i < count; i += threads_at_once) body(cpu_tile<Width>(), i);
  });
}

template <int Width, class Body>
void run_at_once(const cuda_resources& res, std::size_t count, const Body& body) {
  for_each_tile<Width>(res, count, body);
}

}  // namespace mangrove::test
