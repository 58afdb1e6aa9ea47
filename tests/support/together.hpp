#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace mangrove::test {

/// Runs `f(thread)` in so many threads, started together.
template <class F>
void run_together(std::size_t threads, const F& f) {
  std::atomic<std::size_t> ready{0};
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      ++ready;
      while (ready != threads) std::this_thread::yield();
      f(t);
    });
  }
  for (std::thread& thread : running) thread.join();
}

}  // namespace mangrove::test
