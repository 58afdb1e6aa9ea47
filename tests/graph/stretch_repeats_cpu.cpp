#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "mangrove/core/tile.hpp"
#include "stretch_repeats.hpp"
#include "support/random.hpp"

namespace mangrove::test {

namespace {

constexpr std::uint32_t most = 256;

/// Repeats among some keys.
class repeats_of {
 public:
  template <class Matters>
  repeats_of(const std::vector<std::uint64_t>& keys, Matters matters) {
    std::vector<std::uint32_t> places(most, ~std::uint32_t{0} / 3);  // any content will do
    found_->find(cpu_tile<512>(), keys.data(), static_cast<std::uint32_t>(keys.size()), matters, places.data());
  }
  [[nodiscard]] const detail::stretch_repeats<most>& get() const { return *found_; }

 private:
  std::unique_ptr<detail::stretch_repeats<most>> found_ = std::make_unique<detail::stretch_repeats<most>>();
};

/// Each key counts once.
void expect_once_each(const std::vector<std::uint64_t>& keys, const detail::stretch_repeats<most>& found) {
  std::multiset<std::uint64_t> counted;
  for (std::uint32_t k = 0; k < most; ++k) {
    if (found.counts(k)) counted.insert(keys[k]);
  }
  const std::set<std::uint64_t> distinct(keys.begin(), keys.end());
  EXPECT_EQ(std::vector<std::uint64_t>(counted.begin(), counted.end()),
            std::vector<std::uint64_t>(distinct.begin(), distinct.end()));
}

constexpr auto all_matter = [](std::uint32_t) { return true; };

}  // namespace

TEST(stretch_repeats, one_of_equal_keys_counts) {
  seeded_random random;
  for (const std::uint64_t range : {1U, 2U, 10U, 200U, 5000U, 1U << 30}) {
    std::vector<std::uint64_t> keys(most);
    for (std::uint64_t& key : keys) key = random.below(range) << 12;
    expect_once_each(keys, repeats_of(keys, all_matter).get());
    if (testing::Test::HasFailure()) FAIL() << "keys below " << range;
  }
}

TEST(stretch_repeats, neighbouring_keys_and_extreme_ones) {
  std::vector<std::uint64_t> keys(most);
  for (std::uint32_t k = 0; k < most; ++k) keys[k] = k < 200 ? k / 3 : ~std::uint64_t{0} - k % 2;
  expect_once_each(keys, repeats_of(keys, all_matter).get());
}

TEST(stretch_repeats, keys_that_do_not_matter_count_and_hide_no_other) {
  std::vector<std::uint64_t> keys(most);
  for (std::uint32_t k = 0; k < most; ++k) keys[k] = k % 8;
  const repeats_of repeats(keys, [](std::uint32_t k) { return k % 8 < 3; });
  for (std::uint32_t k = 0; k < most; ++k) {
    EXPECT_TRUE(k % 8 < 3 || repeats.get().counts(k)) << k;
  }
  EXPECT_EQ(repeats.get().count(0, most), most / 8 * 5 + 3);
}

TEST(stretch_repeats, count_counts_any_part) {
  seeded_random random;
  std::vector<std::uint64_t> keys(most);
  for (std::uint64_t& key : keys) key = random.below(90);
  const repeats_of repeats(keys, all_matter);
  for (std::uint32_t begin = 0; begin < most; begin += 5) {
    std::uint32_t expected = 0;
    for (std::uint32_t end = begin + 1; end <= most; ++end) {
      expected += repeats.get().counts(end - 1) ? 1 : 0;
      ASSERT_EQ(repeats.get().count(begin, end), expected) << begin << " to " << end;
    }
  }
}

}  // namespace mangrove::test
