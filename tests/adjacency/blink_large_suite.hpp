#pragma once

#include "blink_batch_suite.hpp"

namespace mangrove::test {

/// Trees of so many leaves that a bin of a batch has more than a thousand.
template <class Types>
class blink_large : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using keys_type = std::vector<key>;

  static constexpr std::size_t leaves = 300'000;
  static constexpr std::size_t batch = leaves / 2;

  void SetUp() override {
    const std::size_t a_leaf = slab_bytes / sizeof(key) / 4;
    for (std::size_t i = 0; i < leaves * a_leaf; ++i) held_.push_back(static_cast<key>(3 * i));
    tree_.bulk_build(res_, upload(res_, held_).data(), nullptr, held_.size(), key_sequence::sorted);
  }

  /// Every so many-th key of those that are there, each plus `more`, in any order.
  keys_type spread_out(key more) {
    keys_type keys;
    for (std::size_t i = 0; i < batch; ++i) keys.push_back(held_[i * (held_.size() / batch)] + more);
    std::shuffle(keys.begin(), keys.end(), random_);
    return keys;
  }

  void expect(const keys_type& keys) {
    ASSERT_EQ(tree_.check(res_), "");
    ASSERT_EQ(tree_.size(), keys.size());
    buffer<B, key> all(res_, keys.size());
    tree_.retrieve_all(res_, all.data(), nullptr);
    ASSERT_TRUE(download(res_, all) == keys);
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
  typename Types::container tree_ = Types::make(res_);
  keys_type held_;
};

TYPED_TEST_SUITE_P(blink_large);

TYPED_TEST_P(blink_large, takes_a_batch_and_gives_it_back) {
  const auto keys = this->spread_out(1);
  auto merged = keys;
  std::sort(merged.begin(), merged.end());
  merged.insert(merged.end(), this->held_.begin(), this->held_.end());
  std::inplace_merge(merged.begin(), merged.begin() + static_cast<std::ptrdiff_t>(this->batch), merged.end());
  const auto batch = upload(this->res_, keys);
  EXPECT_EQ(this->tree_.insert(this->res_, batch.data(), nullptr, keys.size()), keys.size());
  this->expect(merged);
  EXPECT_EQ(this->tree_.insert(this->res_, batch.data(), nullptr, keys.size()), 0U);
  this->expect(merged);
  EXPECT_EQ(this->tree_.erase(this->res_, batch.data(), keys.size()), keys.size());
  this->expect(this->held_);
}

REGISTER_TYPED_TEST_SUITE_P(blink_large, takes_a_batch_and_gives_it_back);

template <backend B>
using blink_large_types =
    types_to_test<1, filled_blink_types<B, std::uint32_t, none, 25>, filled_blink_types<B, std::uint64_t, none, 25>>;

}  // namespace mangrove::test
