#pragma once

#include "ordered_checked.hpp"

namespace mangrove::test {

/// The owner's operations of an ordered container, against an oracle.
template <class Types>
class ordered : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using keys_type = std::vector<key>;
  using checked = checked_ordered<Types>;

  keys_type draw(const keys_type& pool, std::size_t count) {
    keys_type keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(pool[random_.below(pool.size())]);
    return keys;
  }

  /// Neighbours in the order of keys, beginning anywhere.
  keys_type draw_stretch(keys_type pool, std::size_t count) {
    std::sort(pool.begin(), pool.end());
    const std::size_t first = random_.below(pool.size());
    const std::size_t last = std::min(pool.size(), first + count);
    return keys_type(pool.begin() + static_cast<std::ptrdiff_t>(first),
                     pool.begin() + static_cast<std::ptrdiff_t>(last));
  }

  void check_ranges(checked& tree, const keys_type& pool) {
    keys_type lows = draw(pool, 60);
    keys_type highs = draw(pool, 60);
    const auto least = *std::min_element(pool.begin(), pool.end());
    const auto greatest = *std::max_element(pool.begin(), pool.end());
    lows.insert(lows.end(), {least, greatest, least, greatest});
    highs.insert(highs.end(), {greatest, least, least, greatest});
    tree.check_ranges(lows, highs, 1 + static_cast<std::uint32_t>(random_.below(100)));
  }

  void check_all(checked& tree, keys_type pool) {
    ASSERT_NO_FATAL_FAILURE(tree.check());
    ASSERT_NO_FATAL_FAILURE(tree.check_queries(pool));
    std::sort(pool.begin(), pool.end());
    ASSERT_NO_FATAL_FAILURE(tree.check_queries(pool));
    ASSERT_NO_FATAL_FAILURE(check_ranges(tree, pool));
  }

  /// One random change.
  void change(checked& tree, const keys_type& pool) {
    const std::size_t size = random_.below(1 + random_.below(pool.size()));
    const keys_type keys = random_.below(3) == 0 ? draw_stretch(pool, size) : draw(pool, size);
    switch (random_.below(16)) {
      case 0:
        return tree.bulk_build(keys);
      case 1:
        if (random_.below(4) == 0) tree.clear();
        return;
      case 2: {
        typename Types::container moved(std::move(tree.tree()));
        tree.tree() = std::move(moved);
        return;
      }
      case 3:
      case 4:
      case 5:
      case 6:
        return tree.insert(keys);
      case 7:
      case 8:
      case 9:
        return tree.insert_or_assign(keys);
      default:
        return tree.erase(keys);
    }
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(ordered);

TYPED_TEST_P(ordered, an_empty_one_answers) {
  checked_ordered<TypeParam> tree(this->res_);
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 50);
  ASSERT_NO_FATAL_FAILURE(this->check_all(tree, pool));
  tree.erase(pool);
  tree.insert({});
  tree.bulk_build({});
  ASSERT_NO_FATAL_FAILURE(this->check_all(tree, pool));
}

TYPED_TEST_P(ordered, bulk_builds_of_all_sizes) {
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 30000);
  checked_ordered<TypeParam> tree(this->res_);
  for (const std::size_t size : {1, 2, 23, 24, 25, 31, 32, 33, 600, 700, 1000, 20000, 5, 30000}) {
    tree.bulk_build(this->draw(pool, size));
    ASSERT_NO_FATAL_FAILURE(tree.check()) << size;
    auto sorted = this->draw(pool, size);
    std::sort(sorted.begin(), sorted.end());
    tree.bulk_build(sorted, key_sequence::sorted);
    ASSERT_NO_FATAL_FAILURE(tree.check()) << size;
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    tree.bulk_build(sorted, key_sequence::sorted);
    ASSERT_NO_FATAL_FAILURE(this->check_all(tree, this->draw(pool, 500))) << size;
  }
}

TYPED_TEST_P(ordered, what_is_not_sorted_is_refused) {
  auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 1000);
  std::sort(pool.begin(), pool.end());
  checked_ordered<TypeParam> tree(this->res_);
  tree.bulk_build(pool, key_sequence::sorted);
  const auto values = upload(this->res_, tree.values_for(pool));
  for (const std::size_t at : {std::size_t{0}, std::size_t{255}, std::size_t{256}, pool.size() - 2}) {
    auto swapped = pool;
    std::swap(swapped[at], swapped[at + 1]);
    EXPECT_THROW(tree.tree().bulk_build(this->res_, upload(this->res_, swapped).data(), values.data(), pool.size(),
                                        key_sequence::sorted),
                 usage_error);
    ASSERT_NO_FATAL_FAILURE(tree.check());
  }
}

