#include "mangrove/core/for_each.hpp"

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
  for (const std::size_t count : {0, 1, 23, 24, 25, 1000, 5000}) {
    std::vector<int> stages(count, 0);
    std::vector<int> when_run(count, 0);
    for_each_tile<4>(res, count, staged{&stages, &when_run});
    EXPECT_EQ(when_run, std::vector<int>(count, 2));
  }
}

}  // namespace mangrove::test
