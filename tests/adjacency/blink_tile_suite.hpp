#pragma once

#include "blink_tile_bodies.hpp"

namespace mangrove::test {

/// What tiles do with a B-link tree, alone and together.
template <class Types>
class blink_by_tile : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using value = typename Types::value;
  using keys_type = std::vector<key>;
  using tree_type = typename Types::container;

  tree_type build(const keys_type& keys) {
    tree_type tree(res_);
    std::vector<value> values;
    for (const key k : keys) values.push_back(ordered_value<value>(k, 0));
    tree.bulk_build(res_, upload(res_, keys).data(), upload(res_, values).data(), keys.size());
    return tree;
  }

  /// All keys, ascending; checks the structure and the values.
  keys_type contents(tree_type& tree) {
    EXPECT_EQ(tree.check(res_), "");
    tree.settle(res_);
    EXPECT_EQ(tree.check(res_), "");
    buffer<B, key> keys(res_, tree.size());
    buffer<B, value> values(res_, tree.size());
    tree.retrieve_all(res_, keys.data(), values.data());
    const auto host_keys = download(res_, keys);
    const auto host_values = download(res_, values);
    for (std::size_t i = 0; i < host_keys.size(); ++i) EXPECT_TRUE(value_fits(host_keys[i], host_values[i])) << i;
    return host_keys;
  }

  static keys_type sorted(keys_type keys) {
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  template <int Width>
  void check_queries(const keys_type& pool) {
    auto tree = build(pool);
    const auto keys = upload(res_, sorted(pool));
    buffer<B, std::uint32_t> errors(res_, 1);
    fill_bytes(res_, errors.data(), 0, 1);
    for_each_tile<Width>(res_, pool.size(), check_view<Types>{tree.view(), keys.data(), pool.size(), errors.data()});
    EXPECT_EQ(download(res_, errors)[0], 0U) << Width << " lanes";
  }

  /// Inserts a pool from nothing and erases part of it, a key a tile.
  template <int Width>
  void insert_and_erase(const keys_type& pool) {
    tree_type tree(res_);
    const auto keys = upload(res_, pool);
    buffer<B, std::uint8_t> results(res_, pool.size());
    for_each_tile<Width>(res_, pool.size(),
                         insert_tree_key<Types>{tree.open(res_, pool.size()), keys.data(), results.data()});
    for (const auto result : download(res_, results)) {
      ASSERT_EQ(result, static_cast<std::uint8_t>(insert_result::inserted)) << Width << " lanes";
    }
    ASSERT_EQ(contents(tree), sorted(pool)) << Width << " lanes";
    const std::size_t gone = pool.size() * 3 / 4;
    for_each_tile<Width>(res_, gone, erase_tree_key<Types>{tree.open(res_, 0), keys.data(), results.data()});
    ASSERT_EQ(contents(tree), sorted(keys_type(pool.begin() + static_cast<std::ptrdiff_t>(gone), pool.end())));
  }

  /// Requests of all kinds at the same time: a key is inserted and erased in turn, so what is left follows from how
  /// often each succeeded.
  template <int Width>
  void run_mixed(std::size_t key_count, std::size_t request_count) {
    const auto pool = ordered_key_pool<key>(random_, key_count);
    const keys_type first(pool.begin(), pool.begin() + static_cast<std::ptrdiff_t>(pool.size() / 2));
    auto tree = build(first);
    std::vector<numbered_request> requests;
    for (std::size_t i = 0; i < request_count; ++i) {
      requests.push_back({static_cast<std::uint32_t>(random_.below(pool.size())),
                          static_cast<tree_request>(random_.below(tree_requests))});
    }
    std::vector<tree_record> zeros(pool.size());
    const auto keys = upload(res_, pool);
    const auto asked = upload(res_, requests);
    const auto records = upload(res_, zeros);
    for_each_tile<Width>(res_, request_count,
                         mixed_tree_requests<Types>{tree.open(res_, request_count), keys.data(), asked.data(),
                                                    const_cast<tree_record*>(records.data())});
    check_mixed(tree, pool, first.size(), download(res_, records));
  }

  void check_mixed(tree_type& tree, const keys_type& pool, std::size_t held, const std::vector<tree_record>& records) {
    const auto now = contents(tree);
    for (std::size_t k = 0; k < pool.size(); ++k) {
      const std::uint32_t before = k < held ? 1 : 0;
      const std::uint32_t after = std::binary_search(now.begin(), now.end(), pool[k]) ? 1 : 0;
      ASSERT_EQ(records[k].errors, 0U) << shown(pool[k]);
      ASSERT_EQ(before + records[k].inserted, records[k].erased + after) << "winners of " << shown(pool[k]);
    }
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(blink_by_tile);

TYPED_TEST_P(blink_by_tile, queries_at_rest) {
  for (const std::size_t size : {1, 30, 5000}) {
    const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, size);
    this->template check_queries<1>(pool);
    this->template check_queries<8>(pool);
  }
}

TYPED_TEST_P(blink_by_tile, inserts_from_nothing_and_erases) {
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 20000);
  ASSERT_NO_FATAL_FAILURE(this->template insert_and_erase<1>(pool));
  ASSERT_NO_FATAL_FAILURE(this->template insert_and_erase<8>(pool));
  auto ascending = pool;
  std::sort(ascending.begin(), ascending.end());
  ASSERT_NO_FATAL_FAILURE(this->template insert_and_erase<8>(ascending));
}

TYPED_TEST_P(blink_by_tile, mixed_requests_have_one_winner_each) {
  for (const std::size_t keys : {10, 40, 300, 3000, 40000}) {
    ASSERT_NO_FATAL_FAILURE(this->template run_mixed<1>(keys, 60000)) << keys << " keys";
    ASSERT_NO_FATAL_FAILURE(this->template run_mixed<16>(keys, 60000)) << keys << " keys";
  }
}

TYPED_TEST_P(blink_by_tile, mixed_requests_of_tiles_of_other_widths) {
  for (const std::size_t keys : {40, 3000}) {
    ASSERT_NO_FATAL_FAILURE(this->template run_mixed<4>(keys, 30000)) << keys << " keys";
    ASSERT_NO_FATAL_FAILURE(this->template run_mixed<32>(keys, 30000)) << keys << " keys";
  }
}

TYPED_TEST_P(blink_by_tile, every_key_is_visited) {
  using B = typename TypeParam::backend_type;
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 3000);
  auto tree = this->build(pool);
  const auto view = tree.view();
  buffer<B, std::uint64_t> counters(this->res_, 4);
  fill_bytes(this->res_, counters.data(), 0, 4);
  for_each_tile<8>(this->res_, 3, visit_tree<TypeParam>{view, tree.open(this->res_, 1), counters.data()});
  const auto read = download(this->res_, counters);
  EXPECT_EQ(read, (std::vector<std::uint64_t>{pool.size(), pool.size(), pool.size(), 0}));
}

