#pragma once

#include "blink_types.hpp"
#include "ordered_checked.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// A B-link tree whose leaves are built quite full, or nearly empty.
template <backend B, class Key, class Value, int Percent>
struct filled_blink_types : blink_types<B, Key, Value> {
  using container = typename blink_types<B, Key, Value>::container;
  static container make(const resources<B>& res) { return container(res, blink_options{Percent / 100.0}); }
};

/// Batches that touch many leaves: those whose leaves have room, those that split leaves, those that fall into few.
template <class Types>
class blink_batches : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using keys_type = std::vector<key>;
  using checked = checked_ordered<Types>;

  static constexpr std::size_t half = 15000;

  /// Keys at places from `first` to `last` of a pool, `count` draws of them.
  keys_type draw(const keys_type& pool, std::size_t first, std::size_t last, std::size_t count) {
    keys_type keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(pool[first + random_.below(last - first)]);
    return keys;
  }

  static keys_type part(const keys_type& pool, std::size_t first, std::size_t last) {
    return {pool.begin() + static_cast<std::ptrdiff_t>(first), pool.begin() + static_cast<std::ptrdiff_t>(last)};
  }

  keys_type pool() { return ordered_key_pool<key>(random_, 2 * half); }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(blink_batches);

TYPED_TEST_P(blink_batches, of_all_sizes_are_inserted) {
  const auto pool = this->pool();
  for (const std::size_t size : {1, 30, 250, 310, 700, 1500, 3000, 4000, 10000}) {
    checked_ordered<TypeParam> tree(this->res_);
    tree.bulk_build(this->part(pool, 0, this->half));
    tree.insert(this->part(pool, this->half, this->half + size));
    ASSERT_NO_FATAL_FAILURE(tree.check()) << size;
    tree.insert(this->draw(pool, 0, pool.size(), size));  // repeats, and keys that are there
    ASSERT_NO_FATAL_FAILURE(tree.check()) << size;
    tree.insert(this->part(pool, 0, size));
    ASSERT_NO_FATAL_FAILURE(tree.check()) << size;
  }
}

TYPED_TEST_P(blink_batches, of_all_sizes_are_assigned) {
  const auto pool = this->pool();
  for (const std::size_t size : {1, 30, 250, 310, 700, 1500, 3000, 4000, 10000}) {
    checked_ordered<TypeParam> tree(this->res_);
    tree.bulk_build(this->part(pool, 0, this->half));
    tree.insert_or_assign(this->draw(pool, 0, pool.size(), size));
    ASSERT_NO_FATAL_FAILURE(tree.check()) << size;
    auto keys = this->part(pool, 0, size);  // all there, some of them thrice
    const auto again = this->draw(pool, 0, size, size);
    keys.insert(keys.end(), again.begin(), again.end());
    tree.insert_or_assign(keys);
    ASSERT_NO_FATAL_FAILURE(tree.check()) << size;
  }
}

TYPED_TEST_P(blink_batches, follow_one_another) {
  const auto pool = this->pool();
  checked_ordered<TypeParam> tree(this->res_);
  tree.bulk_build(this->part(pool, 0, this->half));
  for (int round = 0; round < 30; ++round) {
    const auto keys = this->draw(pool, 0, pool.size(), this->random_.below(round % 3 == 0 ? 200 : 3000));
    round % 2 == 0 ? tree.insert(keys) : tree.insert_or_assign(keys);
    ASSERT_NO_FATAL_FAILURE(tree.check()) << "round " << round;
    tree.erase(this->draw(pool, 0, pool.size(), this->random_.below(3000)));
    if (round % 8 == 0) tree.insert(typename TestFixture::keys_type(500, pool[round]));  // of one leaf
    ASSERT_NO_FATAL_FAILURE(tree.check()) << "round " << round;
  }
}

TYPED_TEST_P(blink_batches, that_are_refused_memory_change_nothing) {
  using B = typename TypeParam::backend_type;
  auto memory = make_limited_memory<B>();
  const auto res = make_resources<B>(memory);
  const auto pool = this->pool();
  for (const std::size_t size : {200, 3500}) {
    checked_ordered<TypeParam> tree(res);
    tree.bulk_build(this->part(pool, 0, this->half));
    const auto added = this->part(pool, this->half, this->half + size);
    const auto keys = upload(this->res_, added);
    const auto values = upload(this->res_, tree.values_for(added));
    const auto unchanged = [&] { ASSERT_NO_FATAL_FAILURE(tree.check()); };
    refuse_every_request(
        *memory, [&] { tree.tree().insert(res, keys.data(), values.data(), size); }, unchanged);
    EXPECT_EQ(tree.tree().size(), this->half + size);
    EXPECT_EQ(tree.tree().check(res), "");
  }
}

REGISTER_TYPED_TEST_SUITE_P(blink_batches, of_all_sizes_are_inserted, of_all_sizes_are_assigned, follow_one_another,
                            that_are_refused_memory_change_nothing);

template <backend B>
using blink_batch_types =
    types_to_test<3, blink_types<B, std::uint64_t, none>, filled_blink_types<B, std::int32_t, std::uint64_t, 100>,
                  filled_blink_types<B, std::uint32_t, std::uint64_t, 25>, blink_types<B, std::uint32_t, std::uint32_t>,
                  filled_blink_types<B, double, std::uint32_t, 100>>;

}  // namespace mangrove::test
