#include "mangrove/core/detail/cut_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "support/random.hpp"

namespace mangrove::test {

using detail::class_counts;
using detail::cut_plan;
using detail::extent_cut;

/// Numbers of extents of a few classes, which lie below `classes`.
class_counts random_counts(seeded_random& random, std::uint32_t classes, std::uint32_t most) {
  class_counts counts{};
  for (int i = 0; i < 8; ++i) counts[random.below(classes)] += static_cast<std::uint32_t>(random.below(most + 1));
  return counts;
}

/// What a plan does to each extent that it cuts, and to each place behind a ring's tail.
class executed_plan {
 public:
  explicit executed_plan(const cut_plan& plan) {
    for (std::size_t i = 0; i < plan.cuts.size(); ++i) {
      const extent_cut& cut = plan.cuts[i];
      const std::uint64_t pieces = plan.offsets[i + 1] - plan.offsets[i];
      EXPECT_EQ(pieces % cut.pieces, 0U);
      for (std::uint32_t piece = 0; piece < pieces; ++piece) make(cut, piece);
    }
  }

  void check_against(const cut_plan& plan) const {
    std::uint64_t made = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) made += plan.made[c];
    ASSERT_EQ(plan.offsets.back(), made);
    ASSERT_EQ(targets_.size(), made) << "two pieces went to one place";
    for (const auto& [to, place] : targets_) ASSERT_LT(place, plan.made[to]);
    std::uint64_t used = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) used += plan.used[c];
    ASSERT_EQ(extents_.size(), used);
    for (const auto& [extent, pieces] : extents_) {
      ASSERT_LT(extent.second, plan.used[extent.first]);
      ASSERT_NO_FATAL_FAILURE(check_cover(extent.first, pieces));
    }
  }

 private:
  using pieces_by_offset = std::map<std::uint32_t, std::uint32_t>;  // granules

  void make(const extent_cut& cut, std::uint32_t piece) {
    const std::uint32_t granules = size_class_granules(cut.to);
    const std::uint32_t offset = cut.offset + piece % cut.pieces * granules;
    EXPECT_EQ(offset % size_class_alignment(cut.to), 0U);
    EXPECT_GE(size_class_alignment(cut.from), size_class_alignment(cut.to));
    extents_[{cut.from, cut.position + piece / cut.pieces}].emplace(offset, granules);
    targets_.emplace(cut.to, cut.target + piece);
  }

  static void check_cover(std::uint32_t size_class, const pieces_by_offset& pieces) {
    std::uint32_t end = 0;
    for (const auto& [offset, granules] : pieces) {
      ASSERT_EQ(offset, end) << "a gap or an overlap in an extent of " << size_class_granules(size_class);
      end += granules;
    }
    ASSERT_EQ(end, size_class_granules(size_class));
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, pieces_by_offset> extents_;  ///< by class and position
  std::set<std::pair<std::uint32_t, std::uint32_t>> targets_;                    ///< class and place
};

/// Nobody is short whom an extent that nobody wants could serve, and what is wanted is not cut.
void check_use(const class_counts& free, const class_counts& wanted, const cut_plan& plan) {
  for (std::uint32_t c = 0; c < size_classes; ++c) {
    const std::uint32_t spare = free[c] - std::min(free[c], wanted[c]);
    ASSERT_LE(plan.used[c], spare);
    if (free[c] + plan.made[c] >= wanted[c]) continue;
    for (std::uint32_t from = c + 1; from < size_classes; ++from) {
      if (size_class_alignment(from) < size_class_alignment(c)) continue;
      ASSERT_EQ(plan.used[from], free[from] - std::min(free[from], wanted[from]))
          << c << " is short, " << from << " not";
    }
  }
}

TEST(cut_plan, makes_what_is_short_from_what_is_to_spare) {
  seeded_random random;
  for (int round = 0; round < 2000; ++round) {
    const auto classes = static_cast<std::uint32_t>(2 + random.below(60));
    const class_counts free = random_counts(random, classes, static_cast<std::uint32_t>(random.below(30)));
    const class_counts wanted = random_counts(random, classes, static_cast<std::uint32_t>(random.below(200)));
    const cut_plan plan = detail::plan_cuts(free, wanted);
    const executed_plan executed(plan);
    ASSERT_NO_FATAL_FAILURE(executed.check_against(plan)) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(check_use(free, wanted, plan)) << "round " << round;
    ASSERT_EQ(detail::granules_of(plan.used), detail::granules_of(plan.made));
  }
}

TEST(cut_plan, cuts_no_more_than_is_short) {
  class_counts free{};
  class_counts wanted{};
  free[size_class_of(100)] = 10;
  wanted[2] = 70;  // an extent of 104 granules has room for 34, so the third gives two and stays as large as it can
  const cut_plan plan = detail::plan_cuts(free, wanted);
  EXPECT_EQ(plan.used[size_class_of(100)], 3U);
  EXPECT_EQ(plan.made[2], 70U);
  EXPECT_EQ(plan.made[size_class_of(96)], 1U);
  EXPECT_TRUE(detail::plan_cuts(free, free).cuts.empty());
  EXPECT_TRUE(detail::plan_cuts({}, wanted).cuts.empty());
}

}  // namespace mangrove::test
