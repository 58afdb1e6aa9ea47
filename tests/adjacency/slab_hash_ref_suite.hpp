#pragma once

#include "hash_bodies.hpp"

namespace mangrove::test {

/// The ref's operations, called by tiles.
template <class Types>
class slab_hash_by_tile : public testing::Test {
 protected:
  using B = typename Types::backend_type;

  template <int Width>
  void run_mixed(std::size_t key_count, std::size_t request_count, std::size_t buckets = 0) {
    const mixed_case<Types> wanted(random_, key_count, request_count);
    checked_hash<Types> hash(res_, buckets == 0 ? key_count + request_count : 0);  // tombstones are not used again
    if (buckets != 0) hash.table().rehash(res_, buckets);
    const auto keys = upload(res_, wanted.keys);
    const auto requests = upload(res_, wanted.requests);
    buffer<B, key_record> records(res_, key_count);
    fill_bytes(res_, records.data(), 0, key_count);
    for_each_tile<Width>(res_, request_count,
                         mixed_requests<Types>{hash.table().ref(), keys.data(), requests.data(), records.data()});
    res_.synchronize();
    ASSERT_NO_FATAL_FAILURE(wanted.check(hash, download(res_, records))) << "width " << Width;
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(slab_hash_by_tile);

TYPED_TEST_P(slab_hash_by_tile, mixed_requests_have_one_winner_each) {
  this->template run_mixed<1>(7, 20000);
  this->template run_mixed<2>(40, 20000);
  this->template run_mixed<4>(300, 20000);
  this->template run_mixed<8>(7, 20000);
  this->template run_mixed<16>(1000, 20000);
  this->template run_mixed<32>(12, 20000);
}

TYPED_TEST_P(slab_hash_by_tile, mixed_requests_have_one_winner_each_while_the_table_fills_up) {
  for (int repeat = 0; repeat < 10; ++repeat) {
    this->template run_mixed<1>(150, 3000, 12);
    this->template run_mixed<8>(150, 3000, 7);
    this->template run_mixed<32>(500, 3000, 30);
  }
}

TYPED_TEST_P(slab_hash_by_tile, says_when_the_table_is_full) {
  using key = typename TypeParam::key;
  using B = typename TypeParam::backend_type;
  checked_hash<TypeParam> hash(this->res_, 0);
  hash.table().rehash(this->res_, 3);
  const std::size_t slots = hash.table().slots();
  std::vector<key> pool = key_pool<key>(this->random_, slots + 100);
  const auto keys = upload(this->res_, pool);
  buffer<B, std::uint8_t> results(this->res_, pool.size());
  for (int repeat = 0; repeat < 2; ++repeat) {
    for_each_tile<8>(this->res_, pool.size(),
                     insert_by_tile<TypeParam>{hash.table().ref(), keys.data(), results.data()});
    this->res_.synchronize();
  }
  const auto outcomes = download(this->res_, results);
  const auto count = [&](insert_result result) {
    return std::count(outcomes.begin(), outcomes.end(), static_cast<std::uint8_t>(result));
  };
  EXPECT_EQ(count(insert_result::exists), slots + 3) << "all slots and the three keys that mark slots";
  EXPECT_EQ(count(insert_result::full), 97);
  EXPECT_EQ(hash.table().size(this->res_), slots + 3) << "counts what tiles inserted";
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (outcomes[i] == static_cast<std::uint8_t>(insert_result::exists)) {
      hash.oracle().emplace(pool[i], value_for<typename TypeParam::value>(pool[i], 1));
    }
  }
  hash.check(pool);
  hash.insert(pool, std::vector<typename TypeParam::value>(pool.size()));
  hash.check(pool);
}

TYPED_TEST_P(slab_hash_by_tile, visits_each_key_once) {
  using key = typename TypeParam::key;
  using B = typename TypeParam::backend_type;
  const std::vector<key> pool = key_pool<key>(this->random_, 700);
  checked_hash<TypeParam> hash(this->res_, pool.size());
  std::vector<typename TypeParam::value> values;
  for (const key k : pool) values.push_back(value_for<typename TypeParam::value>(k, 3));
  hash.insert(pool, values);
  hash.erase(std::vector<key>(pool.begin() + 4, pool.begin() + 200));
  buffer<B, std::uint64_t> counters(this->res_, 3);
  fill_bytes(this->res_, counters.data(), 0, 3);
  for_each_tile<16>(this->res_, 1, visit_all<TypeParam>{hash.table().ref(), counters.data()});
  EXPECT_EQ(download(this->res_, counters), (std::vector<std::uint64_t>{504, 504, 0}));
}

REGISTER_TYPED_TEST_SUITE_P(slab_hash_by_tile, mixed_requests_have_one_winner_each,
                            mixed_requests_have_one_winner_each_while_the_table_fills_up, says_when_the_table_is_full,
                            visits_each_key_once);

}  // namespace mangrove::test
