#include <atomic>

#include "blink_history.hpp"
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

namespace {

/// What one thread does to a few keys, with others between them that make leaves split.
class recorder {
 public:
  recorder(const blink_tree<cpu, std::uint32_t, std::uint32_t>::ref_type& tree, std::atomic<std::uint64_t>& clock)
      : tree_(tree), clock_(clock) {}

  void run(key_operation operation, std::uint32_t key, std::uint32_t value) {
    key_event event{operation, value, false, ++clock_, 0};
    const cpu_tile<4> tile;
    switch (operation) {
      case key_operation::insert:
        event.succeeded = tree_.insert(tile, key, value) == insert_result::inserted;
        break;
      case key_operation::assign:
        event.succeeded = tree_.insert_or_assign(tile, key, value) == assign_result::inserted;
        break;
      case key_operation::erase:
        event.succeeded = tree_.erase(tile, key);
        break;
      case key_operation::find: {
        const auto found = tree_.find(tile, key);
        event.succeeded = static_cast<bool>(found);
        if (found) event.value = *found;
        break;
      }
    }
    event.end = ++clock_;
    events.emplace_back(key, event);
  }

  void fill(std::uint32_t key) { tree_.insert(cpu_tile<4>(), key, 0); }

  std::vector<std::pair<std::uint32_t, key_event>> events;

 private:
  blink_tree<cpu, std::uint32_t, std::uint32_t>::ref_type tree_;
  std::atomic<std::uint64_t>& clock_;
};

}  // namespace

TEST_F(blink_by_thread, small_histories_are_linearizable) {
  constexpr std::uint32_t spread = 1000;  // between the keys of the history lie those that make leaves split
  for (int round = 0; round < 400; ++round) {
    tree_type tree(res_);
    std::atomic<std::uint64_t> clock{0};
    std::vector<recorder> recorders(threads, recorder(tree.open(res_, 1000), clock));
    std::vector<std::uint64_t> seeds;
    for (std::size_t t = 0; t < threads; ++t) seeds.push_back(random_());
    run([&](std::size_t t) {
      std::mt19937_64 random(seeds[t]);
      for (std::uint32_t i = 0; i < 12; ++i) {
        const auto key = static_cast<std::uint32_t>(random() % 3) * spread;
        recorders[t].run(static_cast<key_operation>(random() % 4), key, static_cast<std::uint32_t>(100 * t + i));
        for (int k = 0; k < 5; ++k) recorders[t].fill(1 + static_cast<std::uint32_t>(random() % (3 * spread)) / 7 * 7);
      }
    });
    EXPECT_EQ(tree.check(res_), "");
    for (std::uint32_t key = 0; key < 3 * spread; key += spread) {
      std::vector<key_event> events;
      for (const recorder& thread : recorders) {
        for (const auto& [of, event] : thread.events) {
          if (of == key && events.size() < 31) events.push_back(event);
        }
      }
      if (events.size() == 31) continue;  // some may be missing
      ASSERT_TRUE(key_history(events).is_linearizable()) << "round " << round << ", key " << key;
    }
  }
}

TEST_F(blink_by_thread, histories_without_an_order_are_noticed) {
  const key_event inserted{key_operation::insert, 5, true, 1, 2};
  const key_event found{key_operation::find, 5, true, 3, 4};
  const key_event missed{key_operation::find, 5, false, 3, 6};
  const key_event erased{key_operation::erase, 0, true, 5, 6};
  EXPECT_TRUE(key_history({inserted, found, erased, missed}).is_linearizable());
  EXPECT_FALSE(key_history({inserted, missed}).is_linearizable());
  EXPECT_FALSE(key_history({inserted, erased, {key_operation::find, 5, true, 7, 8}}).is_linearizable());
  EXPECT_FALSE(key_history({inserted, {key_operation::find, 4, true, 3, 4}}).is_linearizable());
}

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

}  // namespace mangrove::test
