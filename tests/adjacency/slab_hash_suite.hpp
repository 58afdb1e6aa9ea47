#pragma once

#include "hash_support.hpp"
#include "mangrove/core/error.hpp"

namespace mangrove::test {

/// The owner's operations, against an oracle.
template <class Types>
class slab_hash : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using value = typename Types::value;
  using checked = checked_hash<Types>;

  std::vector<value> values_for(const std::vector<key>& keys) {
    std::vector<value> values;
    for (const key k : keys) values.push_back(value_for<value>(k, static_cast<std::uint32_t>(random_())));
    return values;
  }

  std::vector<key> draw(const std::vector<key>& pool, std::size_t count) {
    std::vector<key> keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(pool[random_.below(pool.size())]);
    return keys;
  }

  /// One random operation on the whole.
  void rearrange(checked& hash) {
    switch (random_.below(5)) {
      case 0:
        return hash.table().flush(res_);
      case 1:
        return hash.table().rehash(res_, random_.below(200));
      case 2:
        return hash.table().reserve(res_, random_.below(2000));
      case 3: {
        typename Types::container moved(std::move(hash.table()));
        hash.table() = std::move(moved);
        return;
      }
      default:
        if (random_.below(4) != 0) return;
        hash.table().clear(res_);
        hash.oracle().clear();
    }
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(slab_hash);

TYPED_TEST_P(slab_hash, random_batches_match_the_oracle) {
  using key = typename TypeParam::key;
  for (const std::size_t pool_size : {8, 60, 1000, 4000}) {
    const std::vector<key> pool = key_pool<key>(this->random_, pool_size);
    checked_hash<TypeParam> hash(this->res_, 0);
    for (int round = 0; round < 40; ++round) {
      const std::vector<key> keys = this->draw(pool, this->random_.below(2 * std::min<std::size_t>(pool_size, 600)));
      switch (this->random_.below(8)) {
        case 0:
        case 1:
          hash.insert(keys, this->values_for(keys));
          break;
        case 2:
        case 3:
          hash.insert_or_assign(keys, this->values_for(keys));
          break;
        case 4:
        case 5:
          hash.erase(keys);
          break;
        case 6:
          hash.insert_absent(keys, this->values_for(keys));
          break;
        default:
          this->rearrange(hash);
      }
      ASSERT_NO_FATAL_FAILURE(hash.check(pool)) << "round " << round << ", pool " << pool_size;
    }
  }
}

TYPED_TEST_P(slab_hash, holds_the_keys_that_mark_slots) {
  using key = typename TypeParam::key;
  const std::vector<key> marks{slot_mark<key>::empty, slot_mark<key>::tombstone, slot_mark<key>::busy};
  checked_hash<TypeParam> hash(this->res_, 0);
  hash.check(marks);
  for (int repeat = 0; repeat < 3; ++repeat) {
    hash.insert(marks, this->values_for(marks));
    hash.check(marks);
    hash.table().rehash(this->res_, 10);
    hash.insert_or_assign({marks[1]}, this->values_for({marks[1]}));
    hash.check(marks);
    hash.erase({marks[0], marks[2]});
    hash.check(marks);
    hash.erase(marks);
    hash.check(marks);
  }
}

TYPED_TEST_P(slab_hash, takes_each_key_of_a_batch_once) {
  using key = typename TypeParam::key;
  const std::vector<key> pool = key_pool<key>(this->random_, 12);
  const std::vector<key> keys = this->draw(pool, 20000);
  checked_hash<TypeParam> hash(this->res_, 0);
  hash.insert(keys, this->values_for(keys));
  hash.check(pool);
  EXPECT_LE(hash.table().buckets(), 3U) << "grew for repeats";
  hash.erase(keys);
  hash.check(pool);
  EXPECT_EQ(hash.table().size(this->res_), 0U);
}

TYPED_TEST_P(slab_hash, erases_everything_and_fills_again) {
  using key = typename TypeParam::key;
  const std::vector<key> pool = key_pool<key>(this->random_, 3000);
  checked_hash<TypeParam> hash(this->res_, pool.size());
  const std::size_t buckets = hash.table().buckets();
  for (int repeat = 0; repeat < 4; ++repeat) {
    hash.insert(pool, this->values_for(pool));
    hash.check(pool);
    hash.erase(pool);
    hash.check(pool);
  }
  EXPECT_LE(hash.table().buckets(), 2 * buckets) << "tombstones made the table grow";
}

TYPED_TEST_P(slab_hash, inserts_absent_keys_where_erased_ones_were) {
  using key = typename TypeParam::key;
  const std::vector<key> pool = key_pool<key>(this->random_, 3000);
  const std::vector<key> half(pool.begin(), pool.begin() + 1500);
  const std::vector<key> some(pool.begin(), pool.begin() + 500);
  checked_hash<TypeParam> hash(this->res_, 3300, {0.95, 0.95});
  hash.insert_absent(pool, this->values_for(pool));
  hash.check(pool);
  hash.erase(half);
  const std::size_t tombstones = hash.table().tombstones(this->res_);
  const std::size_t buckets = hash.table().buckets();
  hash.insert_absent(some, this->values_for(some));
  hash.check(pool);
  EXPECT_EQ(hash.table().buckets(), buckets);
  EXPECT_LT(hash.table().tombstones(this->res_), tombstones);
  hash.insert_absent(half, this->values_for(half));
  hash.check(pool);
  EXPECT_LE(hash.table().load_factor(this->res_), 0.95);
}

TYPED_TEST_P(slab_hash, stays_within_its_load) {
  using key = typename TypeParam::key;
  const std::vector<key> pool = key_pool<key>(this->random_, 5000);
  const slab_hash_options options{0.7, 0.5};
  checked_hash<TypeParam> hash(this->res_, 0, options);
  for (std::size_t first = 0; first < pool.size(); first += 100) {
    const std::vector<key> keys(pool.begin() + first, pool.begin() + first + 100);
    hash.insert(keys, this->values_for(keys));
    ASSERT_LE(hash.table().load_factor(this->res_), options.max_load);
  }
  EXPECT_GE(hash.table().load_factor(this->res_), 0.45);
  hash.check(pool);
}

TYPED_TEST_P(slab_hash, reserves_flushes_rehashes_and_clears) {
  using key = typename TypeParam::key;
  const std::vector<key> pool = key_pool<key>(this->random_, 2000);
  checked_hash<TypeParam> hash(this->res_, 0);
  hash.table().reserve(this->res_, pool.size());
  const std::size_t buckets = hash.table().buckets();
  hash.insert(pool, this->values_for(pool));
  EXPECT_EQ(hash.table().buckets(), buckets) << "grew although room was reserved";
  hash.erase(std::vector<key>(pool.begin(), pool.begin() + 1500));
  EXPECT_EQ(hash.table().buckets(), buckets);
  hash.table().flush(this->res_);
  EXPECT_EQ(hash.table().tombstones(this->res_), 0U);
  EXPECT_EQ(hash.table().buckets(), buckets);
  hash.check(pool);
  hash.table().rehash(this->res_, 0);
  EXPECT_LT(hash.table().buckets(), buckets / 2);
  hash.check(pool);
  const std::size_t bytes = hash.table().bytes();
  hash.table().clear(this->res_);
  hash.oracle().clear();
  hash.check(pool);
  EXPECT_EQ(hash.table().bytes(), bytes);
}

TYPED_TEST_P(slab_hash, is_unchanged_when_memory_is_refused) {
  using key = typename TypeParam::key;
  using B = typename TypeParam::backend_type;
  const auto memory = make_limited_memory<B>();
  const auto res = make_resources<B>(memory);
  const std::vector<key> pool = key_pool<key>(this->random_, 1000);
  const std::vector<key> few(pool.begin(), pool.begin() + 100);
  const auto keys = upload(this->res_, pool);
  const auto values = upload(this->res_, this->values_for(pool));
  const auto run = [&](const auto& operation) {
    checked_hash<TypeParam> hash(res, 0);
    hash.insert(few, this->values_for(few));
    hash.erase(std::vector<key>(few.begin(), few.begin() + 30));
    refuse_every_request(
        *memory, [&] { operation(hash.table()); }, [&] { hash.check(pool); });
  };
  run([&](auto& table) {
    if constexpr (is_none<typename TypeParam::value>) {
      table.insert(res, keys.data(), pool.size());
    } else {
      table.insert(res, keys.data(), values.data(), pool.size());
    }
  });
  run([&](auto& table) { table.erase(res, keys.data(), pool.size()); });
  run([&](auto& table) { table.reserve(res, 5000); });
  run([&](auto& table) { table.rehash(res, 77); });
  run([&](auto& table) { table.flush(res); });
  refuse_every_request(
      *memory, [&] { typename TypeParam::container table(res, 100); }, [] {});
  EXPECT_EQ(memory->bytes_in_use(), 0U);
}

TYPED_TEST_P(slab_hash, asks_for_no_memory_when_room_is_reserved) {
  using key = typename TypeParam::key;
  using B = typename TypeParam::backend_type;
  const auto memory = make_limited_memory<B>();
  const auto res = make_resources<B>(memory);
  const std::vector<key> pool = key_pool<key>(this->random_, 500);
  const auto keys = upload(this->res_, pool);
  const auto values = upload(this->res_, this->values_for(pool));
  buffer<B, std::uint8_t> flags(this->res_, pool.size());
  typename TypeParam::container table(res);
  table.reserve(res, pool.size());
  memory->refuse_after(0);
  std::size_t inserted = 0;
  if constexpr (is_none<typename TypeParam::value>) {
    inserted = table.insert(res, keys.data(), pool.size(), flags.data());
  } else {
    inserted = table.insert(res, keys.data(), values.data(), pool.size(), flags.data());
  }
  EXPECT_EQ(inserted, pool.size());
  EXPECT_EQ(table.erase(res, keys.data(), pool.size(), flags.data()), pool.size());
}

TYPED_TEST_P(slab_hash, refuses_impossible_loads) {
  using container = typename TypeParam::container;
  EXPECT_THROW(container(this->res_, 0, {0.5, 0.6}), usage_error);
  EXPECT_THROW(container(this->res_, 0, {1.1, 0.6}), usage_error);
  EXPECT_THROW(container(this->res_, 0, {0.5, 0.0}), usage_error);
  EXPECT_THROW(container(this->res_, std::size_t{1} << 40), memory_error);
}

REGISTER_TYPED_TEST_SUITE_P(slab_hash, random_batches_match_the_oracle, holds_the_keys_that_mark_slots,
                            takes_each_key_of_a_batch_once, erases_everything_and_fills_again,
                            inserts_absent_keys_where_erased_ones_were, stays_within_its_load,
                            reserves_flushes_rehashes_and_clears, is_unchanged_when_memory_is_refused,
                            asks_for_no_memory_when_room_is_reserved, refuses_impossible_loads);

}  // namespace mangrove::test
