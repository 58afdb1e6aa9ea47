#include "bs_tree_support.hpp"

namespace mangrove::test {

template <class Case>
class bs_tree_suite : public testing::Test {
 protected:
  using key = typename Case::key;
  using value = typename Case::value;

  void SetUp() override {
    if (!has_simd<Case>()) GTEST_SKIP() << "this machine lacks the instructions";
  }

  /// Random operations on keys of one pattern. @param erasing of 8 operations, how many erase
  void run_random(checked_tree<Case>& tree, key_pattern pattern, int operations, std::uint64_t erasing) {
    for (int i = 0; i < operations; ++i) {
      const auto k = key_from<key>(number_of(random_, pattern));
      const std::uint64_t choice = random_.below(8);
      if (choice < erasing) {
        const auto near = tree.oracle.lower_bound(k);
        ASSERT_NO_FATAL_FAILURE(tree.erase(near == tree.oracle.end() ? k : near->first));
      } else if (choice == 7) {
        ASSERT_NO_FATAL_FAILURE(tree.assign(k, random_.below(16)));
        ASSERT_NO_FATAL_FAILURE(tree.erase(key_from<key>(number_of(random_, pattern))));
      } else {
        ASSERT_NO_FATAL_FAILURE(tree.insert(k, random_.below(16)));
      }
      if (i % 7 == 0) {
        ASSERT_NO_FATAL_FAILURE(tree.look(key_from<key>(number_of(random_, pattern))));
      }
      if (i % 61 == 0) {
        const auto other = key_from<key>(number_of(random_, pattern));
        ASSERT_NO_FATAL_FAILURE(tree.range(k, other, random_.below(400)));
      }
      if (i % 211 == 0) {
        ASSERT_EQ(tree.tree.check(), "") << "after operation " << i;
      }
    }
    ASSERT_NO_FATAL_FAILURE(tree.check());
  }

  seeded_random random_;
  cpu_resources res_{1};
};

TYPED_TEST_SUITE(bs_tree_suite, bs_cases, bs_case_name);

TYPED_TEST(bs_tree_suite, random_operations_do_what_a_map_does) {
  for (const key_pattern pattern : all_patterns) {
    SCOPED_TRACE(static_cast<int>(pattern));
    checked_tree<TypeParam> tree(this->res_);
    ASSERT_NO_FATAL_FAILURE(this->run_random(tree, pattern, 4000, 2));
    ASSERT_NO_FATAL_FAILURE(this->run_random(tree, pattern, 3000, 6));
    while (!tree.oracle.empty()) ASSERT_NO_FATAL_FAILURE(tree.erase(tree.oracle.begin()->first));
    ASSERT_NO_FATAL_FAILURE(tree.check());
    ASSERT_EQ(tree.tree.statistics().levels, 0U);
    ASSERT_NO_FATAL_FAILURE(this->run_random(tree, pattern, 500, 2));
  }
}

TYPED_TEST(bs_tree_suite, patterns_may_change) {
  checked_tree<TypeParam> tree(this->res_);
  for (int round = 0; round < 12; ++round) {
    const key_pattern pattern = all_patterns[this->random_.below(5)];
    ASSERT_NO_FATAL_FAILURE(this->run_random(tree, pattern, 1000, this->random_.below(7)));
  }
}

TYPED_TEST(bs_tree_suite, loads_at_every_fill) {
  for (const key_pattern pattern : all_patterns) {
    for (const double fill : {0.5, 0.6, 0.75, 0.9, 1.0}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(pattern)) + " at " + std::to_string(fill));
      checked_tree<TypeParam> tree(this->res_, fill);
      tree.load(ascending_keys<typename TypeParam::key>(this->random_, pattern, 1 + this->random_.below(4000)));
      ASSERT_NO_FATAL_FAILURE(tree.check());
      ASSERT_NO_FATAL_FAILURE(this->run_random(tree, pattern, 700, 2));
    }
  }
}

TYPED_TEST(bs_tree_suite, loads_every_small_number_of_keys) {
  for (std::size_t count = 0; count < 300; ++count) {
    checked_tree<TypeParam> tree(this->res_);
    auto keys = ascending_keys<typename TypeParam::key>(this->random_, all_patterns[count % 5], 700);
    keys.resize(std::min(count, keys.size()));
    tree.load(keys);
    ASSERT_NO_FATAL_FAILURE(tree.check()) << count;
  }
}

// As trees do that are larger than caches.
TYPED_TEST(bs_tree_suite, searches_that_guess_find_the_same) {
  for (const key_pattern pattern : all_patterns) {
    SCOPED_TRACE(static_cast<int>(pattern));
    bs_tree_options options = TypeParam::options();
    options.cache_bytes = 0;
    checked_tree<TypeParam> tree(this->res_, options);
    tree.load(ascending_keys<typename TypeParam::key>(this->random_, pattern, 8000));
    for (const auto& [k, v] : tree.oracle) ASSERT_NO_FATAL_FAILURE(tree.look(k));
    ASSERT_NO_FATAL_FAILURE(this->run_random(tree, pattern, 4000, 2));
    ASSERT_NO_FATAL_FAILURE(this->run_random(tree, pattern, 2000, 6));
  }
}

