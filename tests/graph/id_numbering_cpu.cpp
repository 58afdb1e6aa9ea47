#include "id_numbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "id_survey.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/for_each.hpp"
#include "support/random.hpp"

namespace mangrove::test {

namespace {

using detail::bucket_numbers;
using detail::id_places;
using detail::index_supply;

class id_numbering : public testing::Test {
 protected:
  static constexpr std::uint32_t no_free[1] = {};

  /// Puts ids into a table and numbers them. @return whether there was room
  bool number(const std::vector<std::uint64_t>& ids, std::size_t homes, const index_supply& indices) {
    memory_.assign(id_places::count_for(homes), id_places::empty);
    const id_places places(memory_.data(), homes);
    sources_.assign(ids.size(), 0);
    targets_.assign(ids.size(), 0);
    found_ = {};
    for_each_tile<1>(
        res_, ids.size(),
        detail::place_ids<std::uint64_t>{batch_of(ids), places, sources_.data(), targets_.data(), &found_});
    const std::size_t buckets = places.buckets() + std::size_t{1};
    std::vector<std::uint32_t> counts(buckets);
    std::vector<std::uint32_t> before(buckets + 1);
    for_each_tile<1>(res_, buckets, detail::count_places{places, counts.data(), &found_});
    if (found_.crowded != 0) return false;
    exclusive_scan(res_, counts.data(), before.data(), buckets);
    const std::uint32_t count = before[buckets];
    std::vector<bucket_numbers> numbers(buckets);
    new_ids_.assign(count, 0);
    new_indices_.assign(count, 0);
    by_index_.assign(indices.next + count, 0);
    for_each_tile<1>(
        res_, memory_.size(),
        detail::number_ids<std::uint64_t>{
            places, before.data(), numbers.data(), {indices, new_ids_.data(), new_indices_.data(), by_index_.data()}});
    for_each_tile<1>(
        res_, ids.size(),
        detail::read_indices<detail::numbered_places>{{numbers.data(), indices}, sources_.data(), targets_.data()});
    return true;
  }

  /// Each id leads to the last one.
  detail::id_updates<std::uint64_t> batch_of(const std::vector<std::uint64_t>& ids) {
    ends_.assign(ids.size(), ids.back());
    return {ids.data(), ends_.data(), nullptr, update_kind::insert, ids.size()};
  }

  /// Numbers ids and checks that they got indices in order of their hashes.
  void expect_numbered(const std::vector<std::uint64_t>& ids, std::size_t homes, const index_supply& indices) {
    ASSERT_TRUE(number(ids, homes, indices));
    const std::set<std::uint64_t> different(ids.begin(), ids.end());
    std::vector<std::uint64_t> ordered(different.begin(), different.end());
    std::sort(ordered.begin(), ordered.end(), [](std::uint64_t a, std::uint64_t b) { return mix(a) < mix(b); });
    ASSERT_EQ(new_ids_, ordered);
    for (std::uint32_t k = 0; k < new_ids_.size(); ++k) {
      ASSERT_EQ(new_indices_[k], indices[k]);
      ASSERT_EQ(by_index_[indices[k]], ordered[k]);
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ASSERT_EQ(by_index_[sources_[i]], ids[i]);
      ASSERT_EQ(by_index_[targets_[i]], ids.back());
    }
  }

  /// Ids whose hashes differ in low bits alone, and so belong into one bucket.
  static std::vector<std::uint64_t> neighbours(std::uint64_t hash, std::uint64_t count) {
    std::vector<std::uint64_t> ids;
    for (std::uint64_t k = 0; k < count; ++k) ids.push_back(unmix(hash + k * 0x1357 % 0x10000));
    return ids;
  }

