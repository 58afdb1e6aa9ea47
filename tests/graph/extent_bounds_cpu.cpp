#include "extent_bounds.hpp"

#include <gtest/gtest.h>

#include <cstdint>

/// @file
/// Bounds of degrees, which a thread of the CPU looks up, against the policy that they stand for.

namespace mangrove::test {

namespace {

using detail::adjacency_kind;
using detail::vertex_entry;

template <class Bits>
class extent_bounds : public testing::Test {
 protected:
  using layout = detail::entry_layout<Bits>;
  using policy = detail::layout_policy<Bits>;
  static constexpr std::uint32_t most_added = 2 * policy::largest_array;

  /// Calls `f(rules, bounds)` for policies of all sorts.
  template <class F>
  static void for_policies(F f) {
    for (const auto kept : {adjacency_policy::by_degree, adjacency_policy::hash, adjacency_policy::tree}) {
      for (const std::uint32_t tree_from : {no_degree, 20U, 5U, 0U}) {
        const policy rules({kept, tree_from});
        f(rules, detail::extent_bounds<Bits>(rules));
      }
    }
  }

  /// Calls `f(entry, granules)` for neighbours in entries, and in arrays of all sizes.
  template <class F>
  static void for_entries(F f) {
    for (std::uint32_t degree = 0; degree <= layout::inline_capacity; ++degree) {
      f(vertex_entry{degree, {5, ~std::uint32_t{0}, 7}}, 0U);  // of which none says what an extent is
    }
    for (std::uint32_t granules = 1; granules <= granules_per_slab; ++granules) {
      for (std::uint32_t degree = layout::inline_capacity + 1; degree <= layout::array_slots(granules); ++degree) {
        f(vertex_entry::make(degree, adjacency_kind::array, 7, granules), granules);
      }
    }
  }
};

using bits_types = testing::Types<none, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(extent_bounds, bits_types);

TYPED_TEST(extent_bounds, say_what_stays_as_the_policy_does) {
  TestFixture::for_policies([](const auto& rules, const auto& bounds) {
    TestFixture::for_entries([&](const vertex_entry& old, std::uint32_t granules) {
      ASSERT_EQ(bounds.granules_of(old), granules);
      for (std::uint32_t added = 0; added < TestFixture::most_added; ++added) {
        EXPECT_EQ(bounds.suit(granules, old.degree + added), rules.fits_in_place(old, added, 0))
            << granules << " granules, degree " << old.degree << " and " << added << " more";
      }
    });
  });
}

TYPED_TEST(extent_bounds, choose_other_arrays_as_the_policy_does) {
  TestFixture::for_policies([](const auto& rules, const auto& bounds) {
    TestFixture::for_entries([&](const vertex_entry& old, std::uint32_t) {
      for (std::uint32_t added = 0; added < TestFixture::most_added; ++added) {
        if (rules.fits_in_place(old, added, 0)) continue;
        const auto expected = rules.choose(old, old.degree + added, 0);
        const auto chosen = bounds.other_array(old.degree + added);
        ASSERT_EQ(chosen.kind == adjacency_kind::array, expected.kind == adjacency_kind::array);
        if (chosen.kind == adjacency_kind::array) {
          EXPECT_EQ(chosen.granules, expected.granules);
        }
      }
    });
  });
}

TYPED_TEST(extent_bounds, take_no_table_or_tree_for_an_array) {
  for (const adjacency_kind kind : {adjacency_kind::hash, adjacency_kind::tree}) {
    const auto entry = vertex_entry::make(100, kind, 7, granules_per_slab);
    EXPECT_GT(detail::extent_bounds<TypeParam>::granules_of(entry), granules_per_slab);
  }
}

}  // namespace

}  // namespace mangrove::test