TYPED_TEST(bs_tree_suite, ascending_and_descending_keys) {
  for (const key_pattern pattern : all_patterns) {
    auto keys = ascending_keys<typename TypeParam::key>(this->random_, pattern, 3000);
    for (int direction = 0; direction < 2; ++direction) {
      checked_tree<TypeParam> tree(this->res_);
      for (const auto k : keys) ASSERT_NO_FATAL_FAILURE(tree.insert(k, 0));
      ASSERT_NO_FATAL_FAILURE(tree.check());
      for (const auto k : keys) ASSERT_NO_FATAL_FAILURE(tree.look(k));
      for (std::size_t i = 0; i < keys.size(); i += 2) ASSERT_NO_FATAL_FAILURE(tree.erase(keys[i]));
      ASSERT_NO_FATAL_FAILURE(tree.check());
      std::reverse(keys.begin(), keys.end());
    }
  }
}

TYPED_TEST(bs_tree_suite, inserts_at_every_place_with_the_gap_anywhere) {
  using key = typename TypeParam::key;
  std::vector<key> keys;
  for (int i = 0; i < 64; ++i) keys.push_back(static_cast<key>(1000 + 10 * i));
  checked_tree<TypeParam> tree(this->res_, 1.0);
  tree.load(keys);
  const auto slots = static_cast<int>(64 / tree.tree.statistics().leaves);  // of the first leaf, all of them used
  for (int gap = 0; gap < slots; ++gap) {
    for (int place = 0; place <= slots; ++place) {
      SCOPED_TRACE("gap " + std::to_string(gap) + ", place " + std::to_string(place));
      const auto added = static_cast<key>(1000 + 10 * place - 5);
      ASSERT_NO_FATAL_FAILURE(tree.erase(keys[static_cast<std::size_t>(gap)]));
      ASSERT_NO_FATAL_FAILURE(tree.insert(added, 1));
      ASSERT_NO_FATAL_FAILURE(tree.check());
      ASSERT_NO_FATAL_FAILURE(tree.erase(added));
      ASSERT_NO_FATAL_FAILURE(tree.insert(keys[static_cast<std::size_t>(gap)], 2));
    }
  }
  ASSERT_EQ(tree.tree.statistics().leaves, 64U / static_cast<unsigned>(slots));
}

TYPED_TEST(bs_tree_suite, ranges_of_every_room) {
  checked_tree<TypeParam> tree(this->res_);
  for (const key_pattern pattern : all_patterns) {
    const auto keys = ascending_keys<typename TypeParam::key>(this->random_, pattern, 2000);
    tree.load(keys);
    for (std::size_t room = 0; room < 200; ++room) {
      const auto low = keys[this->random_.below(keys.size())];
      const auto high = keys[this->random_.below(keys.size())];
      ASSERT_NO_FATAL_FAILURE(tree.range(low, high, room));
      ASSERT_NO_FATAL_FAILURE(tree.range(low, low, room));
    }
    ASSERT_NO_FATAL_FAILURE(tree.range(keys.front(), keys.back(), keys.size() + 5));
  }
}

TYPED_TEST(bs_tree_suite, ranges_over_many_parents_of_full_and_sparse_leaves) {
  checked_tree<TypeParam> tree(this->res_, 1.0);
  const auto keys = ascending_keys<typename TypeParam::key>(this->random_, key_pattern::uniform, 20000);
  tree.load(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i / 1000 % 2 == 0 && i % 40 != 0) {
      ASSERT_NO_FATAL_FAILURE(tree.erase(keys[i]));
    }
  }
  for (const auto k : ascending_keys<typename TypeParam::key>(this->random_, key_pattern::uniform, 3000)) {
    ASSERT_NO_FATAL_FAILURE(tree.insert(k, 1));
  }
  for (std::size_t i = 0; i < 100; ++i) {
    const std::size_t first = this->random_.below(keys.size());
    const std::size_t last = std::min(keys.size() - 1, first + this->random_.below(1500));
    ASSERT_NO_FATAL_FAILURE(tree.range(keys[first], keys[last], 2000));
  }
  ASSERT_NO_FATAL_FAILURE(tree.range(keys.front(), keys.back(), keys.size() + 3100));
  ASSERT_NO_FATAL_FAILURE(tree.check());
}

