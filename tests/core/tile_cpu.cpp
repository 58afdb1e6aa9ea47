#include "mangrove/core/for_each.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "tile_suite.hpp"

namespace mangrove::test {

INSTANTIATE_TYPED_TEST_SUITE_P(cpu, tiles, testing::Types<cpu>);

/// Notes which stages of which operations were prefetched before they ran.
struct staged {
  static constexpr int prefetch_stages = 2;
  std::vector<int>* stages;
  std::vector<int>* when_run;

  template <int Stage>
  void prefetch(std::size_t i) const {
    (*stages)[i] = (*stages)[i] == Stage ? Stage + 1 : -1;
  }
  void operator()(const cpu_tile<4>&, std::size_t i) const { (*when_run)[i] = (*stages)[i]; }
};

TEST(for_each_tile, prefetches_all_stages_in_order_before_an_operation_runs) {
  const cpu_resources res(2);
  constexpr std::size_t group = detail::operations_in_flight;
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, group - 1, group, group + 1, std::size_t{1000}, std::size_t{5000}}) {
    std::vector<int> stages(count, 0);
    std::vector<int> when_run(count, 0);
    for_each_tile<4>(res, count, staged{&stages, &when_run});
    EXPECT_EQ(when_run, std::vector<int>(count, 2));
  }
}

/// Holds more than bytes, and cannot be copied.
struct owning {
  std::unique_ptr<std::atomic<std::size_t>> calls = std::make_unique<std::atomic<std::size_t>>(0);
  void operator()(const cpu_tile<1>&, std::size_t) const { ++*calls; }
};

TEST(for_each_tile, calls_bodies_that_cannot_be_copied) {
  const cpu_resources res(2);
  const owning body;
  for_each_tile<1>(res, 5000, body);
  EXPECT_EQ(*body.calls, 5000U);
}

}  // namespace mangrove::test
