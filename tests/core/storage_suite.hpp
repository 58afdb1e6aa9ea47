#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "checked_pool.hpp"
#include "mangrove/core/growable_array.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

namespace mangrove::test {

/// Memory and what is made of it: buffers, growable arrays and slab pools.
template <class B>
class storage : public testing::Test {
 protected:
  storage() : memory_(make_limited_memory<B>()), res_(make_resources<B>(memory_)) {}

  seeded_random random_;
  std::shared_ptr<limited_memory> memory_;
  resources<B> res_;
};

TYPED_TEST_SUITE_P(storage);

TYPED_TEST_P(storage, buffers_own_their_memory) {
  using buffer_type = buffer<TypeParam, std::uint32_t>;
  std::vector<std::uint32_t> values(1000);
  std::iota(values.begin(), values.end(), 0U);
  buffer_type first = make_buffer<TypeParam>(this->res_, values.data(), values.size());
  buffer_type second = std::move(first);
  EXPECT_EQ(first.data(), nullptr);
  EXPECT_EQ(download(this->res_, second), values);
  first = std::move(second);
  EXPECT_EQ(download(this->res_, first), values);
  first = buffer_type(this->res_, 0);
  EXPECT_TRUE(first.empty());
  EXPECT_EQ(this->memory_->bytes_in_use(), 0U);
  EXPECT_THROW(buffer_type(this->res_, std::numeric_limits<std::size_t>::max() / 2), memory_error);
  this->memory_->refuse_after(0);
  EXPECT_THROW(buffer_type(this->res_, 1), memory_error);
}

TYPED_TEST_P(storage, growable_arrays_grow_in_place_with_zeros) {
  {
    growable_array<TypeParam, std::uint32_t> array(this->res_, 20'000'000);
    const std::uint32_t* const data = array.data();
    std::vector<std::uint32_t> expected;
    for (const std::size_t size : {1, 10, 100000, 99, 3'000'000}) {
      array.grow(size);
      expected.resize(std::max(expected.size(), size), 0);
      ASSERT_EQ(array.size(), expected.size());
      ASSERT_EQ(array.data(), data);
      ASSERT_GE(array.bytes(), array.size() * sizeof(std::uint32_t));
      ASSERT_GE(array.room(), array.size());
      ASSERT_LE(array.room() * sizeof(std::uint32_t), array.bytes());
      ASSERT_EQ(to_host(this->res_, array.data(), array.size()), expected);
      expected.back() = 7;
      copy(this->res_, array.data() + array.size() - 1, &expected.back(), 1);
      this->res_.synchronize();
    }
    EXPECT_THROW(array.grow(20'000'001), memory_error);
    this->memory_->refuse_after(0);
    array.reserve(array.room());  // which asks for nothing
    EXPECT_THROW(array.grow(19'000'000), memory_error);
    this->memory_->refuse_after(limited_memory::unlimited);
    EXPECT_EQ(to_host(this->res_, array.data(), array.size()), expected);
    growable_array<TypeParam, std::uint32_t> moved = std::move(array);
    EXPECT_EQ(moved.data(), data);
    EXPECT_EQ(to_host(this->res_, moved.data(), moved.size()), expected);
    EXPECT_GT(this->memory_->bytes_in_use(), 0U);
  }
  EXPECT_EQ(this->memory_->bytes_in_use(), 0U);
}

TYPED_TEST_P(storage, pools_hand_out_extents_that_do_not_overlap) {
  checked_pool<TypeParam> checked(this->res_, std::size_t{1} << 28);
  for (int round = 0; round < 60; ++round) {
    const pool_demand demand = checked.random_demand(this->random_, 1 + this->random_.below(5));
    const auto grant = checked.pool().prepare(this->res_, demand);
    ASSERT_NO_FATAL_FAILURE(checked.use(grant)) << "round " << round;
    ASSERT_GE(checked.pool().bytes_in_use(), checked.granules_in_use() * granule_bytes);
    ASSERT_LE(checked.pool().bytes_in_use(), checked.pool().bytes_committed());
  }
}

TYPED_TEST_P(storage, pools_use_freed_extents_again) {
  checked_pool<TypeParam> checked(this->res_, std::size_t{1} << 28);
  pool_demand demand;
  demand.taken[2] = 300;
  demand.taken[20] = 50;
  checked.use(checked.pool().prepare(this->res_, demand));
  const std::size_t committed = checked.pool().bytes_committed();
  const std::size_t in_use = checked.pool().bytes_in_use();
  for (int round = 0; round < 20; ++round) {
    pool_demand giving = checked.random_demand(this->random_, 1);
    giving.taken = {};
    checked.use(checked.pool().prepare(this->res_, giving));
    EXPECT_EQ(checked.granules_in_use(), 0U);
    checked.random_demand(this->random_, 1);
    checked.use(checked.pool().prepare(this->res_, demand));
  }
  EXPECT_EQ(checked.pool().bytes_committed(), committed);
  EXPECT_EQ(checked.pool().bytes_in_use(), in_use);
}

TYPED_TEST_P(storage, pools_are_unchanged_by_grants_that_are_refused_or_dropped) {
  checked_pool<TypeParam> checked(this->res_, std::size_t{1} << 26);
  for (int round = 0; round < 20; ++round) {
    const pool_demand demand = checked.random_demand(this->random_, 3);
    const std::size_t in_use = checked.pool().bytes_in_use();
    { const auto dropped = checked.pool().prepare(this->res_, demand); }
    typename slab_pool<TypeParam>::grant grant;
    refuse_every_request(
        *this->memory_, [&] { grant = checked.pool().prepare(this->res_, demand); },
        [&] { ASSERT_EQ(checked.pool().bytes_in_use(), in_use); });
    pool_demand huge = demand;
    huge.taken[size_classes - 1] = 1;
    EXPECT_THROW(checked.pool().prepare(this->res_, huge), memory_error);
    huge.taken[size_classes - 1] = std::uint32_t{1} << 29;  // 2^64 bytes
    EXPECT_THROW(checked.pool().prepare(this->res_, huge), memory_error);
    ASSERT_EQ(checked.pool().bytes_in_use(), in_use);
    ASSERT_NO_FATAL_FAILURE(checked.use(grant)) << "round " << round;
  }
}

TYPED_TEST_P(storage, pools_map_what_is_expected_and_do_without_what_is_refused) {
  checked_pool<TypeParam> checked(this->res_, std::size_t{1} << 26);
  const pool_demand demand = checked.random_demand(this->random_, 1);
  ASSERT_NO_FATAL_FAILURE(checked.use(checked.pool().prepare(this->res_, demand)));
  const std::size_t in_use = checked.pool().bytes_in_use();
  const std::size_t ahead = std::size_t{1} << 24;
  checked.pool().expect(ahead);
  const std::size_t committed = checked.pool().bytes_committed();
  EXPECT_GE(committed, in_use + ahead);
  EXPECT_EQ(checked.pool().bytes_in_use(), in_use);
  this->memory_->refuse_after(0);
  checked.pool().expect(2 * ahead);
  EXPECT_EQ(checked.pool().bytes_committed(), committed);
  this->memory_->refuse_after(limited_memory::unlimited);
  checked.pool().expect(ahead / 2);
  EXPECT_EQ(checked.pool().bytes_committed(), committed);
  checked.pool().expect_more(2 * ahead);
  EXPECT_GE(checked.pool().bytes_committed(), in_use + 2 * ahead);
  const std::size_t more = checked.pool().bytes_committed();
  pool_demand giving = checked.random_demand(this->random_, 1);
  giving.taken = {};
  ASSERT_NO_FATAL_FAILURE(checked.use(checked.pool().prepare(this->res_, giving)));
  checked.pool().expect_more(std::size_t{1} << 30);  // all is free
  EXPECT_EQ(checked.pool().bytes_committed(), more);
  checked.pool().expect(std::size_t{1} << 30);  // more than it may ever hold
  EXPECT_EQ(checked.pool().bytes_committed(), std::size_t{1} << 26);
  ASSERT_NO_FATAL_FAILURE(checked.use(checked.pool().prepare(this->res_, checked.random_demand(this->random_, 2))));
}

/// More than is expected, in case the demand turns out to be of other classes; but in a pool that grows freed extents
/// serve that as well.
TYPED_TEST_P(storage, pools_that_grow_map_nothing_to_spare_where_enough_has_been_freed) {
  checked_pool<TypeParam> checked(this->res_, std::size_t{1} << 28);
  constexpr std::uint32_t large = 40;
  constexpr std::uint32_t small = 3;
  constexpr std::uint32_t count = 4000;
  constexpr std::uint32_t pieces = size_class_granules(large) / size_class_granules(small);
  pool_demand taking;
  taking.taken[large] = count;
  ASSERT_NO_FATAL_FAILURE(checked.use(checked.pool().prepare(this->res_, checked.without_gifts(taking))));
  pool_demand others;
  others.taken[small] = count * pieces / 4;
  const pool_demand replacing = checked.with_gifts(others, this->random_, 1);
  ASSERT_NO_FATAL_FAILURE(checked.use(checked.pool().prepare(this->res_, replacing)));
  const std::size_t committed = checked.pool().bytes_committed();
  pool_demand smaller;
  smaller.taken[small] = count / 2 * pieces;
  checked.pool().expect(this->res_, smaller);
  EXPECT_EQ(checked.pool().bytes_committed(), committed);
  EXPECT_FALSE(checked.pool().is_short_of(smaller));
  smaller.taken[small] += smaller.taken[small] / 4;  // more than was expected
  const kernel_grant<TypeParam> granted(this->res_, checked.pool(), smaller);
  ASSERT_TRUE(granted.has_extents());
  ASSERT_NO_FATAL_FAILURE(checked.use(checked.without_gifts(smaller), granted));
}

/// Whatever a demand's classes are: extents of any size find memory and, as they are given back, room in their lists.
TYPED_TEST_P(storage, pools_can_expect_a_demand_of_which_only_the_bytes_are_known) {
  checked_pool<TypeParam> checked(this->res_, std::size_t{1} << 28);
  const pool_demand first = checked.random_demand(this->random_, 1);
  ASSERT_NO_FATAL_FAILURE(checked.use(checked.pool().prepare(this->res_, first)));
  constexpr std::size_t bytes = std::size_t{1} << 24;
  constexpr std::size_t extents = std::size_t{1} << 16;
  this->memory_->refuse_after(0);
  checked.pool().expect_any(this->res_, bytes, extents);
  this->memory_->refuse_after(limited_memory::unlimited);
  checked.pool().expect_any(this->res_, bytes, extents);
  const std::size_t committed = checked.pool().bytes_committed();
  EXPECT_GE(committed, checked.pool().bytes_in_use() + bytes);
  pool_demand demand = checked.with_gifts({}, this->random_, 1);
  for (std::uint32_t c = 0; c < 80; c += 1 + static_cast<std::uint32_t>(this->random_.below(12))) {
    const std::size_t of_class = bytes / 100 / (size_class_granules(c) * granule_bytes);
    demand.taken[c] = static_cast<std::uint32_t>(of_class);
    demand.given[c] += static_cast<std::uint32_t>(of_class);
  }
  EXPECT_TRUE(kernel_grant<TypeParam>(this->res_, checked.pool(), demand).has_extents());
}

/// What a short look tells holds: nothing has to be expected for a demand that the pool is ready for.
TYPED_TEST_P(storage, pools_that_are_ready_for_a_demand_grant_it) {
  checked_pool<TypeParam> checked(this->res_, std::size_t{1} << 26);
  int ready_at_once = 0;
  int ready_later = 0;
  constexpr int rounds = 40;
  for (int round = 0; round < rounds; ++round) {
    const pool_demand demand = checked.random_demand(this->random_, 2);
    const bool is_ready = checked.pool().is_ready_for(demand);
    if (!is_ready) checked.pool().expect(this->res_, demand, 32);
    ready_at_once += is_ready ? 1 : 0;
    ready_later += checked.pool().is_ready_for(demand) ? 1 : 0;
    const kernel_grant<TypeParam> granted(this->res_, checked.pool(), demand);
    ASSERT_TRUE(granted.has_extents()) << "round " << round << (is_ready ? ", at once" : "");
    ASSERT_NO_FATAL_FAILURE(checked.use(demand, granted));
    pool_demand huge;
    huge.taken[size_classes - 1] = 1;
    ASSERT_FALSE(checked.pool().is_ready_for(huge));
    pool_demand generous;
    generous.given[0] = std::uint32_t{1} << 20;
    ASSERT_FALSE(checked.pool().is_ready_for(generous));
  }
  EXPECT_GT(ready_at_once, 0);
  EXPECT_LT(ready_at_once, rounds) << "the first demand finds nothing";
  EXPECT_GT(ready_later, rounds / 2);
}

/// A pool that grows by little maps as much again for the next time; until it is asked for, it plans without that.
TYPED_TEST_P(storage, pools_that_grow_by_little_map_as_much_ahead) {
  slab_pool<TypeParam> pool(this->res_, std::size_t{1} << 30);
  const auto take = [&](std::size_t bytes) {
    pool_demand demand;
    const std::uint32_t of_class = size_class_of(1024);
    demand.taken[of_class] = static_cast<std::uint32_t>(bytes / (size_class_granules(of_class) * granule_bytes));
    pool.commit(pool.prepare(this->res_, demand));
    return demand;
  };
  take(std::size_t{200} << 20);
  const std::size_t large = pool.bytes_committed();
  pool.map_ahead();
  EXPECT_EQ(pool.bytes_committed(), large) << "it grew by much";
  take(large - pool.bytes_in_use());
  const pool_demand little = take(std::size_t{1} << 20);
  const std::size_t grown = pool.bytes_committed() - large;
  ASSERT_GT(grown, 0U);
  ASSERT_LT(grown, large / 40);
  this->memory_->refuse_after(0);
  pool.map_ahead();
  EXPECT_EQ(pool.bytes_committed(), large + grown) << "memory was refused";
  this->memory_->refuse_after(limited_memory::unlimited);
  take(pool.bytes_committed() - pool.bytes_in_use());
  take(std::size_t{1} << 20);
  const std::size_t before = pool.bytes_committed();
  pool.map_ahead();
  const std::size_t ahead = pool.bytes_committed() - before;
  EXPECT_GE(ahead, grown / 2);
  EXPECT_LE(ahead, 2 * grown);
  pool.map_ahead();
  EXPECT_EQ(pool.bytes_committed(), before + ahead) << "once is enough";
  take(before - pool.bytes_in_use());
  EXPECT_TRUE(pool.is_short_of(little));
  take(std::size_t{1} << 20);
  EXPECT_EQ(pool.bytes_committed(), before + ahead) << "it is there";
  EXPECT_GE(pool.snapshot().limit * granule_bytes, pool.bytes_in_use());
}

REGISTER_TYPED_TEST_SUITE_P(storage, buffers_own_their_memory, growable_arrays_grow_in_place_with_zeros,
                            pools_hand_out_extents_that_do_not_overlap, pools_use_freed_extents_again,
                            pools_are_unchanged_by_grants_that_are_refused_or_dropped,
                            pools_map_what_is_expected_and_do_without_what_is_refused,
                            pools_that_grow_map_nothing_to_spare_where_enough_has_been_freed,
                            pools_can_expect_a_demand_of_which_only_the_bytes_are_known,
                            pools_that_are_ready_for_a_demand_grant_it, pools_that_grow_by_little_map_as_much_ahead);

}  // namespace mangrove::test