TYPED_TEST_P(ordered, random_batches_match_the_oracle) {
  for (const std::size_t pool_size : {20, 200, 3000}) {
    const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, pool_size);
    checked_ordered<TypeParam> tree(this->res_);
    for (int round = 0; round < 60; ++round) {
      this->change(tree, pool);
      ASSERT_NO_FATAL_FAILURE(this->check_all(tree, pool)) << "round " << round << ", pool " << pool_size;
    }
  }
}

TYPED_TEST_P(ordered, grows_and_shrinks_over_several_levels) {
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 60000);
  checked_ordered<TypeParam> tree(this->res_);
  for (int round = 0; round < 6; ++round) {
    tree.insert(this->draw(pool, 40000 >> (2 * round % 5)));
    ASSERT_NO_FATAL_FAILURE(tree.check());
    tree.insert(this->draw_stretch(pool, 9000));
    tree.erase(this->draw_stretch(pool, 30000));
    ASSERT_NO_FATAL_FAILURE(tree.check());
    tree.erase(this->draw(pool, 30000));
    ASSERT_NO_FATAL_FAILURE(this->check_all(tree, this->draw(pool, 1000)));
  }
  tree.erase(pool);
  ASSERT_NO_FATAL_FAILURE(this->check_all(tree, this->draw(pool, 100)));
}

TYPED_TEST_P(ordered, a_batch_of_repeats_holds_each_key_once) {
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 12);
  checked_ordered<TypeParam> tree(this->res_);
  tree.insert(this->draw(pool, 20000));
  ASSERT_NO_FATAL_FAILURE(this->check_all(tree, pool));
  tree.insert_or_assign(this->draw(pool, 20000));
  ASSERT_NO_FATAL_FAILURE(this->check_all(tree, pool));
  tree.erase(this->draw(pool, 20000));
  ASSERT_NO_FATAL_FAILURE(this->check_all(tree, pool));
}

TYPED_TEST_P(ordered, small_batches_into_a_large_tree) {
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 30000);
  checked_ordered<TypeParam> tree(this->res_);
  tree.bulk_build(this->draw(pool, 15000));
  for (int round = 0; round < 60; ++round) {
    auto keys = this->draw_stretch(pool, this->random_.below(60));  // more than some leaves have room for
    const auto others = this->draw(pool, this->random_.below(200));
    keys.insert(keys.end(), others.begin(), others.end());
    keys.insert(keys.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 3));
    std::shuffle(keys.begin(), keys.end(), this->random_);
    tree.insert(keys);
    ASSERT_NO_FATAL_FAILURE(tree.check()) << "round " << round;
  }
  ASSERT_NO_FATAL_FAILURE(this->check_all(tree, this->draw(pool, 1000)));
}

TYPED_TEST_P(ordered, a_sliding_window_holds_its_memory) {
  using key = typename TypeParam::key;
  constexpr std::int32_t step = 500;
  constexpr std::int32_t window = 8000;
  checked_ordered<TypeParam> tree(this->res_);
  const auto stretch = [&](std::int32_t first) {
    std::vector<key> keys;
    for (std::int32_t i = first; i < first + step; ++i) keys.push_back(dense_key<key>(i * 3));
    std::shuffle(keys.begin(), keys.end(), this->random_);
    return keys;
  };
  std::size_t bytes = 0;
  std::size_t parts = 0;
  for (std::int32_t at = 0; at < 20 * window; at += step) {
    tree.insert(stretch(at));
    if (at >= window) tree.erase(stretch(at - window));
    if (at % window == 0) {
      ASSERT_NO_FATAL_FAILURE(tree.check());
    }
    if (at == 3 * window) {
      bytes = tree.tree().bytes();
      parts = tree.tree().view().parts();
    }
    if (at > 3 * window) {
      ASSERT_LE(tree.tree().bytes(), bytes) << "after " << at;
      ASSERT_LE(tree.tree().view().parts(), parts + parts / 8) << "after " << at;
    }
  }
}

TYPED_TEST_P(ordered, sparse_parts_are_packed) {
  using key = typename TypeParam::key;
  std::vector<key> keys;
  for (std::int32_t i = 0; i < 40000; ++i) keys.push_back(dense_key<key>(i));
  checked_ordered<TypeParam> tree(this->res_);
  tree.bulk_build(keys);
  const std::size_t parts = tree.tree().view().parts();
  std::vector<key> gone;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 10 != 0) gone.push_back(keys[i]);
  }
  tree.erase(gone);
  ASSERT_NO_FATAL_FAILURE(tree.check());
  EXPECT_LE(tree.tree().view().parts(), parts / 4);
}

