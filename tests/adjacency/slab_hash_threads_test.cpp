#include <atomic>

#include "hash_bodies.hpp"
#include "mangrove/core/tile.hpp"
#include "support/together.hpp"

namespace mangrove::test {

// Threads of the test's own: ThreadSanitizer sees how they meet, which it does not for oneTBB's.
template <class Types>
class slab_hash_by_thread : public testing::Test {
 protected:
  static constexpr std::size_t threads = 4;

  template <class F>
  static void run(const F& f) {
    run_together(threads, f);
  }

  void run_mixed(std::size_t key_count, std::size_t request_count, std::size_t buckets) {
    const mixed_case<Types> wanted(random_, key_count, request_count);
    checked_hash<Types> hash(res_, 0);
    hash.table().rehash(res_, buckets);
    std::vector<key_record> records(key_count);
    const mixed_requests<Types> body{hash.table().ref(), wanted.keys.data(), wanted.requests.data(), records.data()};
    run([&](std::size_t t) {
      for (std::size_t i = t; i < request_count; i += threads) body(cpu_tile<8>(), i);
    });
    wanted.check(hash, records);
  }

  seeded_random random_;
  cpu_resources res_{1};
};

TYPED_TEST_SUITE(slab_hash_by_thread, hash_type_list<cpu>);

TYPED_TEST(slab_hash_by_thread, mixed_requests_have_one_winner_each) {
  for (const std::size_t key_count : {6, 9, 50, 400}) {
    ASSERT_NO_FATAL_FAILURE(this->run_mixed(key_count, 20000, 4000)) << key_count << " keys";
  }
}

TYPED_TEST(slab_hash_by_thread, mixed_requests_have_one_winner_each_while_the_table_fills_up) {
  for (int repeat = 0; repeat < 30; ++repeat) {
    ASSERT_NO_FATAL_FAILURE(this->run_mixed(150, 2000, 3 + this->random_.below(20))) << "repeat " << repeat;
  }
}

TYPED_TEST(slab_hash_by_thread, of_equal_inserts_and_equal_erases_one_wins) {
  using key = typename TypeParam::key;
  const std::vector<key> pool = key_pool<key>(this->random_, 500);
  checked_hash<TypeParam> hash(this->res_, 4 * pool.size());
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<std::vector<std::uint8_t>> results(this->threads, std::vector<std::uint8_t>(pool.size()));
    std::vector<std::vector<std::uint8_t>> erased = results;
    this->run([&](std::size_t t) {
      const insert_by_tile<TypeParam> body{hash.table().ref(), pool.data(), results[t].data()};
      for (std::size_t i = 0; i < pool.size(); ++i) body(cpu_tile<4>(), i);
    });
    this->run([&](std::size_t t) {
      for (std::size_t i = 0; i < pool.size(); ++i) erased[t][i] = hash.table().ref().erase(cpu_tile<4>(), pool[i]);
    });
    for (std::size_t i = 0; i < pool.size(); ++i) {
      int inserts = 0;
      int erases = 0;
      for (std::size_t t = 0; t < this->threads; ++t) {
        inserts += results[t][i] == static_cast<std::uint8_t>(insert_result::inserted);
        erases += erased[t][i];
      }
      ASSERT_EQ(inserts, 1) << pool[i];
      ASSERT_EQ(erases, 1) << pool[i];
    }
  }
  hash.check(pool);
}

TYPED_TEST(slab_hash_by_thread, what_stays_is_always_found) {
  using key = typename TypeParam::key;
  const std::vector<key> pool = key_pool<key>(this->random_, 120);
  const std::vector<key> staying(pool.begin(), pool.begin() + 60);
  checked_hash<TypeParam> hash(this->res_, 30000);
  hash.table().rehash(this->res_, 0);
  std::vector<typename TypeParam::value> values;
  for (const key k : staying) values.push_back(value_for<typename TypeParam::value>(k, 0));
  hash.insert(staying, values);
  hash.table().rehash(this->res_, 40);
  std::atomic<int> lost{0};
  this->run([&](std::size_t t) {
    std::uint8_t ignored = 0;
    for (int round = 0; round < 5; ++round) {
      for (const key k : pool) {
        const bool stays = std::find(staying.begin(), staying.end(), k) != staying.end();
        const auto ref = hash.table().ref();
        if (stays) {
          const auto found = ref.find(cpu_tile<1>(), k);
          if (!found || !fits_key(k, *found) || !ref.contains(cpu_tile<1>(), k)) ++lost;
        } else {
          insert_by_tile<TypeParam>{ref, &k, &ignored}(cpu_tile<1>(), 0);
          if (t % 2 == 0) ref.erase(cpu_tile<1>(), k);
        }
      }
    }
  });
  EXPECT_EQ(lost, 0);
}

}  // namespace mangrove::test
