#pragma once

#include "blink_stress_bodies.hpp"
#include "run_at_once.hpp"
#include "support/environment.hpp"
#include "support/sanitizers.hpp"

/// @file
/// Long stress of B-link trees against an oracle that keeps up with a GPU. MANGROVE_TEST_ORDERED_OPERATIONS says how
/// many operations in all: 200000 unless it is set. A quarter as many keys, up to 2^25, take part.

namespace mangrove::test {

/// Rounds of updates, finds and ranges by tiles that all meet, then a batch of each kind. The oracle lies in the
/// backend's memory beside the tree; all answers, the winners of races and all contents are checked there.
template <class Types>
class blink_stress : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using value = typename Types::value;
  static constexpr int rounds = 10;

  blink_stress() {
    fill_bytes(res_, held_.data(), 0, keys_);
    fill_bytes(res_, book_.data(), 0, keys_);
  }

  /// Of 10 operations 7 are tiles', the others come in batches: one of each kind, and one of finds.
  void run() {
    for (int round = 0; round < rounds; ++round) {
      const std::size_t batch = operations_ / rounds * 3 / 40;
      ASSERT_NO_FATAL_FAILURE(run_tiles(operations_ / rounds - 4 * batch)) << "round " << round;
      for (const auto fate : {key_fate::is_inserted, key_fate::is_erased, key_fate::is_assigned}) {
        ASSERT_NO_FATAL_FAILURE(run_batch(fate, batch)) << "round " << round;
      }
      ASSERT_NO_FATAL_FAILURE(run_finds(batch)) << "round " << round;
      ASSERT_NO_FATAL_FAILURE(check_all()) << "round " << round;
    }
    this->RecordProperty("operations", std::to_string(operations_));
    this->RecordProperty("keys", std::to_string(keys_));
    this->RecordProperty("bytes_of_the_tree", std::to_string(tree_.bytes()));
  }

 private:
  round_plan next_plan(key_fate fate) {
    return {held_.data(), static_cast<std::uint32_t>(keys_), salt_++ % 256, random_(), fate};
  }

  void run_tiles(std::size_t count) {
    const round_plan plan = next_plan(key_fate::by_hash);
    clear_counts();
    run_at_once<8>(res_, count, stress_tree<Types>{tree_.open(res_, count), plan, book_.data(), counts_.data()});
    ASSERT_EQ(tree_.check(res_), "") << "open";
    tree_.settle(res_);
    close(plan);
  }

  void run_batch(key_fate fate, std::size_t count) {
    const round_plan plan = next_plan(fate);
    clear_counts();
    batch_arrays batch(res_, count);
    for_each_tile<1>(res_, count, make_stress_batch<Types>{plan, batch.keys.data(), batch.values.data()});
    std::size_t changed = 0;
    if (fate == key_fate::is_inserted) {
      changed = tree_.insert(res_, batch.keys.data(), batch.values.data(), count, batch.outcomes.data());
    } else if (fate == key_fate::is_assigned) {
      changed = tree_.insert_or_assign(res_, batch.keys.data(), batch.values.data(), count, batch.outcomes.data());
    } else {
      changed = tree_.erase(res_, batch.keys.data(), count, batch.outcomes.data());
    }
    for_each_tile<1>(res_, count, book_batch<key>{batch.keys.data(), batch.outcomes.data(), book_.data()});
    close(plan);
    ASSERT_EQ(changed, download(res_, counts_)[wins]);
  }

  void run_finds(std::size_t count) {
    clear_counts();
    batch_arrays batch(res_, count);
    for_each_tile<1>(res_, count,
                     make_stress_batch<Types>{next_plan(key_fate::is_read), batch.keys.data(), batch.values.data()});
    tree_.find(res_, batch.keys.data(), count, batch.values.data(), batch.outcomes.data());
    for_each_tile<1>(res_, count,
                     check_finds<Types>{held_.data(), batch.keys.data(), batch.values.data(), batch.outcomes.data(),
                                        counts_.data()});
    ASSERT_EQ(download(res_, counts_)[wrong_finds], 0U);
  }

  /// Ends a round: the oracle takes over what the updates came to.
  void close(const round_plan& plan) {
    for_each_tile<1>(res_, keys_, close_books{plan, held_.data(), book_.data(), counts_.data()});
    const auto counts = download(res_, counts_);
    EXPECT_EQ(counts[wrong_finds], 0U);
    EXPECT_EQ(counts[wrong_ranges], 0U);
    EXPECT_EQ(counts[refused], 0U);
    EXPECT_EQ(counts[wrong_wins], 0U) << "keys that none, or more than one, inserted or erased";
    ASSERT_EQ(tree_.size(), counts[present]);
  }

  /// The structure, and every key with its value.
  void check_all() {
    ASSERT_EQ(tree_.check(res_), "");
    clear_counts();
    buffer<B, key> keys(res_, tree_.size());
    buffer<B, value> values(res_, tree_.size());
    tree_.retrieve_all(res_, keys.data(), values.data());
    for_each_tile<1>(res_, tree_.size(),
                     check_contents<Types>{held_.data(), static_cast<std::uint32_t>(keys_), keys.data(), values.data(),
                                           counts_.data()});
    ASSERT_EQ(download(res_, counts_)[wrong_contents], 0U);
  }

  void clear_counts() { fill_bytes(res_, counts_.data(), 0, tallies); }

  struct batch_arrays {
    buffer<B, key> keys;
    buffer<B, value> values;
    buffer<B, std::uint8_t> outcomes;
    batch_arrays(const resources<B>& res, std::size_t count)
        : keys(res, count), values(res, count), outcomes(res, count) {}
  };

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
  std::size_t operations_ = environment_number("MANGROVE_TEST_ORDERED_OPERATIONS", 200000);
  std::size_t keys_ = std::clamp<std::size_t>(operations_ / 4, 1000, std::size_t{1} << 25);
  typename Types::container tree_ = Types::make(res_);
  buffer<B, held_word> held_{res_, keys_};
  buffer<B, std::uint32_t> book_{res_, keys_};
  buffer<B, std::uint32_t> counts_{res_, tallies};
  std::uint32_t salt_ = 0;
};

TYPED_TEST_SUITE_P(blink_stress);

TYPED_TEST_P(blink_stress, all_answers_fit_the_oracle) {
  this->run();
}

REGISTER_TYPED_TEST_SUITE_P(blink_stress, all_answers_fit_the_oracle);

template <backend B>
using blink_stress_types = types_to_test<types_kept(3, 2), blink_types<B, std::uint32_t, std::uint32_t>,
                                         blink_types<B, double, std::uint64_t>, blink_types<B, std::uint64_t, none>>;

}  // namespace mangrove::test