  cpu_resources res_;
  seeded_random random_;
  detail::placed_ids found_{};
  std::vector<std::uint64_t> memory_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint32_t> sources_;
  std::vector<std::uint32_t> targets_;
  std::vector<std::uint64_t> new_ids_;
  std::vector<std::uint32_t> new_indices_;
  std::vector<std::uint64_t> by_index_;
};

TEST_F(id_numbering, goes_by_hashes_at_any_load) {
  for (const std::size_t homes : {600, 1000, 2000, 100'000}) {
    SCOPED_TRACE(homes);
    std::vector<std::uint64_t> ids;
    for (int k = 0; k < 9000; ++k) ids.push_back(random_.below(2000) * 1'000'003);
    ASSERT_NO_FATAL_FAILURE(expect_numbered(ids, homes, {no_free, 0, 0}));
  }
}

TEST_F(id_numbering, takes_free_indices_first) {
  const std::vector<std::uint32_t> free = {7, 3, 5, 0};
  std::vector<std::uint64_t> ids;
  for (std::uint64_t k = 0; k < 300; ++k) ids.push_back(k * k);
  expect_numbered(ids, 150, {free.data(), 4, 8});
  ASSERT_EQ(new_indices_.size(), 300);
  const std::vector<std::uint32_t> first(new_indices_.begin(), new_indices_.begin() + 6);
  EXPECT_EQ(first, (std::vector<std::uint32_t>{0, 5, 3, 7, 8, 9}));
}

TEST_F(id_numbering, holds_ids_that_look_like_empty_places) {
  expect_numbered({unmix(id_places::empty), 5, unmix(id_places::empty - 1), 5, unmix(id_places::empty), 0}, 3,
                  {no_free, 0, 0});
}

/// Ids of one bucket, of the one behind it and of the last one, which run over.
TEST_F(id_numbering, goes_by_hashes_in_a_crowd) {
  constexpr std::size_t homes = 64;
  std::vector<std::uint64_t> ids = neighbours(std::uint64_t{1} << 63, 60);
  for (const std::uint64_t id : neighbours((std::uint64_t{1} << 63) + (std::uint64_t{1} << 58), 40)) ids.push_back(id);
  for (const std::uint64_t id : neighbours(~std::uint64_t{0} - 0x20000, 50)) ids.push_back(id);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = ids.size() - 1; i > 0; --i) std::swap(ids[i], ids[random_.below(i + 1)]);
    ASSERT_NO_FATAL_FAILURE(expect_numbered(ids, homes, {no_free, 0, 0}));
  }
}

TEST_F(id_numbering, gives_up_where_too_many_belong_together) {
  EXPECT_FALSE(number(neighbours(std::uint64_t{1} << 63, 31 * 4), 64, {no_free, 0, 0}));
  EXPECT_TRUE(number(neighbours(std::uint64_t{1} << 63, 31 * 4 - 1), 64, {no_free, 0, 0}));
}

TEST_F(id_numbering, foresees_how_many_ids_differ) {
  constexpr double share = 8;  // so many ids to each that is counted, of 800'000 ends
  for (const std::size_t different : {1, 30, 1000, 60'000, 400'000}) {
    SCOPED_TRACE(different);
    std::vector<std::uint64_t> ids(400'000);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = (i < different ? i : random_.below(different)) * 77'777;
    const std::size_t foreseen = detail::survey_ids<cpu>(res_, batch_of(ids)).different;
    EXPECT_GE(foreseen, different);
    const double sampled = static_cast<double>(different) / share;
    EXPECT_LE(static_cast<double>(foreseen), share * (1.01 * sampled + 9 * std::sqrt(sampled) + 20));
  }
}

TEST_F(id_numbering, tells_hashes_from_ids_in_an_order) {
  const auto is_spread = [&](auto id) {
    std::vector<std::uint64_t> ids(200'000);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = id(i);
    return detail::survey_ids<cpu>(res_, batch_of(ids)).spread;
  };
  EXPECT_TRUE(is_spread([](std::uint64_t i) { return mix(i); }));
  EXPECT_TRUE(is_spread([](std::uint64_t i) { return mix(i % 3000); }));
  EXPECT_FALSE(is_spread([](std::uint64_t i) { return i; }));
  EXPECT_FALSE(is_spread([](std::uint64_t i) { return i * 1'000'003; }));
  EXPECT_FALSE(is_spread([](std::uint64_t i) { return i % 40 << 58 | i; })) << "sequences under some tags";
  EXPECT_FALSE(is_spread([](std::uint64_t i) { return mix(i) >> 1; })) << "half of the values";
}

TEST_F(id_numbering, sees_self_loops) {
  std::vector<std::uint64_t> ids(10'000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
  for (const std::size_t loop : {0, 511, 512, 5000, 9999}) {
    detail::id_updates<std::uint64_t> batch = batch_of(ids);
    ends_.back() = 0;
    EXPECT_FALSE(detail::survey_ids<cpu>(res_, batch).loops);
    ends_[loop] = loop;
    EXPECT_TRUE(detail::survey_ids<cpu>(res_, batch).loops) << loop;
  }
}

}  // namespace

}  // namespace mangrove::test
