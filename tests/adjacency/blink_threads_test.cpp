#include <atomic>

#include "blink_tile_bodies.hpp"
#include "mangrove/core/tile.hpp"
#include "support/together.hpp"

namespace mangrove::test {

// Threads of the test's own: ThreadSanitizer sees how they meet, which it does not for oneTBB's.
class blink_by_thread : public testing::Test {
 protected:
  using tree_type = blink_tree<cpu, std::uint32_t, std::uint32_t>;
  using ref_type = tree_type::ref_type;
  static constexpr std::size_t threads = 4;

  template <class F>
  static void run(const F& f) {
    run_together(threads, f);
  }

  /// A tree with these keys and values that fit them.
  tree_type build(const std::vector<std::uint32_t>& keys) {
    tree_type tree(res_);
    std::vector<std::uint32_t> values;
    for (const std::uint32_t key : keys) values.push_back(ordered_value<std::uint32_t>(key, 0));
    tree.bulk_build(res_, keys.data(), values.data(), keys.size());
    return tree;
  }

  seeded_random random_;
  cpu_resources res_{1};
};

TEST_F(blink_by_thread, mixed_requests_have_one_winner_each) {
  using types = blink_types<cpu, std::uint32_t, std::uint32_t>;
  for (const std::size_t key_count : {8, 60, 500, 5000}) {
    const auto pool = ordered_key_pool<std::uint32_t>(random_, key_count);
    std::vector<numbered_request> requests;
    for (std::size_t i = 0; i < 40000; ++i) {
      requests.push_back({static_cast<std::uint32_t>(random_.below(pool.size())),
                          static_cast<tree_request>(random_.below(tree_requests))});
    }
    tree_type tree(res_);
    std::vector<tree_record> records(pool.size());
    const mixed_tree_requests<types> body{tree.open(res_, requests.size()), pool.data(), requests.data(),
                                          records.data()};
    run([&](std::size_t t) {
      for (std::size_t i = t; i < requests.size(); i += threads) body(cpu_tile<8>(), i);
    });
    ASSERT_EQ(tree.check(res_), "");
    tree.settle(res_);
    std::vector<std::uint8_t> found(pool.size());
    tree.contains(res_, pool.data(), pool.size(), found.data());
    for (std::size_t k = 0; k < pool.size(); ++k) {
      ASSERT_EQ(records[k].errors, 0U) << pool[k];
      ASSERT_EQ(records[k].inserted, records[k].erased + found[k]) << "winners of " << pool[k];
    }
  }
}

TEST_F(blink_by_thread, what_stays_is_always_seen_in_order) {
  std::vector<std::uint32_t> staying;
  for (std::uint32_t i = 0; i < 400; ++i) staying.push_back(i * 100);
  auto tree = build(staying);
  const auto ref = tree.open(res_, 200000);
  std::atomic<int> wrong{0};
  run([&](std::size_t t) {
    const cpu_tile<4> tile;
    if (t < 2) {  // inserts and erases all around what stays
      for (std::uint32_t i = 0; i < 40000; ++i) {
        const std::uint32_t key = i * 7919 % 40000;
        if (key % 100 == 0) continue;
        if (t == 0) {
          ref.insert(tile, key, ordered_value<std::uint32_t>(key, 3));
        } else {
          ref.erase(tile, key);
        }
      }
      return;
    }
    for (int round = 0; round < 40; ++round) {
      std::uint32_t seen = 0;
      std::int64_t last = -1;
      ref.for_each(tile, [&](std::uint32_t key, std::uint32_t value) {
        if (key <= last || !value_fits(key, value)) ++wrong;
        last = key;
        if (key % 100 == 0) ++seen;
      });
      if (seen != staying.size()) ++wrong;
      for (std::uint32_t k = 1; k < staying.size(); ++k) {
        const auto before = ref.predecessor(tile, staying[k]);
        const auto after = ref.successor(tile, staying[k - 1]);
        if (!before || (*before).key < staying[k - 1] || !after || (*after).key > staying[k]) ++wrong;
        if (!ref.contains(tile, staying[k])) ++wrong;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(tree.check(res_), "");
}

TEST_F(blink_by_thread, threads_grow_a_tree_from_nothing) {
  constexpr std::uint32_t count = 60000;
  tree_type tree(res_);
  const auto ref = tree.open(res_, threads * count);
  std::atomic<std::uint32_t> inserted{0};
  run([&](std::size_t t) {
    std::uint32_t own = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t key = mix(i + static_cast<std::uint32_t>(t % 2) * count);  // every key by two threads
      own += ref.insert(cpu_tile<4>(), key, ordered_value<std::uint32_t>(key, 0)) == insert_result::inserted ? 1 : 0;
    }
    inserted += own;
  });
  EXPECT_EQ(inserted, 2 * count);
  EXPECT_EQ(tree.check(res_), "");
  tree.settle(res_);
  EXPECT_EQ(tree.check(res_), "");
  EXPECT_EQ(tree.size(), 2 * count);
}

TEST_F(blink_by_thread, openings_grant_the_nodes_that_their_inserts_take) {
  tree_type tree(res_);
  std::uint32_t met = 0;
  for (std::uint32_t round = 0; round < 60; ++round) {
    const std::uint32_t inserts = 1 + mix(round) % (round % 3 == 0 ? 40 : 2000);
    const auto ref = tree.open(res_, inserts);
    for (std::uint32_t i = 0; i < inserts; ++i, ++met) {
      const std::uint32_t keys[] = {mix(met), met, ~met};  // anywhere, at the left end and at the right end
      ASSERT_NE(ref.insert(cpu_tile<8>(), keys[round % 3], 1), insert_result::full) << "round " << round;
    }
    ASSERT_EQ(tree.check(res_), "") << "round " << round;
    tree.settle(res_);
    ASSERT_EQ(tree.check(res_), "") << "round " << round;
  }
}

}  // namespace mangrove::test