TYPED_TEST(bs_tree_suite, batches_do_what_single_operations_do) {
  using key = typename TypeParam::key;
  using value = typename TypeParam::value;
  for (const key_pattern pattern : all_patterns) {
    checked_tree<TypeParam> tree(this->res_);
    for (int round = 0; round < 12; ++round) {
      const std::size_t count = this->random_.below(1500);
      std::vector<key> keys;
      std::vector<value> values;
      for (std::size_t i = 0; i < count; ++i) {
        keys.push_back(key_from<key>(number_of(this->random_, pattern)));
        values.push_back(value_of<value>(keys.back(), this->random_.below(16)));
      }
      std::vector<std::uint8_t> result(count, 9);
      std::vector<std::uint8_t> wanted(count);
      const int kind = round % 4;
      for (std::size_t i = 0; i < count; ++i) {
        if (kind == 0) wanted[i] = tree.oracle.try_emplace(keys[i], values[i]).second;
        if (kind == 1) wanted[i] = tree.oracle.insert_or_assign(keys[i], values[i]).second;
        if (kind == 2) wanted[i] = tree.oracle.contains(keys[i]);
        if (kind == 3) wanted[i] = static_cast<std::uint8_t>(tree.oracle.erase(keys[i]));
      }
      if (kind == 0) tree.tree.insert(this->res_, keys, values, result);
      if (kind == 1) tree.tree.insert_or_assign(this->res_, keys, values, result);
      if (kind == 3) tree.tree.erase(this->res_, keys, result);
      if (kind == 2) {
        const std::vector<value> before = values;
        tree.tree.find(this->res_, keys, values, result);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(values[i], result[i] != 0 ? tree.oracle.at(keys[i]) : before[i]);
        }
      }
      ASSERT_EQ(result, wanted) << "kind " << kind;
      ASSERT_NO_FATAL_FAILURE(tree.check()) << "kind " << kind;
    }
  }
}

// A batch goes down in groups; the last one may be small, and the root may be a leaf.
TYPED_TEST(bs_tree_suite, batches_of_any_size_find_their_keys) {
  using key = typename TypeParam::key;
  using value = typename TypeParam::value;
  constexpr std::size_t largest = 70;
  for (const std::size_t size : {5, 150, 20000}) {
    checked_tree<TypeParam> tree(this->res_);
    const auto keys = ascending_keys<key>(this->random_, key_pattern::uniform, size);
    tree.load(keys);
    for (std::size_t count = 0; count <= largest; ++count) {
      std::vector<key> wanted;
      for (std::size_t i = 0; i < count; ++i) {
        const bool present = this->random_.below(4) != 0;
        wanted.push_back(present ? keys[this->random_.below(keys.size())]
                                 : key_from<key>(number_of(this->random_, key_pattern::uniform)));
      }
      std::vector<value> values(largest + 1);
      std::vector<std::uint8_t> found(largest + 1, 9);
      tree.tree.find(this->res_, wanted, std::span(values).first(count), std::span(found).first(count));
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = tree.oracle.find(wanted[i]);
        ASSERT_EQ(found[i], at != tree.oracle.end()) << i << " of " << count;
        ASSERT_EQ(values[i], at != tree.oracle.end() ? at->second : value{}) << i << " of " << count;
      }
      ASSERT_EQ(found[count], 9);
    }
  }
}

TYPED_TEST(bs_tree_suite, a_sliding_window_keeps_its_memory) {
  using key = typename TypeParam::key;
  checked_tree<TypeParam> tree(this->res_);
  const auto at = [](std::uint64_t i) { return key_from<key>(i * 1000); };
  constexpr std::uint64_t width = 2000;
  std::size_t bytes = 0;
  for (std::uint64_t i = 0; i < 30 * width; ++i) {
    ASSERT_NO_FATAL_FAILURE(tree.insert(at(i), 0));
    if (i >= width) {
      ASSERT_NO_FATAL_FAILURE(tree.erase(at(i - width)));
    }
    if (i == 4 * width) bytes = tree.tree.bytes();
  }
  ASSERT_NO_FATAL_FAILURE(tree.check());
  ASSERT_EQ(tree.tree.bytes(), bytes);
}

TEST(bs_tree_load, fewer_free_places_save_a_level) {
  // 3584 leaves of 12 keys. Inner nodes with 14 children each would be 256, 19, 2, 1; with 16 above the lowest, 16, 1.
  const cpu_resources res(1);
  bs_tree<std::uint64_t> tree(res, {.fill = 0.75});
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < std::uint64_t{3584} * 12; ++i) keys.push_back(i * 1000);
  tree.bulk_load(keys);
  EXPECT_EQ(tree.statistics().levels, 3U);
  EXPECT_EQ(tree.statistics().inner_nodes, 256U + 16 + 1);
  EXPECT_EQ(tree.check(), "");
  for (std::uint64_t i = 0; i < 20000; ++i) ASSERT_TRUE(tree.insert(i * 1000 + 1));  // into full nodes
  EXPECT_EQ(tree.check(), "");
  EXPECT_EQ(tree.size(), keys.size() + 20000);
}

}  // namespace mangrove::test
