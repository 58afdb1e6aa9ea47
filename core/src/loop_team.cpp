#include "loop_team.hpp"

#include <algorithm>
#include <bit>
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
  share_out(count, grain);
  dismissed_.store(false, std::memory_order_relaxed);
  open_.store(++loops_, std::memory_order_seq_cst);
  call_helpers(arena, (count + part_ - 1) / part_);
  work(0);
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

void loop_team::share_out(std::size_t count, std::size_t grain) {
  const auto threads = static_cast<std::size_t>(threads_);
  count_ = count;
  part_ = std::max(grain, count / (parts_a_thread * threads));
  const std::size_t parts = (count + part_ - 1) / part_;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    shares_[thread].next.store(parts * thread / threads, std::memory_order_relaxed);
    shares_[thread].end = parts * (thread + 1) / threads;
  }
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
  const int thread = take_number();
  std::uint64_t seen = 0;
  clock::time_point until = clock::now() + patience;
  for (unsigned turn = 1;; ++turn) {
    const std::uint64_t open = open_.load(std::memory_order_relaxed);
    if (open != 0 && open != seen) {
      seen = open;
      join(thread);
      until = clock::now() + patience;
      continue;
    }
    relax();
    if (dismissed_.load(std::memory_order_relaxed) || (turn % 16 == 0 && clock::now() > until)) break;
  }
  numbers_.fetch_or(1U << thread, std::memory_order_relaxed);
  present_.fetch_sub(1, std::memory_order_relaxed);
}

/// There is one for each helper.
int loop_team::take_number() {
  std::uint32_t free = numbers_.load(std::memory_order_relaxed);
  while (!numbers_.compare_exchange_weak(free, free & (free - 1), std::memory_order_relaxed)) {
  }
  return std::countr_zero(free);
}

/// Who has come in before the loop is closed is waited for; who comes later sees that it is.
void loop_team::join(int thread) {
  inside_.fetch_add(1, std::memory_order_seq_cst);
  if (open_.load(std::memory_order_seq_cst) != 0) work(thread);
  inside_.fetch_sub(1, std::memory_order_release);
}

void loop_team::work(int thread) {
  for (int k = 0; k < threads_; ++k) work_on(shares_[(thread + k) % threads_]);
}

void loop_team::work_on(share& from) {
  for (;;) {
    const std::size_t part = from.next.fetch_add(1, std::memory_order_relaxed);
    if (part >= from.end) return;
    try {
      run_(body_, part * part_, std::min((part + 1) * part_, count_));
    } catch (...) {
      for (share& each : shares_) each.next.store(count_, std::memory_order_relaxed);  // nobody begins another part
      if (!has_failed_.test_and_set(std::memory_order_relaxed)) failure_ = std::current_exception();
    }
  }
}

}  // namespace mangrove::detail
