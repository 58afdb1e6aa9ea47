#include "mangrove/core/hash.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/random.hpp"

namespace mangrove::test {

/// How often each output bit changes with an input bit, over random inputs: the one farthest from a half.
template <class T>
double worst_avalanche(seeded_random& random) {
  constexpr int bits = 8 * sizeof(T);
  constexpr int samples = 4000;
  std::vector<int> changed(bits * bits);
  for (int sample = 0; sample < samples; ++sample) {
    const auto x = static_cast<T>(random());
    for (int in = 0; in < bits; ++in) {
      const T difference = mix(x) ^ mix(static_cast<T>(x ^ (T{1} << in)));
      for (int out = 0; out < bits; ++out) changed[in * bits + out] += static_cast<int>(difference >> out & 1);
    }
  }
  double worst = 0;
  for (const int count : changed) worst = std::max(worst, std::abs(static_cast<double>(count) / samples - 0.5));
  return worst;
}

TEST(hash, every_input_bit_changes_half_of_the_output) {
  seeded_random random;
  EXPECT_LT(worst_avalanche<std::uint32_t>(random), 0.06);
  EXPECT_LT(worst_avalanche<std::uint64_t>(random), 0.06);
}

TEST(hash, reduce_range_spreads_dense_keys_evenly) {
  for (const std::uint32_t range : {1U, 2U, 7U, 1000U}) {
    std::vector<int> hits(range);
    for (std::uint32_t key = 0; key < 100 * range; ++key) {
      const std::uint32_t to = reduce_range(mix(key), range);
      ASSERT_LT(to, range);
      ++hits[to];
    }
    for (const int count : hits) EXPECT_NEAR(count, 100, 55);  // five and a half standard deviations
  }
  EXPECT_EQ(reduce_range(~0U, ~0U), ~0U - 1);
}

TEST(hash, of_64_bits_can_be_undone) {
  seeded_random random;
  for (int k = 0; k < 1000; ++k) {
    const std::uint64_t x = random();
    ASSERT_EQ(unmix(mix(x)), x);
  }
  EXPECT_EQ(unmix(mix(~std::uint64_t{0})), ~std::uint64_t{0});
}

}  // namespace mangrove::test
