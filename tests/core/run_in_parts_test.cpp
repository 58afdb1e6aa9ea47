#include "mangrove/core/run_in_parts.hpp"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "mangrove/core/resources.hpp"
#include "mangrove/core/thread_arena.hpp"

namespace mangrove::test {

namespace {

using detail::run_each;

/// More threads than oneTBB's own loops are left to, and fewer.
class run_in_parts_test : public testing::TestWithParam<int> {
 protected:
  /// Calls for [0, count) come once each.
  static void expect_each_once(const cpu_resources& res, std::size_t count) {
    std::vector<std::atomic<int>> calls(count);
    run_each(res, count, [&](std::size_t i) { ++calls[i]; });
    const auto once = std::count(calls.begin(), calls.end(), 1);
    ASSERT_EQ(static_cast<std::size_t>(once), count);
  }

  cpu_resources res_{GetParam()};
};

TEST_P(run_in_parts_test, make_each_call_once) {
  for (const std::size_t count : {0, 1, 2, 3, 15, 16, 17, 1000}) {
    ASSERT_NO_FATAL_FAILURE(expect_each_once(res_, count));
  }
}

/// Loops that follow each other at once, and such that come when threads have given up waiting.
TEST_P(run_in_parts_test, serve_many_loops) {
  for (int loop = 0; loop < 3000; ++loop) {
    if (loop % 100 == 99) std::this_thread::sleep_for(std::chrono::microseconds(loop % 1000 == 999 ? 2000 : 60));
    ASSERT_NO_FATAL_FAILURE(expect_each_once(res_, loop % 50));
  }
}

TEST_P(run_in_parts_test, split_no_further_than_they_may) {
  constexpr std::size_t count = 10'000;
  constexpr std::size_t grain = 300;
  struct parts {
    std::atomic<std::size_t> covered = 0;
    std::atomic<std::size_t> short_ones = 0;
  } seen;
  const detail::part_function note = [](const void* to, std::size_t first, std::size_t last) {
    auto* const all = static_cast<parts*>(const_cast<void*>(to));
    all->covered += last - first;
    if (last - first < grain / 2) ++all->short_ones;
  };
  detail::run_in_parts(res_, count, grain, note, &seen);
  EXPECT_EQ(seen.covered, count);
  EXPECT_LE(seen.short_ones, 1U);
}

TEST_P(run_in_parts_test, use_no_more_threads_than_there_are) {
  std::atomic<int> at_work = 0;
  std::atomic<int> most = 0;
  for (int loop = 0; loop < 200; ++loop) {
    run_each(res_, 64, [&](std::size_t) {
      const int now = ++at_work;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::yield();
      --at_work;
    });
  }
  EXPECT_LE(most, GetParam());
}

TEST_P(run_in_parts_test, pass_on_what_is_thrown) {
  for (int loop = 0; loop < 100; ++loop) {
    std::atomic<int> calls = 0;
    const auto call = [&](std::size_t i) {
      ++calls;
      if (i % 10 == 3) throw std::runtime_error("stop");
    };
    ASSERT_THROW(run_each(res_, 64, call), std::runtime_error);
    ASSERT_LE(calls, 64);
    ASSERT_NO_FATAL_FAILURE(expect_each_once(res_, 64));
  }
}

TEST_P(run_in_parts_test, may_be_nested) {
  std::atomic<int> calls = 0;
  for (int loop = 0; loop < 20; ++loop) {
    run_each(res_, 20, [&](std::size_t) { run_each(res_, 30, [&](std::size_t) { ++calls; }); });
  }
  EXPECT_EQ(calls, 20 * 20 * 30);
}

TEST_P(run_in_parts_test, serve_threads_that_come_together) {
  std::vector<std::thread> callers;
  std::atomic<int> calls = 0;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int loop = 0; loop < 300; ++loop) run_each(res_, 20, [&](std::size_t) { ++calls; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls, 4 * 300 * 20);
}

TEST_P(run_in_parts_test, go_along_with_algorithms_of_onetbb) {
  for (int loop = 0; loop < 100; ++loop) {
    ASSERT_NO_FATAL_FAILURE(expect_each_once(res_, 100));
    std::atomic<int> calls = 0;
    res_.arena().run([&] { tbb::parallel_for(0, 100, [&](int) { ++calls; }); });
    ASSERT_EQ(calls, 100);
  }
}

/// Threads may still wait when what they wait for goes.
TEST_P(run_in_parts_test, outlive_nothing) {
  for (int round = 0; round < 100; ++round) {
    const cpu_resources res(GetParam());
    ASSERT_NO_FATAL_FAILURE(expect_each_once(res, 100));
  }
}

INSTANTIATE_TEST_SUITE_P(threads, run_in_parts_test, testing::Values(1, 2, 4, 8, 12));

}  // namespace

}  // namespace mangrove::test
