#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bin_format.hpp"
#include "bin_order.hpp"
#include "support/random.hpp"

namespace mangrove::test {

namespace {

using detail::bin_counts;
using detail::bin_format;
using detail::bin_slots;
using detail::bin_spread;
using detail::limits_of;

/// At the borders between one quotient and the next, where one that is not exact would show.
void expect_exact_division(seeded_random& random, std::uint32_t by) {
  constexpr std::uint32_t limit = std::uint32_t{1} << 30;
  bin_format format{};
  format.set_divisor(by);
  for (int round = 0; round < 50; ++round) {
    const std::uint32_t quotient = static_cast<std::uint32_t>(random.below(limit)) / by;
    const std::uint32_t first = quotient * by;
    ASSERT_EQ(format.quotient(first), quotient) << by;
    ASSERT_EQ(format.quotient(std::min(first + by, limit) - 1), quotient) << by;
  }
}

TEST(bin_format, divides_exactly) {
  seeded_random random;
  for (std::uint32_t by = 1; by <= limits_of(bin_slots::by_number).vertices; ++by) expect_exact_division(random, by);
  for (int round = 0; round < 4000; ++round) {
    expect_exact_division(
        random, static_cast<std::uint32_t>(1 + random.below(2 * limits_of(bin_slots::by_rank_of_many).vertices)));
  }
}

TEST(bin_format, suits_no_more_vertices_than_it_can_divide) {
  constexpr std::size_t updates = 1 << 23;
  for (const bin_spread spread : {bin_spread::ranges, bin_spread::in_turn}) {
    EXPECT_TRUE(bin_format::for_batch((1U << 30) - 1, updates, 0, 3 * updates, spread).suits);
    EXPECT_FALSE(bin_format::for_batch(1U << 30, updates, 0, 3 * updates, spread).suits);
  }
}

TEST(bin_format, bins_are_for_neighbours) {
  const bin_format format = bin_format::for_batch(1 << 20, 1 << 20, 0, 3 << 20, bin_spread::ranges);
  ASSERT_TRUE(format.suits);
  for (std::uint32_t vertex = 0; vertex < 3 * format.vertices; ++vertex) {
    ASSERT_EQ(format.place_of(vertex).bin, vertex / format.vertices);
    ASSERT_EQ(format.place_of(vertex).local, vertex % format.vertices);
  }
}

/// Lines of neighbours go to one bin after the other.
TEST(bin_format, bins_take_lines_in_turn) {
  const bin_format format = bin_format::for_batch(1 << 20, 1 << 20, 0, 3 << 20, bin_spread::in_turn);
  ASSERT_TRUE(format.suits);
  const std::uint32_t line = 1U << format.line_bits;
  ASSERT_GE(line, 8U);
  for (std::uint32_t vertex = 0; vertex < line * format.bins; ++vertex) {
    ASSERT_EQ(format.place_of(vertex).bin, vertex / line);
    ASSERT_EQ(format.place_of(vertex).local, vertex % line);
  }
  EXPECT_EQ(format.place_of(line * format.bins).bin, 0U);
}

/// That keys say what they are of.
void expect_right_keys(seeded_random& random, const bin_format& format, std::uint32_t vertices, std::size_t positions) {
  const auto u = static_cast<std::uint32_t>(random.below(vertices));
  const auto v = static_cast<std::uint32_t>(random.below(vertices));
  const auto at = positions == 0 ? 0U : static_cast<std::uint32_t>(random.below(positions));
  const bin_format::place home = format.place_of(u);
  const std::uint64_t key = format.key(home.local, v, at);
  ASSERT_LT(home.bin, format.bins);
  ASSERT_LT(home.local, format.vertices);
  ASSERT_EQ(format.vertex({home.bin, format.local(key)}), u);
  ASSERT_EQ(format.target(key), v);
  ASSERT_EQ(format.sequence(key), at);
}

/// What a format that suits a batch promises.
void expect_right(seeded_random& random, const bin_format& format, std::uint32_t vertices, std::size_t updates,
                  std::size_t positions) {
  const std::uint64_t mean = updates * std::min(format.vertices, vertices) / vertices;
  ASSERT_LE(format.vertices, limits_of(format.way).vertices);
  ASSERT_LE(format.bins, bin_format::max_bins);
  ASSERT_LE(format.capacity, limits_of(format.way).keys);
  ASSERT_LE(std::uint64_t{format.capacity} * format.bins, 3 * updates);
  ASSERT_GE(format.capacity, mean + mean / 8);
  expect_right_keys(random, format, vertices, positions);
}

TEST(bin_format, bins_hold_all_vertices_and_keys_say_what_they_are_of) {
  seeded_random random;
  for (int round = 0; round < 3000; ++round) {
    const auto vertices = static_cast<std::uint32_t>(1 + random.below(std::uint64_t{1} << (8 + random.below(20))));
    const std::size_t updates = 1 + random.below(std::uint64_t{1} << (8 + random.below(15)));
    const std::size_t positions = random.below(2) == 0 ? 0 : updates;
    const bin_format format = bin_format::for_batch(vertices, updates, positions, 3 * updates,
                                                    random.below(2) == 0 ? bin_spread::ranges : bin_spread::in_turn);
    if (format.suits) expect_right(random, format, vertices, updates, positions);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(bin_format, bins_with_room_for_hubs_hold_all_vertices_and_keys_say_what_they_are_of) {
  seeded_random random;
  int suited = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto vertices = static_cast<std::uint32_t>(1 + random.below(std::uint64_t{1} << (8 + random.below(20))));
    const std::size_t updates = (1 << 15) + random.below(std::uint64_t{1} << (15 + random.below(9)));
    const std::size_t positions = random.below(2) == 0 ? 0 : updates;
    const std::size_t stretches = (updates + 16383) / 16384;
    const bin_format format = bin_format::for_hubs(vertices, updates, positions, stretches, updates);
    if (!format.suits) continue;
    ++suited;
    ASSERT_LE(format.vertices, most_vertices_of(format.kind));
    ASSERT_LE(format.bins, bin_format::max_bins);
    ASSERT_LE(format.bins * stretches, updates) << "what stretches have for bins finds no room";
    ASSERT_LE(format.line_bits, bin_format::most_line_bits_with_hubs);
    expect_right_keys(random, format, vertices, positions);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(suited, 1000);
}

/// They are as many as are worked on at a time, or a multiple, where that leaves them small enough.
TEST(bin_format, bins_with_room_for_hubs_fill_the_device) {
  for (const std::size_t updates : {std::size_t{1} << 20, std::size_t{1} << 22}) {
    const bin_format format = bin_format::for_hubs(1 << 20, updates, 0, (updates + 16383) / 16384, updates);
    ASSERT_TRUE(format.suits);
    EXPECT_EQ(format.bins % bin_counts::at_once, 0U) << updates;
  }
}

/// Where a batch with hubs has few updates for the vertices that there are, bins hold more of those, and are fewer.
TEST(bin_format, bins_with_room_for_hubs_hold_many_vertices_where_few_have_updates) {
  const auto bins_of = [](std::uint32_t vertices, std::size_t updates) {
    return bin_format::for_hubs(vertices, updates, 0, (updates + 16383) / 16384, updates);
  };
  const bin_format few = bins_of(1 << 22, 1 << 18);
  EXPECT_EQ(few.kind, detail::hub_bins::sparse);
  EXPECT_EQ(few.bins % bin_counts::at_once, 0U);
  EXPECT_GT(few.vertices, most_vertices_of(detail::hub_bins::dense));
  EXPECT_EQ(bins_of(1 << 22, 1 << 22).kind, detail::hub_bins::dense);
  EXPECT_EQ(bins_of(1 << 20, 1 << 20).kind, detail::hub_bins::dense);
  EXPECT_TRUE(bins_of(1 << 24, 1 << 20).suits) << "where bins of many keys would be too many";
}

/// Where a batch has few updates for the vertices that there are, these are ranked, in no more bins.
TEST(bin_format, few_updates_are_counted_by_rank) {
  const auto bins_of = [](std::uint32_t vertices, std::size_t updates) {
    return bin_format::for_batch(vertices, updates, 0, 3 * updates, bin_spread::ranges);
  };
  const bin_format few = bins_of(1 << 20, 1 << 18);
  const bin_format many = bins_of(1 << 23, 1 << 18);
  EXPECT_EQ(few.way, bin_slots::by_number);
  EXPECT_EQ(many.way, bin_slots::by_rank);
  EXPECT_NEAR(many.bins, few.bins, 2);
  EXPECT_EQ(bins_of(1 << 20, 1 << 17).way, bin_slots::by_number) << "for all bins are worked on at a time";
  EXPECT_EQ(bins_of(1 << 20, 1 << 17).bins, bin_counts::at_once);
  EXPECT_EQ(bins_of(1 << 22, 1 << 20).way, bin_slots::by_number);
  EXPECT_EQ(bins_of(1 << 23, 1 << 20).way, bin_slots::by_rank);
  EXPECT_EQ(bins_of(1 << 23, 1 << 20).bins, 2 * bin_counts::at_once);
  EXPECT_EQ(bins_of(1 << 27, 1 << 20).way, bin_slots::by_rank_of_many);
  EXPECT_TRUE(bins_of(1 << 27, 1 << 20).suits);
  EXPECT_EQ(bins_of((1U << 30) - 1, 1 << 23).capacity / 16 % 2, 1U) << "also where scratch limits it";
}

/// Where a batch needs about as many bins as are worked on at a time, it gets all of those.
TEST(bin_format, bins_fill_the_device) {
  constexpr std::uint32_t vertices = 1 << 20;
  EXPECT_EQ(bin_format::for_batch(vertices, 1 << 18, 0, 3 << 18, bin_spread::ranges).bins, bin_counts::at_once);
  EXPECT_NEAR(bin_format::for_batch(vertices, 1 << 20, 0, 3 << 20, bin_spread::ranges).bins, 2 * bin_counts::at_once,
              1);
}

}  // namespace

}  // namespace mangrove::test
