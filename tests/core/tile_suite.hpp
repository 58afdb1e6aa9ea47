#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/shared_items.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

namespace mangrove::test {

/// What one tile reports about its members' results.
struct tile_report {
  std::uint32_t match32, match16, match10;
  std::uint32_t match_first;
  std::uint32_t strided_sum, briefly_sum;
  std::uint32_t elected;
  std::uint32_t elections;
  std::uint32_t from_first;
  std::uint32_t from_last;
  std::uint32_t solo_match;
  std::uint32_t lanes_that_agree;
};

/// Calls all members for operation i, whose bits are `words[i]` and whose count is `i % 33`.
struct exercise_tile {
  const std::uint32_t* words;
  tile_report* reports;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t word = words[i];
    const auto count = static_cast<std::uint32_t>(i % 33);
    tile_report& report = reports[i];
    tile_report mine{};
    mine.match32 = tile.template match<32>([=](int slot) { return (word >> slot & 1) != 0; });
    mine.match16 = tile.template match<16>([=](int slot) { return (word >> slot & 1) != 0; });
    mine.match10 = tile.template match<10>([=](int slot) { return (word >> slot & 1) != 0; });
    mine.match_first = tile.match_first(count, [=](std::uint32_t slot) { return (word >> (slot % 32) & 1) != 0; });
    std::uint32_t partial = 0;
    tile.strided(count, [&](std::size_t j) { partial += static_cast<std::uint32_t>(j) + 1; });
    mine.strided_sum = tile.sum(partial);
    partial = 0;
    tile.strided_briefly(count, [&](std::size_t j) { partial += static_cast<std::uint32_t>(j) + 1; });
    mine.briefly_sum = tile.sum(partial);
    mine.elected = tile.elect([&] {
      fetch_add(&report.elections, 1U);
      return word + 1;
    });
    tile.elect([&] { fetch_add(&report.elections, 1U); });
    const auto own = static_cast<std::uint64_t>(tile.lane()) << 40;
    mine.from_first = static_cast<std::uint32_t>(tile.broadcast(own, 0) >> 40);
    mine.from_last = static_cast<std::uint32_t>(tile.broadcast(own, tile.size() - 1) >> 40);
    mine.solo_match = tile.solo().template match<32>([=](int slot) { return (word >> slot & 1) != 0; });
    const bool agrees = tile.sum(mine.match32 % 1024) == (mine.match32 % 1024) * tile.sum(1U) &&
                        tile.sum(mine.elected % 1024) == (mine.elected % 1024) * tile.sum(1U);
    fetch_add(&report.lanes_that_agree, std::uint32_t{agrees});
    tile.sync();
    if (tile.lane() != 0) return;
    mine.elections = report.elections;
    mine.lanes_that_agree = 0;
    report.match32 = mine.match32;
    report.match16 = mine.match16;
    report.match10 = mine.match10;
    report.match_first = mine.match_first;
    report.strided_sum = mine.strided_sum;
    report.briefly_sum = mine.briefly_sum;
    report.elected = mine.elected;
    report.from_first = mine.from_first;
    report.from_last = mine.from_last;
    report.solo_match = mine.solo_match;
  }
};

/// Each lane of a warp has one of a few values and counts or not; those that are the first with theirs are noted, and
/// how many count before each.
struct find_first_of_equals {
  const std::uint32_t* counting;  ///< a bit for each lane
  std::uint32_t* first;
  std::uint32_t* before;  ///< [dim = operations, 32]

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto lane = static_cast<std::uint32_t>(tile.lane());
    const bool is_first = tile.is_first_of_equals(value(i, lane), (counting[i] >> lane & 1) != 0);
    if (is_first) fetch_add(first + i, std::uint32_t{1} << lane);
    before[32 * i + lane] = tile.equals_before(value(i, lane), (counting[i] >> lane & 1) != 0);
  }

  MANGROVE_HOST_DEVICE static std::uint64_t value(std::size_t i, std::uint32_t lane) {
    return std::uint64_t{lane * 2654435761U} % (1 + i % 9) << 33;
  }
  static std::uint32_t expected(std::size_t i, std::uint32_t counting, std::uint32_t lanes) {
    std::uint32_t first = 0;
    std::set<std::uint64_t> seen;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if ((counting >> lane & 1) != 0 && seen.insert(value(i, lane)).second) first |= std::uint32_t{1} << lane;
    }
    return first;
  }
  static std::uint32_t expected_before(std::size_t i, std::uint32_t counting, std::uint32_t lane) {
    std::uint32_t equals = 0;
    for (std::uint32_t k = 0; k < lane; ++k)
      equals += (counting >> k & 1) != 0 && value(i, k) == value(i, lane) ? 1 : 0;
    return equals;
  }
};