TYPED_TEST_P(ordered, refused_memory_changes_nothing) {
  using B = typename TypeParam::backend_type;
  auto memory = make_limited_memory<B>();
  const auto res = make_resources<B>(memory);
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 30000);
  const std::vector<typename TypeParam::key> first(pool.begin(), pool.begin() + 2000);
  checked_ordered<TypeParam> tree(res);
  tree.bulk_build(first);
  const auto keys = upload(this->res_, pool);
  const auto values = upload(this->res_, tree.values_for(pool));
  const auto unchanged = [&] { ASSERT_NO_FATAL_FAILURE(tree.check()); };
  refuse_every_request(
      *memory, [&] { tree.tree().insert(res, keys.data(), values.data(), pool.size()); }, unchanged);
  EXPECT_EQ(tree.tree().size(), pool.size());
  tree.tree().bulk_build(res, keys.data(), values.data(), 10);
  tree.bulk_build(first);
  refuse_every_request(
      *memory, [&] { tree.tree().erase(res, keys.data(), 1990); }, unchanged);
  EXPECT_EQ(tree.tree().size(), 10U);
  tree.bulk_build(first);
  refuse_every_request(
      *memory, [&] { tree.tree().bulk_build(res, keys.data(), values.data(), pool.size()); }, unchanged);
  EXPECT_EQ(tree.tree().size(), pool.size());
}

TYPED_TEST_P(ordered, nan_is_refused) {
  using key = typename TypeParam::key;
  if constexpr (std::is_floating_point_v<key>) {
    auto keys = ordered_key_pool<key>(this->random_, 100);
    checked_ordered<TypeParam> tree(this->res_);
    tree.bulk_build(keys);
    const auto values = upload(this->res_, tree.values_for(keys));
    keys[50] = -std::numeric_limits<key>::quiet_NaN();
    const auto with_nan = upload(this->res_, keys);
    EXPECT_THROW(tree.tree().insert(this->res_, with_nan.data(), values.data(), 100), usage_error);
    EXPECT_THROW(tree.tree().insert_or_assign(this->res_, with_nan.data(), values.data(), 100), usage_error);
    EXPECT_THROW(tree.tree().bulk_build(this->res_, with_nan.data(), values.data(), 100), usage_error);
    ASSERT_NO_FATAL_FAILURE(tree.check());
    buffer<typename TypeParam::backend_type, std::uint8_t> found(this->res_, 1);
    tree.tree().contains(this->res_, with_nan.data() + 50, 1, found.data());
    EXPECT_EQ(download(this->res_, found)[0], 0);
    EXPECT_EQ(tree.tree().erase(this->res_, with_nan.data() + 50, 1), 0U);
  }
}

TYPED_TEST_P(ordered, minus_zero_is_zero) {
  using key = typename TypeParam::key;
  using B = typename TypeParam::backend_type;
  if constexpr (std::is_floating_point_v<key>) {
    checked_ordered<TypeParam> tree(this->res_);
    tree.insert({key{1}, -key{0}, key{0}, -key{1}});
    ASSERT_NO_FATAL_FAILURE(tree.check());
    ASSERT_NO_FATAL_FAILURE(tree.check_queries({-key{0}, key{0}, key{1}}));
    buffer<B, key> next(this->res_, 1);
    buffer<B, std::uint8_t> found(this->res_, 1);
    tree.tree().successor(this->res_, upload(this->res_, std::vector<key>{-key{1}}).data(), 1, next.data(), nullptr,
                          found.data());
    EXPECT_EQ(download(this->res_, next)[0], 0);
    EXPECT_FALSE(std::signbit(download(this->res_, next)[0]));
    tree.erase({-key{0}});
    ASSERT_NO_FATAL_FAILURE(tree.check());
  }
}

REGISTER_TYPED_TEST_SUITE_P(ordered, an_empty_one_answers, bulk_builds_of_all_sizes, what_is_not_sorted_is_refused,
                            random_batches_match_the_oracle, grows_and_shrinks_over_several_levels,
                            a_batch_of_repeats_holds_each_key_once, small_batches_into_a_large_tree,
                            a_sliding_window_holds_its_memory, sparse_parts_are_packed, refused_memory_changes_nothing,
                            nan_is_refused, minus_zero_is_zero);

}  // namespace mangrove::test
