#include "recent_ids.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "support/random.hpp"

namespace mangrove::test {

namespace {

using detail::recent_ids;

class recent_ids_test : public testing::Test {
 protected:
  static constexpr std::size_t buckets = 256;

  /// How often each id is let through.
  std::map<std::uint64_t, int> pass(const std::vector<std::uint64_t>& ids) {
    std::vector<std::uint64_t> memory(buckets * recent_ids::ways, ~std::uint64_t{0});
    const recent_ids filter(memory.data(), buckets);
    std::map<std::uint64_t, int> passed;
    for (const std::uint64_t id : ids) passed[id] += filter.lets_through(id) ? 1 : 0;
    return passed;
  }

  /// So many ids, most of them many times.
  std::vector<std::uint64_t> draw(std::size_t count, std::uint64_t different) {
    std::vector<std::uint64_t> ids(count);
    for (std::uint64_t& id : ids) id = random_.below(different) * 0x9e3779b97f4a7c15ULL;
    return ids;
  }

  seeded_random random_;
};

TEST_F(recent_ids_test, let_each_id_through_at_least_once) {
  for (const std::uint64_t different : {1, 100, 1000, 100'000}) {
    for (const auto& [id, times] : pass(draw(20'000, different))) ASSERT_GE(times, 1) << id;
  }
}

TEST_F(recent_ids_test, keep_most_repeats_back) {
  std::size_t passed = 0;
  for (const auto& [id, times] : pass(draw(50'000, 500))) passed += static_cast<std::size_t>(times);
  EXPECT_LT(passed, 5000U);
}

TEST_F(recent_ids_test, let_all_through_without_memory) {
  const recent_ids filter;
  EXPECT_TRUE(filter.lets_through(7));
  EXPECT_TRUE(filter.lets_through(7));
}

/// The memory looks as if this id had been everywhere.
TEST_F(recent_ids_test, let_the_largest_id_through) {
  EXPECT_EQ(pass({~std::uint64_t{0}, ~std::uint64_t{0}})[~std::uint64_t{0}], 2);
}

}  // namespace

}  // namespace mangrove::test
