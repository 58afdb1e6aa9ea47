#include <atomic>
#include <span>

#include "bs_tree_support.hpp"
#include "support/together.hpp"

namespace mangrove::test {

/// Trees that many threads change. Threads of the test's own: ThreadSanitizer sees how they meet.
template <class Case>
class bs_tree_by_thread : public testing::Test {
 protected:
  using key = typename Case::key;
  using value = typename Case::value;
  static constexpr std::size_t threads = 4;

  void SetUp() override {
    if (!has_simd<Case>()) GTEST_SKIP() << "this machine lacks the instructions";
  }

  template <class F>
  static void run(const F& f) {
    run_together(threads, f);
  }

  static bool fits(key k, value v) { return (v & ~value{15}) == (value_of<value>(k) & ~value{15}); }

  seeded_random random_;
  cpu_resources res_{1};
};

using shared_cases = types_to_test<types_kept(5, 2), bs_best<bs_tree<std::uint64_t, std::uint64_t, bs_writers::many>>,
                                   bs_best<cbs_tree<std::uint64_t, std::uint32_t, bs_writers::many>>,
                                   bs_best<bs_tree<std::uint32_t, std::uint32_t, bs_writers::many>>,
                                   bs_case<cbs_tree<std::uint64_t, std::uint64_t, bs_writers::many>, bs_simd::avx2>,
                                   bs_case<bs_tree<std::uint64_t, std::uint32_t, bs_writers::many>, bs_simd::portable>>;
TYPED_TEST_SUITE(bs_tree_by_thread, shared_cases, bs_case_name);

// Each thread changes keys of its own, which lie between the others', and so knows what it must find.
TYPED_TEST(bs_tree_by_thread, every_thread_sees_its_own_changes) {
  using key = typename TypeParam::key;
  using value = typename TypeParam::value;
  for (const key_pattern pattern : all_patterns) {
    typename TypeParam::container tree(this->res_, TypeParam::options());
    std::vector<std::map<key, value>> oracles(this->threads);
    std::vector<std::uint64_t> seeds;
    for (std::size_t t = 0; t < this->threads; ++t) seeds.push_back(this->random_());
    std::atomic<int> wrong{0};
    this->run([&](std::size_t t) {
      std::mt19937_64 random(seeds[t]);
      auto& oracle = oracles[t];
      for (int i = 0; i < 6000; ++i) {
        std::uint64_t number = random() >> random() % 64;
        if (pattern == key_pattern::dense) number = random() % 4000;
        if (pattern == key_pattern::clustered) number = (random() % 8 << 40) + random() % 1000;
        const auto k = static_cast<key>(number / this->threads * this->threads + t);
        const value v = value_of<value>(k, random() % 16);
        const std::uint64_t choice = random() % 8;
        if (choice < 3) {
          if (tree.insert(k, v) != oracle.try_emplace(k, v).second) ++wrong;
        } else if (choice < 4) {
          if (tree.insert_or_assign(k, v) != oracle.insert_or_assign(k, v).second) ++wrong;
        } else if (choice < 7) {
          const auto at = oracle.lower_bound(k);
          const key gone = at == oracle.end() ? k : at->first;
          if (tree.erase(gone) != (oracle.erase(gone) != 0)) ++wrong;
        }
        const auto found = tree.find(k);
        const auto at = oracle.find(k);
        if (found.has_value() != (at != oracle.end()) || (found && *found != at->second)) ++wrong;
      }
    });
    ASSERT_EQ(wrong, 0);
    ASSERT_EQ(tree.check(), "");
    std::map<key, value> all;
    for (auto& oracle : oracles) all.merge(oracle);
    ASSERT_EQ(tree.size(), all.size());
    auto at = all.begin();
    tree.for_each([&](key k, value v) {
      ASSERT_EQ(k, at->first);
      ASSERT_EQ(v, at->second);
      ++at;
    });
  }
}

// Some keys stay while others come and go between them, which splits, rewrites and empties leaves. A range must have
// all that stay, once and in order, whatever it makes of the others.
TYPED_TEST(bs_tree_by_thread, ranges_hold_what_nobody_touches) {
  using key = typename TypeParam::key;
  using value = typename TypeParam::value;
  constexpr key step = 64;
  constexpr key steady = 600;
  typename TypeParam::container tree(this->res_, TypeParam::options());
  for (key i = 0; i < steady; ++i) ASSERT_TRUE(tree.insert(i * step, value_of<value>(i * step)));
  const std::uint64_t seed = this->random_();
  std::atomic<int> wrong{0};
  std::atomic<std::size_t> readers{2};
  const auto write = [&](std::mt19937_64& random) {
    while (readers != 0) {
      const auto first = static_cast<key>(random() % (steady * step));
      for (key k = first; k < first + 300; ++k) {  // dense, so that leaves split; then gone, so that they get empty
        if (k % step != 0) tree.insert_or_assign(k, value_of<value>(k, random() % 16));
      }
      for (key k = first; k < first + 300; ++k) {
        if (k % step != 0) tree.erase(k);
      }
    }
  };
  const auto read = [&](std::mt19937_64& random) {
    std::vector<key> keys(1500);
    std::vector<value> values(1500);
    for (int i = 0; i < 1500; ++i) {
      const auto low = static_cast<key>(random() % (steady * step));
      const auto high = static_cast<key>(low + random() % (20 * step));
      const std::size_t room = random() % 4 == 0 ? 1 + random() % 40 : keys.size();
      const std::size_t got = tree.range(low, high, std::span(keys).first(room), std::span(values).first(room));
      const bool all = got < room;
      key wanted = (low + step - 1) / step * step;
      for (std::size_t k = 0; k < got; ++k) {
        if (keys[k] < low || keys[k] > high || (k != 0 && keys[k - 1] >= keys[k])) ++wrong;
        if (!bs_tree_by_thread<TypeParam>::fits(keys[k], values[k])) ++wrong;
        if (wanted < keys[k] && wanted < steady * step) ++wrong;  // passed over
        if (keys[k] == wanted) wanted += step;
      }
      if (all && wanted <= high && wanted < steady * step) ++wrong;
      const key last = std::min<key>(high, (steady - 1) * step);
      const std::size_t least = last < low ? 0 : last / step - (low + step - 1) / step + 1;
      if (tree.count(low, high) < least) ++wrong;
    }
    --readers;
  };
  this->run([&](std::size_t t) {
    std::mt19937_64 random(seed + t);
    t < 2 ? read(random) : write(random);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(tree.check(), "");
  EXPECT_EQ(tree.size(), steady);
}

// All threads fight for few keys; every insert and erase that succeeds is counted, so the sums tell what must be left.
TYPED_TEST(bs_tree_by_thread, contended_keys_have_one_winner_each) {
  using key = typename TypeParam::key;
  using value = typename TypeParam::value;
  constexpr std::size_t keys = 300;
  typename TypeParam::container tree(this->res_, TypeParam::options());
  std::vector<std::atomic<int>> balance(keys);
  std::atomic<int> wrong{0};
  const std::uint64_t seed = this->random_();
  this->run([&](std::size_t t) {
    std::mt19937_64 random(seed + t);
    for (int i = 0; i < 20000; ++i) {
      const std::size_t which = random() % keys;
      const auto k = static_cast<key>(which * 1000003);
      switch (random() % 5) {
        case 0:
          balance[which] += tree.insert(k, value_of<value>(k, random() % 16));
          break;
        case 1:
          balance[which] += tree.insert_or_assign(k, value_of<value>(k, random() % 16));
          break;
        case 2:
          balance[which] -= tree.erase(k);
          break;
        case 3: {
          const auto found = tree.find(k);
          if (found && !this->fits(k, *found)) ++wrong;
          break;
        }
        default: {
          std::vector<key> some(20);
          std::vector<value> values(20);
          const std::size_t got = tree.range(k, std::numeric_limits<key>::max(), some, values);
          for (std::size_t j = 0; j < got; ++j)
            wrong += !this->fits(some[j], values[j]) || (j > 0 && some[j] <= some[j - 1]);
          const auto next = tree.successor(k);
          if (next && (next->key <= k || !this->fits(next->key, next->value))) ++wrong;
        }
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  ASSERT_EQ(tree.check(), "");
  for (std::size_t i = 0; i < keys; ++i) {
    ASSERT_EQ(balance[i], static_cast<int>(tree.contains(static_cast<key>(i * 1000003)))) << i;
  }
}

// Batches of several threads that insert and erase the same keys, while others look for keys that stay.
TYPED_TEST(bs_tree_by_thread, batches_run_beside_each_other) {
  using key = typename TypeParam::key;
  using value = typename TypeParam::value;
  typename TypeParam::container tree(this->res_, TypeParam::options());
  const auto staying = ascending_keys<key>(this->random_, key_pattern::long_tailed, 2000);
  std::vector<key> moving = ascending_keys<key>(this->random_, key_pattern::long_tailed, 4000);
  std::erase_if(moving, [&](key k) { return std::binary_search(staying.begin(), staying.end(), k); });
  std::shuffle(moving.begin(), moving.end(), this->random_);
  std::vector<value> values;
  for (const key k : staying) values.push_back(value_of<value>(k));
  tree.bulk_load(staying, values);
  std::vector<value> moving_values;
  for (const key k : moving) moving_values.push_back(value_of<value>(k));
  std::atomic<std::ptrdiff_t> balance{0};
  std::atomic<int> lost{0};
  this->run([&](std::size_t t) {
    const cpu_resources res(1);
    for (int round = 0; round < 4; ++round) {
      if (t < 2) {
        balance += static_cast<std::ptrdiff_t>(tree.insert(res, moving, moving_values));
        balance -= static_cast<std::ptrdiff_t>(tree.erase(res, moving));
      } else {
        std::vector<value> found_values(staying.size());
        std::vector<std::uint8_t> found(staying.size());
        tree.find(res, staying, found_values, found);
        for (std::size_t i = 0; i < staying.size(); ++i) lost += found[i] == 0 || found_values[i] != values[i];
      }
    }
  });
  EXPECT_EQ(lost, 0);
  ASSERT_EQ(tree.check(), "");
  EXPECT_EQ(static_cast<std::ptrdiff_t>(tree.size()), static_cast<std::ptrdiff_t>(staying.size()) + balance);
}

// A batch on the threads of the resources.
TYPED_TEST(bs_tree_by_thread, a_batch_uses_several_threads) {
  using key = typename TypeParam::key;
  using value = typename TypeParam::value;
  const cpu_resources res(2);
  typename TypeParam::container tree(res, TypeParam::options());
  auto keys = ascending_keys<key>(this->random_, key_pattern::long_tailed, 40000);
  std::shuffle(keys.begin(), keys.end(), this->random_);
  std::vector<value> values;
  for (const key k : keys) values.push_back(value_of<value>(k));
  std::vector<std::uint8_t> result(keys.size());
  EXPECT_EQ(tree.insert(res, keys, values, result), keys.size());
  EXPECT_EQ(std::count(result.begin(), result.end(), 1), static_cast<std::ptrdiff_t>(keys.size()));
  ASSERT_EQ(tree.check(), "");
  std::vector<value> found(keys.size());
  tree.find(res, keys, found, result);
  EXPECT_EQ(found, values);
  EXPECT_EQ(tree.erase(res, std::span(keys).first(keys.size() / 2)), keys.size() / 2);
  ASSERT_EQ(tree.check(), "");
  EXPECT_EQ(tree.size(), keys.size() - keys.size() / 2);
}

}  // namespace mangrove::test
