#include "mangrove/core/strided_in_steps.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "mangrove/core/tile.hpp"

namespace mangrove::test {

namespace {

/// What a thing's steps hand on.
struct handed {
  std::size_t sum;
};

/// The calls of two steps, as pairs of step and thing.
template <int Together>
std::vector<std::pair<int, std::size_t>> calls(std::size_t count) {
  std::vector<std::pair<int, std::size_t>> made;
  strided_in_steps<Together, handed>(
      cpu_tile<1>(), count,
      [&made](std::size_t i, handed& own) {
        EXPECT_EQ(own.sum, 0U) << "an item is made anew for each thing";
        own.sum = 10 * i + 1;
        made.emplace_back(0, i);
      },
      [&made](std::size_t i, const handed& own) {
        EXPECT_EQ(own.sum, 10 * i + 1);
        made.emplace_back(1, i);
      });
  return made;
}

TEST(strided_in_steps, a_step_is_taken_for_all_of_a_lane_s_things_before_the_next) {
  using expected = std::vector<std::pair<int, std::size_t>>;
  EXPECT_EQ(calls<2>(3), (expected{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(calls<1>(2), (expected{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
  EXPECT_EQ(calls<4>(0), expected{});
}

}  // namespace

}  // namespace mangrove::test
