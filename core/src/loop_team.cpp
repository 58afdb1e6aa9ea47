#include "loop_team.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace mangrove::detail {

namespace {

/// Waits a moment in a loop that waits for another thread.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

std::shared_ptr<loop_team> loop_team::make(int threads) {
  static std::mutex one_at_a_time;
  static auto& teams = *new std::vector<std::shared_ptr<loop_team>>;  // outlives whatever is destroyed at the end
  const std::lock_guard lock(one_at_a_time);
  std::erase_if(teams, [](const auto& team) { return team.use_count() == 1; });
  return teams.emplace_back(std::make_shared<loop_team>(threads));
}

bool loop_team::run(tbb::task_arena& arena, std::size_t count, std::size_t grain, part_function run, const void* body) {
  if (busy_.test_and_set(std::memory_order_acquire)) return false;
  run_ = run;
  body_ = body;
  count_ = count;
  part_ = std::max(grain, count / (parts_a_thread * static_cast<std::size_t>(threads_)));
  next_.store(0, std::memory_order_relaxed);
  dismissed_.store(false, std::memory_order_relaxed);
  open_.store(++loops_, std::memory_order_seq_cst);
  call_helpers(arena, (count + part_ - 1) / part_);
  work();
  open_.store(0, std::memory_order_seq_cst);
  for (int waited = 0; inside_.load(std::memory_order_seq_cst) != 0; ++waited) {
    waited < 1000 ? relax() : std::this_thread::yield();
  }
  const std::exception_ptr failure = std::exchange(failure_, nullptr);
  has_failed_.clear(std::memory_order_relaxed);
  busy_.clear(std::memory_order_release);
  if (failure) std::rethrow_exception(failure);
  return true;
}

/// Where there is no memory to ask for more, those that are there do.
void loop_team::call_helpers(tbb::task_arena& arena, std::size_t parts) noexcept {
  const int wanted = static_cast<int>(std::min<std::size_t>(parts, static_cast<std::size_t>(threads_))) - 1;
  while (present_.load(std::memory_order_relaxed) < wanted) {
    present_.fetch_add(1, std::memory_order_relaxed);
    try {
      arena.enqueue([team = shared_from_this()] { team->serve(); });
    } catch (...) {
      present_.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
  }
}

/// What a helper does: takes part in loops until none has come for a while.
void loop_team::serve() {
  std::uint64_t seen = 0;
  clock::time_point until = clock::now() + patience;
  for (unsigned turn = 1;; ++turn) {
    const std::uint64_t open = open_.load(std::memory_order_relaxed);
    if (open != 0 && open != seen) {
      seen = open;
      join();
      until = clock::now() + patience;
      continue;
    }
    relax();
    if (dismissed_.load(std::memory_order_relaxed) || (turn % 16 == 0 && clock::now() > until)) break;
  }
  present_.fetch_sub(1, std::memory_order_relaxed);
}

/// Who has come in before the loop is closed is waited for; who comes later sees that it is.
void loop_team::join() {
  inside_.fetch_add(1, std::memory_order_seq_cst);
  if (open_.load(std::memory_order_seq_cst) != 0) work();
  inside_.fetch_sub(1, std::memory_order_release);
}

void loop_team::work() {
  for (;;) {
    const std::size_t first = next_.fetch_add(part_, std::memory_order_relaxed);
    if (first >= count_) return;
    try {
      run_(body_, first, std::min(first + part_, count_));
    } catch (...) {
      next_.store(count_, std::memory_order_relaxed);  // nobody begins another part
      if (!has_failed_.test_and_set(std::memory_order_relaxed)) failure_ = std::current_exception();
    }
  }
}

}  // namespace mangrove::detail
