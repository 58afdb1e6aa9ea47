#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "bin_format.hpp"
#include "support/random.hpp"

namespace mangrove::test {

namespace {

using detail::bin_format;

TEST(bin_format, divides_exactly) {
  seeded_random random;
  constexpr std::uint32_t limit = std::uint32_t{1} << 30;
  for (std::uint32_t vertices = 1; vertices <= bin_format::max_vertices; ++vertices) {
    bin_format format{};
    format.set_vertices(vertices);
    for (int round = 0; round < 50; ++round) {
      const std::uint32_t bin = static_cast<std::uint32_t>(random.below(limit)) / vertices;
      const std::uint32_t first = bin * vertices;
      ASSERT_EQ(format.bin(first), bin) << vertices;
      ASSERT_EQ(format.bin(std::min(first + vertices, limit) - 1), bin) << vertices;
      ASSERT_EQ(format.first_vertex(bin), first);
    }
  }
}

TEST(bin_format, bins_hold_all_vertices_and_keys_say_what_they_are_of) {
  seeded_random random;
  for (int round = 0; round < 2000; ++round) {
    const auto vertices = static_cast<std::uint32_t>(1 + random.below(std::uint64_t{1} << (8 + random.below(17))));
    const std::size_t updates = 1 + random.below(std::uint64_t{1} << (8 + random.below(15)));
    const std::size_t positions = random.below(2) == 0 ? 0 : updates;
    const bin_format format = bin_format::for_batch(vertices, updates, positions, 3 * updates);
    if (format.bins == 0) continue;
    ASSERT_LE(format.vertices, bin_format::max_vertices);
    ASSERT_LE(format.bins, bin_format::max_bins);
    ASSERT_LE(format.capacity, bin_format::max_keys);
    ASSERT_GE(format.capacity, format.mean_keys + format.mean_keys / 8);
    ASSERT_EQ(format.bin(vertices - 1), format.bins - 1);
    const auto u = static_cast<std::uint32_t>(random.below(vertices));
    const auto v = static_cast<std::uint32_t>(random.below(vertices));
    const auto at = positions == 0 ? 0U : static_cast<std::uint32_t>(random.below(positions));
    const std::uint64_t key = format.key(u, v, at);
    ASSERT_EQ(format.first_vertex(format.bin(u)) + format.local(key), u);
    ASSERT_LT(format.local(key), format.vertices);
    ASSERT_EQ(format.target(key), v);
    ASSERT_EQ(format.sequence(key), at);
  }
}

/// Where a batch needs about as many bins as are worked on at a time, it gets all of those.
TEST(bin_format, bins_fill_the_device) {
  constexpr std::uint32_t vertices = 1 << 20;
  EXPECT_EQ(bin_format::for_batch(vertices, 1 << 18, 0, 3 << 18).bins, bin_format::at_once);
  EXPECT_NEAR(bin_format::for_batch(vertices, 1 << 20, 0, 3 << 20).bins, 2 * bin_format::at_once, 1);
}

}  // namespace

}  // namespace mangrove::test