/// Lanes that have some things each share them all, and note who got whose.
struct share_all {
  static constexpr std::uint32_t most = 40;  ///< things of a lane

  const std::uint32_t* counts;  ///< [dim = operations, 32]
  std::uint32_t* visits;        ///< [dim = operations, 32, most]
  std::uint32_t* mistaken;      ///< lanes that their owner does not know of

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t* const of_lanes = counts + 32 * i;
    const shared_items shared(tile, of_lanes[tile.lane()]);
    for (std::uint32_t round = 0; round < shared.all(); round += shared.in_round) {
      const auto item = shared.mine(round);
      const std::uint32_t with_owner = tile.broadcast(shared.lanes_with_own(round), item.owner);
      if (!item.is_there) continue;
      if ((with_owner >> tile.lane() & 1) == 0) fetch_add(mistaken, 1U);
      fetch_add(visits + (32 * i + static_cast<std::uint32_t>(item.owner)) * most + item.k, 1U);
    }
  }
};

struct count_visits {
  std::uint32_t* visits;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (tile.lane() == 0) fetch_add(visits + i, 1U);
  }
};

template <class B>
class tiles : public testing::Test {
 protected:
  template <int Width>
  void check_members() {
    std::vector<std::uint32_t> words{0, ~0U, 1, 1U << 31};
    while (words.size() < 500) words.push_back(static_cast<std::uint32_t>(random_()));
    const auto device_words = upload(res_, words);
    buffer<B, tile_report> reports(res_, words.size());
    fill_bytes(res_, reports.data(), 0, words.size());
    for_each_tile<Width>(res_, words.size(), exercise_tile{device_words.data(), reports.data()});
    const std::vector<tile_report> got = download(res_, reports);
    for (std::size_t i = 0; i < words.size(); ++i) {
      ASSERT_NO_FATAL_FAILURE(check_report<Width>(words[i], static_cast<std::uint32_t>(i % 33), got[i]))
          << "width " << Width << ", operation " << i;
    }
  }

  template <int Width>
  static void check_report(std::uint32_t word, std::uint32_t count, const tile_report& got) {
    constexpr std::uint32_t lanes = std::same_as<B, cpu> ? 1 : Width;
    const std::uint32_t first = count == 32 ? ~0U : (1U << count) - 1;
    ASSERT_EQ(got.match32, word);
    ASSERT_EQ(got.match16, word & 0xffff);
    ASSERT_EQ(got.match10, word & 0x3ff);
    ASSERT_EQ(got.match_first, word & first);
    ASSERT_EQ(got.strided_sum, count * (count + 1) / 2);
    ASSERT_EQ(got.briefly_sum, count * (count + 1) / 2);
    ASSERT_EQ(got.elected, word + 1);
    ASSERT_EQ(got.elections, 2U);
    ASSERT_EQ(got.from_first, 0U);
    ASSERT_EQ(got.from_last, lanes - 1);
    ASSERT_EQ(got.solo_match, word);
    ASSERT_EQ(got.lanes_that_agree, lanes);
  }

