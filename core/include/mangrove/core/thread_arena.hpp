#pragma once

#include <tbb/task_arena.h>

#include <utility>

namespace mangrove {

/// A bounded set of threads on which oneTBB's algorithms run. Shared by copies of `cpu_resources`.
class thread_arena {
 public:
  explicit thread_arena(int threads) : arena_(threads) {}

  /// Runs `f` such that parallel algorithms in it use this arena's threads, and returns its result.
  template <class F>
  decltype(auto) run(F&& f) {
    return arena_.execute(std::forward<F>(f));
  }

 private:
  tbb::task_arena arena_;
};

}  // namespace mangrove
