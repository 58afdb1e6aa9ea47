#include "mangrove/core/detail/pool_forecast.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace mangrove::test {

namespace {

constexpr std::uint64_t many_granules = std::uint64_t{1} << 30;

pool_demand demand_of(std::uint32_t size_class, std::uint32_t taken, std::uint32_t given = 0) {
  pool_demand demand;
  demand.taken[size_class] = taken;
  demand.given[size_class] = given;
  return demand;
}

}  // namespace

TEST(pool_forecast, wants_extents_for_many_batches_like_this_one) {
  EXPECT_EQ(detail::wanted(demand_of(2, 10), many_granules)[2], 320U);
  EXPECT_EQ(detail::wanted(demand_of(2, 10), many_granules)[1], 0U);
}

TEST(pool_forecast, wants_extents_of_an_eighth_of_the_pool_but_for_one_batch) {
  const std::uint64_t batch = std::uint64_t{10} * size_class_granules(2);
  EXPECT_EQ(detail::wanted(demand_of(2, 10), 8 * 3 * batch)[2], 30U);
  EXPECT_EQ(detail::wanted(demand_of(2, 10), batch)[2], 10U);
}

TEST(pool_forecast, spares_more_of_each_class_where_a_pool_grows) {
  const auto ample = detail::with_spare(demand_of(0, 8000), {many_granules, many_granules / 2, 0});
  EXPECT_EQ(ample.demand.taken[0], 11000U);  // three eighths more
  EXPECT_EQ(ample.demand.taken[1], 0U);
  EXPECT_EQ(ample.fresh, 0U);
}

TEST(pool_forecast, spares_memory_where_hardly_more_is_in_use_than_when_extents_were_cut) {
  const std::uint64_t in_use = many_granules / 2;
  const auto ample = detail::with_spare(demand_of(0, 8000), {many_granules, in_use, in_use});
  EXPECT_EQ(ample.demand.taken[0], 8000U);
  EXPECT_EQ(ample.fresh, 3000U);
}

TEST(pool_forecast, expects_as_many_gifts_as_before_and_some_from_vertices_that_outgrow_what_they_have) {
  detail::class_counts in_use{};
  in_use[3] = 7;
  const auto gifts = detail::likely_gifts(in_use, demand_of(12, 100, 40), 0);
  EXPECT_EQ(gifts.expected[12], 40U);
  EXPECT_EQ(gifts.possible[3], 7U);  // in use, and too small for the vertices that take
  EXPECT_EQ(gifts.possible[12], 100U);
  EXPECT_EQ(gifts.possible[20], 100U);  // the last one twice as large
  EXPECT_EQ(gifts.possible[21], 0U);
  EXPECT_EQ(gifts.more, 40U);
}

TEST(pool_forecast, makes_room_for_gifts_of_batches_to_come) {
  const auto gifts = detail::likely_gifts({}, demand_of(0, 0, 100), 16);
  EXPECT_EQ(gifts.ahead, 16U);
  EXPECT_EQ(gifts.more, 3200U);
}

TEST(pool_forecast, expects_any_gift_of_a_demand_of_which_only_the_bytes_are_known) {
  detail::class_counts in_use{};
  in_use[0] = 5;
  const auto gifts = detail::any_gifts(in_use, std::size_t{64} * granule_bytes, 9);
  EXPECT_EQ(gifts.expected[0], 5U);
  EXPECT_EQ(gifts.possible[0], 16U);
  EXPECT_EQ(gifts.more, 9U);
}

}  // namespace mangrove::test
