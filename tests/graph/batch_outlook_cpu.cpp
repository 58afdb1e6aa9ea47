#include "batch_outlook.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace mangrove::test {

namespace {

using detail::batch_outlook;
using detail::batch_status;
using detail::hub_table_counts;

batch_status with_tables(std::uint32_t small_tables, std::uint32_t large_tables) {
  batch_status seen{};
  seen.hub_tables[0] = small_tables;
  seen.hub_tables[1] = large_tables;
  return seen;
}

TEST(batch_outlook, nothing_is_known_of_a_first_batch) {
  batch_outlook outlook;
  EXPECT_TRUE(outlook.is_first());
  EXPECT_GE(outlook.hub_tables(1000)[1], 1'000'000U) << "any number is likely";
  outlook.note(with_tables(0, 0), 1000);
  EXPECT_FALSE(outlook.is_first());
}

TEST(batch_outlook, as_many_tables_are_likely_as_there_were_and_some_more) {
  batch_outlook outlook;
  outlook.note(with_tables(400, 0), 10'000);
  const hub_table_counts same = outlook.hub_tables(10'000);
  EXPECT_GE(same[0], 400U);
  EXPECT_LE(same[0], 600U);
  EXPECT_LE(same[1], 1U);
  EXPECT_GE(outlook.hub_tables(40'000)[0], 1600U);
  EXPECT_LE(outlook.hub_tables(10)[0], 2U);
}

/// Batches that need them may come in turn with batches that do not.
TEST(batch_outlook, tables_that_stay_away_are_expected_less_and_less) {
  batch_outlook outlook;
  outlook.note(with_tables(0, 4000), 10'000);
  outlook.note(with_tables(0, 0), 10'000);
  EXPECT_GE(outlook.hub_tables(10'000)[1], 3000U);
  for (int batch = 0; batch < 40; ++batch) outlook.note(with_tables(0, 0), 10'000);
  EXPECT_LE(outlook.hub_tables(10'000)[1], 8U);
}

TEST(batch_outlook, as_many_runs_are_likely_to_grow_as_lately) {
  batch_outlook outlook;
  EXPECT_GE(outlook.growing(10), 1'000'000U) << "any number is likely in a first batch";
  batch_status seen{};
  seen.growing.value = 8000;
  outlook.note(seen, 10'000);
  EXPECT_EQ(outlook.growing(10'000), 8000U);
  EXPECT_EQ(outlook.growing(19'000), 8000U);
  EXPECT_EQ(outlook.growing(1000), 800U);
  EXPECT_GE(outlook.growing(40'000), 1'000'000U) << "any number is likely in a much larger one";
  seen.growing.value = 0;
  outlook.note(seen, 10'000);
  EXPECT_EQ(outlook.growing(10'000), 4000U) << "batches that grow may come in turn with batches that do not";
  for (int batch = 0; batch < 20; ++batch) outlook.note(seen, 10'000);
  EXPECT_EQ(outlook.growing(10'000), 0U);
}

/// Vertices of like degrees outgrow their extents together, now in one batch, now in the next.
TEST(batch_outlook, half_of_what_was_taken_and_given_of_late_is_expected_again) {
  batch_outlook outlook;
  batch_status seen{};
  seen.demand.taken[3] = 1000;
  seen.demand.given[3] = 700;
  outlook.note(seen, 10'000);
  EXPECT_EQ(outlook.demand(10'000).taken[3], 1000U);
  EXPECT_EQ(outlook.demand(5'000).taken[3], 500U);
  EXPECT_EQ(outlook.demand(5'000).given[3], 350U);
  seen = {};
  seen.demand.taken[5] = 30;
  outlook.note(seen, 10'000);
  EXPECT_EQ(outlook.demand(10'000).taken[3], 500U);
  EXPECT_EQ(outlook.demand(10'000).taken[5], 30U);
  EXPECT_EQ(outlook.demand(10'000).given[3], 350U);
  EXPECT_TRUE(outlook.is_like_last(5'000));
  EXPECT_FALSE(outlook.is_like_last(4'999));
  outlook.note(seen, 1000);
  EXPECT_EQ(outlook.demand(1000).taken[3], 25U) << "a tenth of the updates, and half of it forgotten";
  for (int batch = 0; batch < 10; ++batch) outlook.note(batch_status{}, 1000);
  EXPECT_EQ(outlook.demand(1000).taken[3], 0U);
}

/// As long as ids go on growing, batches are likely to name new ones; a while after, they are not.
TEST(batch_outlook, new_names_are_expected_after_new_names) {
  batch_outlook outlook;
  EXPECT_TRUE(outlook.may_name_new());
  outlook.note(batch_status{}, 1000);
  EXPECT_FALSE(outlook.may_name_new());
  batch_status seen{};
  seen.index_limit = 5000;
  outlook.note(seen, 1000);
  outlook.note(batch_status{}, 1000);
  EXPECT_TRUE(outlook.may_name_new());
  for (int batch = 0; batch < 40; ++batch) outlook.note(batch_status{}, 1000);
  EXPECT_FALSE(outlook.may_name_new());
}

}  // namespace

}  // namespace mangrove::test