  void check_visits(const buffer<B, std::uint32_t>& visits) {
    for (const std::uint32_t n : download(res_, visits)) ASSERT_EQ(n, 1U);
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(tiles);

TYPED_TEST_P(tiles, members_give_what_they_promise) {
  this->template check_members<1>();
  this->template check_members<2>();
  this->template check_members<4>();
  this->template check_members<8>();
  this->template check_members<16>();
  this->template check_members<32>();
}

TYPED_TEST_P(tiles, each_operation_runs_once) {
  for (const std::size_t count : {0, 1, 2, 100, 1024, 1025, 70000}) {
    buffer<TypeParam, std::uint32_t> visits(this->res_, count);
    fill_bytes(this->res_, visits.data(), 0, count);
    for_each_tile<1>(this->res_, count, count_visits{visits.data()});
    this->check_visits(visits);
    fill_bytes(this->res_, visits.data(), 0, count);
    for_each_tile<32>(this->res_, count, count_visits{visits.data()});
    this->check_visits(visits);
    fill_bytes(this->res_, visits.data(), 0, count);
    for_each_task<8>(this->res_, count, count_visits{visits.data()});
    this->check_visits(visits);
  }
}

TYPED_TEST_P(tiles, lanes_know_whether_they_are_the_first_with_a_value) {
  constexpr std::uint32_t lanes = std::same_as<TypeParam, cpu> ? 1 : 32;
  std::vector<std::uint32_t> counting{0, ~0U, 1, 1U << 31};
  while (counting.size() < 300) counting.push_back(static_cast<std::uint32_t>(this->random_()));
  const auto device_counting = upload(this->res_, counting);
  buffer<TypeParam, std::uint32_t> first(this->res_, counting.size());
  fill_bytes(this->res_, first.data(), 0, counting.size());
  buffer<TypeParam, std::uint32_t> before(this->res_, 32 * counting.size());
  for_each_tile<32>(this->res_, counting.size(),
                    find_first_of_equals{device_counting.data(), first.data(), before.data()});
  const std::vector<std::uint32_t> got = download(this->res_, first);
  const std::vector<std::uint32_t> got_before = download(this->res_, before);
  for (std::size_t i = 0; i < counting.size(); ++i) {
    EXPECT_EQ(got[i], find_first_of_equals::expected(i, counting[i], lanes)) << "operation " << i;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      EXPECT_EQ(got_before[32 * i + lane], find_first_of_equals::expected_before(i, counting[i], lane))
          << "lane " << lane << " of operation " << i;
    }
  }
}

TYPED_TEST_P(tiles, lanes_share_all_that_each_of_them_has) {
  constexpr std::size_t operations = 200;
  constexpr std::uint32_t lanes = std::same_as<TypeParam, cpu> ? 1 : 32;
  std::vector<std::uint32_t> counts(operations * 32);
  for (std::size_t i = 0; i < operations; ++i) {
    const auto owners = static_cast<std::uint32_t>(this->random_() % (lanes + 1));  // others have nothing
    const auto most = static_cast<std::uint32_t>(1 + this->random_() % share_all::most);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      if (this->random_() % lanes >= owners) continue;
      counts[32 * i + lane] = 1 + static_cast<std::uint32_t>(this->random_() % most);
    }
  }
  const auto device_counts = upload(this->res_, counts);
  auto visits = upload(this->res_, std::vector<std::uint32_t>(counts.size() * share_all::most));
  auto mistaken = upload(this->res_, std::vector<std::uint32_t>(1));
  for_each_tile<32>(this->res_, operations, share_all{device_counts.data(), visits.data(), mistaken.data()});
  const std::vector<std::uint32_t> got = download(this->res_, visits);
  for (std::size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(got[k], k % share_all::most < counts[k / share_all::most] ? 1U : 0U) << "thing " << k;
  }
  EXPECT_EQ(download(this->res_, mistaken).front(), 0U);
}

REGISTER_TYPED_TEST_SUITE_P(tiles, members_give_what_they_promise, each_operation_runs_once,
                            lanes_know_whether_they_are_the_first_with_a_value, lanes_share_all_that_each_of_them_has);

}  // namespace mangrove::test
