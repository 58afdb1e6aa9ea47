#include "layout_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

/// @file
/// When an extent stays: `keeps_extent`, which has hardly a branch, against `choose` and against what both are to mean.

namespace mangrove::test {

namespace {

using detail::adjacency_kind;
using detail::vertex_entry;

template <class Bits>
class layout_choices : public testing::Test {
 protected:
  using layout = detail::entry_layout<Bits>;
  using policy = detail::layout_policy<Bits>;

  /// Calls `f(degree, erased)` for degrees beyond the inline capacity up to what `slots` could ever be kept for.
  template <class F>
  static void for_degrees(std::uint32_t slots, F f) {
    for (std::uint32_t degree = layout::inline_capacity + 1; degree <= 2 * slots + 2; ++degree) {
      for (const std::uint32_t erased : {0U, 1U, slots / 8, slots / 4, slots / 4 + 1}) f(degree, erased);
    }
  }

  static void expect_alike(const policy& rules, const vertex_entry& old, std::uint32_t degree, std::uint32_t erased) {
    EXPECT_EQ(rules.keeps_extent(old, degree, erased), rules.choose(old, degree, erased).same_extent)
        << "degree " << old.degree << " becomes " << degree << " with " << erased << " erased, in " << old.granules()
        << " granules";
  }
};

using bits_types = testing::Types<none, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(layout_choices, bits_types);

TYPED_TEST(layout_choices, arrays_stay_while_they_fit_and_fill_half) {
  using fixture = layout_choices<TypeParam>;
  using layout = typename fixture::layout;
  for (const std::uint32_t tree_from : {no_degree, 20U}) {
    const typename fixture::policy rules({adjacency_policy::by_degree, tree_from});
    for (std::uint32_t granules = 1; granules <= granules_per_slab; ++granules) {
      const std::uint32_t slots = layout::array_slots(granules);
      const auto old = vertex_entry::make(layout::inline_capacity + 1, adjacency_kind::array, 7, granules);
      fixture::for_degrees(slots, [&](std::uint32_t degree, std::uint32_t erased) {
        fixture::expect_alike(rules, old, degree, erased);
        std::uint32_t least = 1;
        while (layout::array_slots(least) < degree) ++least;
        const bool stays = least <= granules && granules <= 2 * least && degree < tree_from;
        EXPECT_EQ(rules.keeps_extent(old, degree, erased), stays) << granules << " granules, degree " << degree;
      });
    }
  }
}

TYPED_TEST(layout_choices, tables_stay_while_neither_full_nor_empty_nor_full_of_tombstones) {
  using fixture = layout_choices<TypeParam>;
  using layout = typename fixture::layout;
  for (const adjacency_policy policy : {adjacency_policy::by_degree, adjacency_policy::hash}) {
    for (const std::uint32_t tree_from : {no_degree, 100U}) {
      const typename fixture::policy rules({policy, tree_from});
      for (const std::uint32_t slabs : {1U, 2U, 3U, 9U}) {
        const std::uint32_t slots = slabs * layout::table::slots;
        for (const std::uint32_t tombstones : {0U, 1U, slots / 8, slots / 4, slots / 2}) {
          auto old = vertex_entry::make(slots / 2 + layout::inline_capacity, adjacency_kind::hash, 7,
                                        slabs * granules_per_slab);
          old.words[2] = tombstones;
          fixture::for_degrees(slots, [&](std::uint32_t degree, std::uint32_t erased) {
            fixture::expect_alike(rules, old, degree, erased);
            const bool crowded = degree * 100ULL > slots * 88ULL || (tombstones + erased) * 100ULL > slots * 25ULL;
            const bool sparse = degree * 100ULL < slots * 30ULL && slabs > 1;
            const bool suits_array = policy == adjacency_policy::by_degree && degree <= layout::table::slots / 2;
            EXPECT_EQ(rules.keeps_extent(old, degree, erased),
                      !crowded && !sparse && !suits_array && degree < tree_from)
                << "degree " << degree;
          });
        }
      }
    }
  }
}

TYPED_TEST(layout_choices, tables_that_grow_have_room_for_some_batches_more) {
  using fixture = layout_choices<TypeParam>;
  using layout = typename fixture::layout;
  const typename fixture::policy rules({adjacency_policy::hash});
  constexpr std::uint64_t slab_slots = layout::table::slots;
  const auto slots_after = [&](std::uint32_t before, std::uint32_t grown, adjacency_kind was) {
    const auto old = vertex_entry::make(before, was, 7, granules_per_slab);  // too small
    return rules.choose(old, before + grown, 0).granules / granules_per_slab * slab_slots;
  };
  std::uint32_t fewest_batches = 100;
  std::uint32_t most_batches = 0;
  for (std::uint32_t before = 1000; before < 1100; ++before) {
    for (const std::uint32_t grown : {40U, 200U, 500U, 1000U}) {
      const std::uint64_t slots = slots_after(before, grown, adjacency_kind::hash);
      const std::uint64_t degree = before + grown;
      EXPECT_LE(degree * 100, slots * 65) << "at least a third is free";
      EXPECT_GE(degree * 100 * 9 / 8, slots * 44) << "never more than twice as many fit, by sizes of extents";
      if (grown != 200) continue;
      const auto batches = static_cast<std::uint32_t>((slots * 88 / 100 - degree) / grown);
      fewest_batches = std::min(fewest_batches, batches);
      most_batches = std::max(most_batches, batches);
    }
    const std::uint64_t of_array = slots_after(before, 1000, adjacency_kind::array);
    EXPECT_LE(of_array, 2 * slots_after(before, 1000, adjacency_kind::inlined));
    EXPECT_GE(of_array * 88, (before + 1000 + 750) * 100ULL) << "an array that becomes a table grows as well";
    const std::uint64_t leapt = slots_after(before, 4 * before + 5, adjacency_kind::hash);
    EXPECT_GE((5 * before + 5) * 100ULL * 9 / 8, leapt * 65) << "a leap tells nothing of what comes";
  }
  EXPECT_LE(fewest_batches, 2U);
  EXPECT_GE(most_batches, 3U) << "tables that were made together are outgrown together";
}

TYPED_TEST(layout_choices, tables_that_grow_slowly_have_room_for_more_than_half_as_much_again) {
  using fixture = layout_choices<TypeParam>;
  using layout = typename fixture::layout;
  const typename fixture::policy rules({adjacency_policy::hash});
  const auto slots_after = [&](std::uint32_t before, std::uint32_t grown) {
    const auto old = vertex_entry::make(before, adjacency_kind::hash, 7, granules_per_slab);  // too small
    return std::uint64_t{rules.choose(old, before + grown, 0).granules / granules_per_slab} * layout::table::slots;
  };
  for (std::uint32_t degree = 1600; degree < 1700; ++degree) {
    const std::uint64_t slots = slots_after(degree - degree / 16, degree / 16);
    EXPECT_LE(degree * 100, slots * 45) << degree;
    EXPECT_GE(degree * 100 * 9 / 8, slots * 44) << "which shrinking, below 30 %, is far from, by sizes of extents";
    const std::uint64_t faster = slots_after(degree - degree / 16 - 1, degree / 16 + 1);
    EXPECT_GE(degree * 100 * 9 / 8, faster * 65) << "no more than others have, by sizes of extents: " << degree;
  }
}

}  // namespace

}  // namespace mangrove::test
