#pragma once

#include <tbb/task_arena.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include "mangrove/core/run_in_parts.hpp"

namespace mangrove::detail {

/// Threads that share a loop and then stay for a while: a batch has some ten loops, which follow each other within
/// microseconds, and to wake a thread for each takes longer than a short one.
///
/// They are oneTBB's, asked for as one task each. One loop runs at a time.
class loop_team : public std::enable_shared_from_this<loop_team> {
 public:
  /// Most threads that are worth asking for one by one.
  static constexpr int most_threads = 8;

  /// Use `make`, which keeps account of teams.
  explicit loop_team(int threads) : threads_(threads) {}

  /// A team that stays in reach until its last helper has gone: a helper that oneTBB has not begun by the end of the
  /// program never goes, and what it alone held would be lost memory. Thread-safe.
  static std::shared_ptr<loop_team> make(int threads);

  /// As `run_in_parts`. @return false if the team is in a loop, another thread's or one that this call is made from;
  /// nothing has been done then
  bool run(tbb::task_arena& arena, std::size_t count, std::size_t grain, part_function run, const void* body);

  /// Lets threads that wait for a loop go, for there is other work for them.
  void dismiss() noexcept {
    if (present_.load(std::memory_order_relaxed) != 0) dismissed_.store(true, std::memory_order_relaxed);
  }

 private:
  using clock = std::chrono::steady_clock;

  /// How long a thread waits for the next loop.
  static constexpr std::chrono::microseconds patience{50};

  /// Parts of a thread's share, so that all are done at about the same time.
  static constexpr std::size_t parts_a_thread = 8;

  void call_helpers(tbb::task_arena& arena, std::size_t parts) noexcept;
  void serve();
  void join(int thread);
  void work(int thread);
  void share_out(std::size_t count, std::size_t grain);
  int take_number();

  /// The parts of a loop that a thread begins with, and that others take what is left of. Loops of a batch go over the
  /// same updates, so that a thread finds in its cache what it wrote there in the loop before.
  struct alignas(64) share {
    std::atomic<std::size_t> next = 0;
    std::size_t end = 0;
  };

  void work_on(share& from);

  const int threads_;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::atomic<int> present_ = 0;              ///< helpers that are there or have been asked for
  std::atomic<std::uint32_t> numbers_ = ~1U;  ///< by bit: those that no helper has; 0 is who asks for the loop

  // The loop, which changes while it is closed and nobody is inside.
  part_function run_ = nullptr;
  const void* body_ = nullptr;
  std::size_t count_ = 0;
  std::size_t part_ = 0;
  std::uint64_t loops_ = 0;

  // What waiting threads read is in another cache line than what those at work write.
  alignas(64) std::atomic<std::uint64_t> open_ = 0;  ///< the loop's number while it runs, else 0
  std::atomic<bool> dismissed_ = false;
  std::array<share, most_threads> shares_;
  alignas(64) std::atomic<int> inside_ = 0;
  std::atomic_flag has_failed_ = ATOMIC_FLAG_INIT;
  std::exception_ptr failure_;
};

}  // namespace mangrove::detail