TYPED_TEST_P(blink_by_tile, inserts_beyond_what_was_asked_for_are_refused) {
  using B = typename TypeParam::backend_type;
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 20000);
  typename TypeParam::container tree(this->res_);
  const auto keys = upload(this->res_, pool);
  buffer<B, std::uint8_t> results(this->res_, pool.size());
  for_each_tile<4>(this->res_, pool.size(),
                   insert_tree_key<TypeParam>{tree.open(this->res_, 100), keys.data(), results.data()});
  const auto read = download(this->res_, results);
  std::vector<typename TypeParam::key> expected;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (read[i] == static_cast<std::uint8_t>(insert_result::inserted)) expected.push_back(pool[i]);
  }
  EXPECT_GE(expected.size(), 100U);
  EXPECT_LT(expected.size(), pool.size());
  EXPECT_EQ(this->contents(tree), this->sorted(expected));
}

TYPED_TEST_P(blink_by_tile, an_open_tree_answers_after_it_is_settled) {
  const auto pool = ordered_key_pool<typename TypeParam::key>(this->random_, 100);
  auto tree = this->build(pool);
  static_cast<void>(tree.open(this->res_, 10));
  EXPECT_THROW(static_cast<void>(tree.size()), usage_error);
  EXPECT_THROW(static_cast<void>(tree.view()), usage_error);
  tree.settle(this->res_);
  EXPECT_EQ(tree.size(), pool.size());
  static_cast<void>(tree.open(this->res_, 10));
  EXPECT_EQ(tree.erase(this->res_, upload(this->res_, pool).data(), 10), 10U);
  EXPECT_EQ(tree.size(), pool.size() - 10);
}

TYPED_TEST_P(blink_by_tile, a_window_that_tiles_slide_holds_its_memory) {
  using B = typename TypeParam::backend_type;
  using key = typename TypeParam::key;
  constexpr std::int32_t step = 2000;
  typename TypeParam::container tree(this->res_);
  buffer<B, std::uint8_t> results(this->res_, step);
  const auto stretch = [&](std::int32_t first) {
    std::vector<key> keys;
    for (std::int32_t i = first; i < first + step; ++i) keys.push_back(dense_key<key>(i));
    return upload(this->res_, keys);
  };
  std::size_t bytes = 0;
  for (std::int32_t round = 0; round < 60; ++round) {
    const auto in = stretch(round * step);
    const auto ref = tree.open(this->res_, step);
    for_each_tile<8>(this->res_, step, insert_tree_key<TypeParam>{ref, in.data(), results.data()});
    if (round >= 5) {
      const auto out = stretch((round - 5) * step);
      for_each_tile<8>(this->res_, step, erase_tree_key<TypeParam>{ref, out.data(), results.data()});
      this->res_.synchronize();
    }
    tree.settle(this->res_);
    ASSERT_EQ(tree.size(), static_cast<std::size_t>(step) * static_cast<std::size_t>(std::min(round + 1, 5)));
    if (round == 20) bytes = tree.bytes();
    if (round > 20) {
      // A round's room is for as many leaves as there are and more, and that depends on who comes first at each split;
      // leaves that were lost would be ten times as many by the end.
      ASSERT_LE(tree.bytes(), bytes + bytes / 2) << "round " << round;
    }
  }
  EXPECT_EQ(tree.check(this->res_), "");
}

REGISTER_TYPED_TEST_SUITE_P(blink_by_tile, queries_at_rest, inserts_from_nothing_and_erases,
                            mixed_requests_have_one_winner_each, mixed_requests_of_tiles_of_other_widths,
                            every_key_is_visited, inserts_beyond_what_was_asked_for_are_refused,
                            an_open_tree_answers_after_it_is_settled, a_window_that_tiles_slide_holds_its_memory);

/// Types for tests of tiles: fewer, for each is compiled into kernels.
template <backend B>
using blink_tile_types =
    testing::Types<blink_types<B, std::uint32_t, std::uint32_t>, blink_types<B, double, std::uint64_t>>;

}  // namespace mangrove::test
