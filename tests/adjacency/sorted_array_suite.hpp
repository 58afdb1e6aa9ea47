#pragma once

#include <array>

#include "ordered_checked.hpp"
#include "ordered_view_bodies.hpp"
#include "sorted_array_types.hpp"

/// @file
/// What is a sorted array's own. Include the backend's `for_each_tile` before.

namespace mangrove::test {

template <class Types>
class sorted_array_merges : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using keys_type = std::vector<key>;
  using checked = checked_ordered<Types>;
  static constexpr key greatest = std::numeric_limits<key>::max();
  /// Sizes about which blocks, rows, chunks and levels begin, for keys of both widths and on both backends.
  static constexpr std::array<std::size_t, 23> sizes = {1,    15,   16,   17,   31,   32,    33,   255,
                                                        256,  257,  511,  512,  513,  1023,  1024, 1025,
                                                        4095, 4096, 8191, 8192, 8193, 16384, 32768};

  /// Every `step`-th key, `count` of them, from `first` on.
  static keys_type run(std::size_t first, std::size_t count, std::size_t step) {
    keys_type keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(static_cast<key>(first + i * step));
    return keys;
  }

  keys_type shuffled(keys_type keys) {
    std::shuffle(keys.begin(), keys.end(), random_);
    return keys;
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(sorted_array_merges);

TYPED_TEST_P(sorted_array_merges, batches_that_change_nothing) {
  checked_ordered<TypeParam> array(this->res_);
  const auto keys = this->run(10, 5000, 3);
  array.insert({});
  array.erase({});
  ASSERT_NO_FATAL_FAILURE(array.check());
  array.bulk_build(keys);
  array.insert({});
  array.insert(this->shuffled(keys));
  array.erase(this->run(11, 5000, 3));
  array.erase({});
  ASSERT_NO_FATAL_FAILURE(array.check());
}

TYPED_TEST_P(sorted_array_merges, new_keys_before_between_and_after) {
  for (const std::size_t size : this->sizes) {
    for (const std::size_t more : std::vector<std::size_t>{1, 31, size}) {
      SCOPED_TRACE(std::to_string(size) + " keys and " + std::to_string(more));
      checked_ordered<TypeParam> array(this->res_);
      const std::size_t first = 2 * more;
      array.bulk_build(this->run(first, size, 2));
      array.insert(this->run(0, more, 1));
      ASSERT_NO_FATAL_FAILURE(array.check());
      array.insert(this->shuffled(this->run(first + 1, more, 2)));
      ASSERT_NO_FATAL_FAILURE(array.check());
      array.insert(this->run(first + 4 * (size + more), more, 1));
      ASSERT_NO_FATAL_FAILURE(array.check());
    }
  }
}

TYPED_TEST_P(sorted_array_merges, erased_keys_before_between_and_after) {
  for (const std::size_t size : this->sizes) {
    SCOPED_TRACE(std::to_string(size) + " keys");
    checked_ordered<TypeParam> array(this->res_);
    array.bulk_build(this->run(0, size, 1));
    array.erase(this->run(0, size / 5, 1));
    ASSERT_NO_FATAL_FAILURE(array.check());
    array.erase(this->run(size - size / 5, size, 1));
    ASSERT_NO_FATAL_FAILURE(array.check());
    array.erase(this->shuffled(this->run(0, size / 2, 2)));
    ASSERT_NO_FATAL_FAILURE(array.check());
    array.erase(this->run(0, size, 1));
    ASSERT_NO_FATAL_FAILURE(array.check());
    array.insert(this->run(7, size, 1));
    ASSERT_NO_FATAL_FAILURE(array.check());
  }
}

TYPED_TEST_P(sorted_array_merges, a_batch_larger_than_the_array) {
  checked_ordered<TypeParam> array(this->res_);
  array.bulk_build({5, 500, 70000});
  array.insert(this->shuffled(this->run(0, 60000, 1)));
  ASSERT_NO_FATAL_FAILURE(array.check());
  array.erase(this->shuffled(this->run(0, 200000, 1)));
  ASSERT_NO_FATAL_FAILURE(array.check());
  ASSERT_EQ(array.tree().size(), 0U);
}

TYPED_TEST_P(sorted_array_merges, one_key_many_times) {
  using key = typename TypeParam::key;
  for (const key only : std::vector<key>{0, 77, this->greatest}) {
    checked_ordered<TypeParam> array(this->res_);
    array.insert(std::vector<key>(10000, only));
    ASSERT_NO_FATAL_FAILURE(array.check());
    array.insert_or_assign(std::vector<key>(10000, only));
    ASSERT_NO_FATAL_FAILURE(array.check());
    array.erase(std::vector<key>(10000, only));
    ASSERT_NO_FATAL_FAILURE(array.check());
  }
}

TYPED_TEST_P(sorted_array_merges, the_least_and_the_greatest_key) {
  using key = typename TypeParam::key;
  const std::vector<key> ends = {0, 1, static_cast<key>(this->greatest - 1), this->greatest};
  for (const std::size_t size : this->sizes) {
    SCOPED_TRACE(std::to_string(size) + " keys");
    checked_ordered<TypeParam> array(this->res_);
    array.bulk_build(this->run(2, size, 3));
    ASSERT_NO_FATAL_FAILURE(array.check_queries(ends));
    array.insert({this->greatest});
    ASSERT_NO_FATAL_FAILURE(array.check_queries(ends));
    array.insert({0});
    ASSERT_NO_FATAL_FAILURE(array.check());
    ASSERT_NO_FATAL_FAILURE(array.check_queries(ends));
    ASSERT_NO_FATAL_FAILURE(array.check_ranges(ends, {this->greatest, this->greatest, this->greatest, 0}, 50));
    array.erase({0, this->greatest});
    ASSERT_NO_FATAL_FAILURE(array.check());
    ASSERT_NO_FATAL_FAILURE(array.check_queries(ends));
  }
}

TYPED_TEST_P(sorted_array_merges, keys_that_come_last_are_appended_in_place) {
  checked_ordered<TypeParam> array(this->res_);
  array.tree().reserve(this->res_, 1);
  const std::size_t empty = array.tree().bytes();
  for (std::size_t i = 0; i < 40; ++i) array.insert(this->shuffled(this->run(i * 1000, 1000, 1)));
  ASSERT_NO_FATAL_FAILURE(array.check());
  const std::size_t appended = array.tree().bytes() - empty;
  array.tree().reserve(this->res_, 40000);
  const std::size_t both = array.tree().bytes() - empty;
  // Nothing where memory is mapped in pieces larger than all this.
  EXPECT_TRUE(both == 0 || appended * 3 < both * 2) << appended << " of " << both;
}

TYPED_TEST_P(sorted_array_merges, reserved_memory_suffices) {
  checked_ordered<TypeParam> array(this->res_);
  array.tree().reserve(this->res_, 20000);
  const std::size_t bytes = array.tree().bytes();
  array.bulk_build(this->run(0, 10000, 2));
  array.insert(this->run(1, 10000, 2));
  array.erase(this->run(0, 5000, 3));
  array.insert(this->run(0, 5000, 3));
  EXPECT_EQ(array.tree().bytes(), bytes);
  ASSERT_NO_FATAL_FAILURE(array.check());
}

TYPED_TEST_P(sorted_array_merges, tiles_read_a_view) {
  using value = typename TypeParam::value;
  using B = typename TypeParam::backend_type;
  auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 20000);
  std::sort(pool.begin(), pool.end());
  std::vector<value> values;
  for (const auto k : pool) values.push_back(ordered_value<value>(k, 3));
  const auto keys = upload(this->res_, pool);
  sorted_array<B, typename TypeParam::key, value> array(this->res_);
  array.bulk_build(this->res_, keys.data(), upload(this->res_, values).data(), pool.size());
  buffer<B, std::uint32_t> errors(this->res_, 1);
  fill_bytes(this->res_, errors.data(), 0, 1);
  const check_view<TypeParam> check{array.view(), keys.data(), pool.size(), errors.data()};
  for_each_tile<1>(this->res_, pool.size(), check);
  for_each_tile<8>(this->res_, pool.size(), check);
  for_each_tile<32>(this->res_, pool.size(), check);
  EXPECT_EQ(download(this->res_, errors)[0], 0U);
  buffer<B, std::uint64_t> visited(this->res_, 2);
  fill_bytes(this->res_, visited.data(), 0, 2);
  for_each_tile<8>(this->res_, array.view().parts(), visit_view<TypeParam>{array.view(), visited.data()});
  EXPECT_EQ(download(this->res_, visited), (std::vector<std::uint64_t>{pool.size(), 0}));
}

REGISTER_TYPED_TEST_SUITE_P(sorted_array_merges, batches_that_change_nothing, new_keys_before_between_and_after,
                            erased_keys_before_between_and_after, a_batch_larger_than_the_array, one_key_many_times,
                            the_least_and_the_greatest_key, keys_that_come_last_are_appended_in_place,
                            reserved_memory_suffices, tiles_read_a_view);

}  // namespace mangrove::test
