#include "mangrove/core/run_in_parts.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "mangrove/core/thread_arena.hpp"

namespace mangrove::detail {

void run_in_parts(const cpu_resources& res, std::size_t count, std::size_t grain, part_function run, const void* body) {
  res.arena().run([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                      [run, body](const auto& range) { run(body, range.begin(), range.end()); });
  });
}

}  // namespace mangrove::detail
