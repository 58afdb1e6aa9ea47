#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "mangrove/core/growable_array.hpp"
#include "mangrove/core/slab_pool.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

namespace mangrove::test {

/// Takes the k-th extent of a class, for operation k.
struct take_extents {
  pool_ref pool;
  std::uint32_t size_class;
  slab_index* taken;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t k) const {
    if (tile.lane() == 0) taken[k] = pool.take(size_class, static_cast<std::uint32_t>(k));
  }
};

struct give_extents {
  pool_ref pool;
  std::uint32_t size_class;
  const slab_index* given;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t k) const {
    if (tile.lane() == 0) pool.give(size_class, static_cast<std::uint32_t>(k), given[k]);
  }
};

/// Memory and what is made of it: buffers, growable arrays and slab pools.
template <class B>
class storage : public testing::Test {
 protected:
  storage() : memory_(make_limited_memory<B>()), res_(make_resources<B>(memory_)) {}

  seeded_random random_;
  std::shared_ptr<limited_memory> memory_;
  resources<B> res_;
};

/// A pool and the extents that are in use.
template <class B>
class checked_pool {
 public:
  checked_pool(const resources<B>& res, std::size_t capacity) : res_(res), pool_(res, capacity) {}

  slab_pool<B>& pool() { return pool_; }
  std::size_t granules_in_use() const {
    std::size_t granules = 0;
    for (const auto& [first, size_class] : in_use_) granules += size_class_granules(size_class);
    return granules;
  }

  /// A demand that gives back some extents, each with one chance in `one_in`.
  pool_demand random_demand(seeded_random& random, std::uint64_t one_in) {
    pool_demand demand;
    giving_.assign(size_classes, {});
    for (int i = 0; i < 4; ++i) demand.taken[random.below(40)] += static_cast<std::uint32_t>(random.below(50));
    for (const auto& [first, size_class] : in_use_) {
      if (random.below(one_in) != 0) continue;
      giving_[size_class].push_back(first);
      ++demand.given[size_class];
    }
    return demand;
  }

  /// Takes and gives what the last demand says, with its grant.
  void use(const typename slab_pool<B>::grant& grant) {
    for (std::uint32_t c = 0; c < size_classes; ++c) take(grant, c);
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      const auto given = upload(res_, giving_[c]);
      for_each_tile<1>(res_, giving_[c].size(), give_extents{grant.ref(), c, given.data()});
      res_.synchronize();
      for (const slab_index first : giving_[c]) in_use_.erase(first);
    }
    pool_.commit(grant);
  }

 private:
  void take(const typename slab_pool<B>::grant& grant, std::uint32_t c) {
    const std::uint32_t count = grant.demand.taken[c];
    buffer<B, slab_index> taken(res_, count);
    for_each_tile<1>(res_, count, take_extents{grant.ref(), c, taken.data()});
    for (const slab_index first : download(res_, taken)) ASSERT_NO_FATAL_FAILURE(check_extent(first, c));
  }

  void check_extent(slab_index first, std::uint32_t size_class) {
    const std::uint64_t last = std::uint64_t{first} + size_class_granules(size_class);
    ASSERT_LE(last * granule_bytes, pool_.bytes_committed());
    if (size_class_granules(size_class) % granules_per_slab == 0) {
      ASSERT_EQ(first % granules_per_slab, 0U);
    }
    const auto [at, fresh] = in_use_.emplace(first, size_class);
    ASSERT_TRUE(fresh) << "an extent was handed out twice";
    if (at != in_use_.begin()) {
      const auto before = std::prev(at);
      ASSERT_LE(before->first + size_class_granules(before->second), first) << "extents overlap";
    }
    if (std::next(at) != in_use_.end()) {
      ASSERT_LE(last, std::next(at)->first) << "extents overlap";
    }
  }

  resources<B> res_;
  slab_pool<B> pool_;
  std::map<slab_index, std::uint32_t> in_use_;
  std::vector<std::vector<slab_index>> giving_ = std::vector<std::vector<slab_index>>(size_classes);
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
      ASSERT_EQ(to_host(this->res_, array.data(), array.size()), expected);
      expected.back() = 7;
      copy(this->res_, array.data() + array.size() - 1, &expected.back(), 1);
      this->res_.synchronize();
    }
    EXPECT_THROW(array.grow(20'000'001), memory_error);
    this->memory_->refuse_after(0);
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

REGISTER_TYPED_TEST_SUITE_P(storage, buffers_own_their_memory, growable_arrays_grow_in_place_with_zeros,
                            pools_hand_out_extents_that_do_not_overlap, pools_use_freed_extents_again,
                            pools_are_unchanged_by_grants_that_are_refused_or_dropped);

}  // namespace mangrove::test
