#include "mangrove/core/run_in_parts.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "loop_team.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/thread_arena.hpp"

namespace mangrove {

thread_arena::thread_arena(int threads) : arena_(threads) {
  if (threads > 1 && threads <= detail::loop_team::most_threads) team_ = detail::loop_team::make(threads);
}

void thread_arena::free_threads() noexcept {
  if (team_) team_->dismiss();
}

void thread_arena::run_in_parts(std::size_t count, std::size_t grain, detail::part_function run, const void* body) {
  if (team_ && team_->run(arena_, count, grain, run, body)) return;
  this->run([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                      [run, body](const auto& range) { run(body, range.begin(), range.end()); });
  });
}

namespace detail {

void run_in_parts(const cpu_resources& res, std::size_t count, std::size_t grain, part_function run, const void* body) {
  res.arena().run_in_parts(count, grain, run, body);
}

}  // namespace detail
}  // namespace mangrove
