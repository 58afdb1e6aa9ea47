#pragma once

#include <tbb/task_arena.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "mangrove/core/run_in_parts.hpp"

namespace mangrove {

namespace detail {
class loop_team;
}

/// A bounded set of threads on which oneTBB's algorithms run. Shared by copies of `cpu_resources`.
class thread_arena {
 public:
  explicit thread_arena(int threads);

  /// Runs `f` such that parallel algorithms in it use this arena's threads, and returns its result.
  template <class F>
  decltype(auto) run(F&& f) {
    free_threads();
    return arena_.execute(std::forward<F>(f));
  }

  /// As `detail::run_in_parts`.
  void run_in_parts(std::size_t count, std::size_t grain, detail::part_function run, const void* body);

 private:
  /// Threads that wait for loops do oneTBB's work instead.
  void free_threads() noexcept;

  tbb::task_arena arena_;
  std::shared_ptr<detail::loop_team> team_;  ///< null where threads are too few or too many; its threads have it, too
};

}  // namespace mangrove
