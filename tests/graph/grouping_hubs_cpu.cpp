#include "mangrove/core/for_each.hpp"

#include <initializer_list>

#include "grouped_batches.hpp"
#include "support/sanitizers.hpp"

/// @file
/// Batches with hubs, which are grouped by bins with room for those.

namespace mangrove::test {

namespace {

/// Batches with hubs are dealt out to bins for such ones, once it is known that there are some.
template <class Types>
class batches_with_hubs : public grouped_batches<Types> {
 protected:
  /// Begins with so many even updates.
  void begin_with(edge_direction direction, std::size_t size, std::uint32_t ids) {
    this->begin(direction, self_loops::keep, adjacency_policy::by_degree);
    this->apply(this->draw({.size = size, .ids = ids, .hub_percent = 0, .erase_percent = 0}));
    this->expect_hubs();
  }

  /// Batches of a shape, which erase so much.
  void expect_full_bins(batch_shape shape, std::initializer_list<std::uint32_t> erase_percents) {
    for (const std::uint32_t erase_percent : erase_percents) {
      shape.erase_percent = erase_percent;
      EXPECT_EQ(this->apply(this->draw(shape)), grouping::full_bins);
      if (testing::Test::HasFailure()) return;
    }
  }
};
using full_bins_types =
    types_to_test<1, grouping_types<through_full_bins, none>, grouping_types<through_full_bins, std::uint32_t>>;
TYPED_TEST_SUITE(batches_with_hubs, full_bins_types);

TYPED_TEST(batches_with_hubs, are_dealt_out_to_full_bins) {
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    this->begin_with(direction, 2000, 3000);
    this->expect_full_bins({.size = 6000, .ids = 3000, .hub_percent = 20, .erase_percent = 0}, {0, 0, 30, 80, 0});
  }
}

/// Three vertices, each with more updates than a tile has room for.
TYPED_TEST(batches_with_hubs, have_giants) {
  this->begin_with(edge_direction::directed, 4000, 12'000);
  this->expect_full_bins({.size = 40'000, .ids = 12'000, .hub_percent = 60, .erase_percent = 0}, {0, 20, 0, 60});
}

/// As many inserts into a table as a run has at most there, some more and some less: as a run, or as a hub's.
TYPED_TEST(batches_with_hubs, insert_into_a_table_as_much_as_a_run_has) {
  constexpr std::uint32_t ids = 4000;
  for (const auto policy : {adjacency_policy::by_degree, adjacency_policy::hash}) {
    this->begin(edge_direction::directed, self_loops::keep, policy);
    this->expect_hubs();
    this->apply(this->inserts_by_source({200, 900, 40, 0, 100}, ids));
    for (const std::uint32_t count : {31U, 32U, 33U, 40U, 47U, 48U, 49U, 64U, 65U}) {
      const auto batch = this->inserts_by_source({count, count, count, count, 100}, ids);
      EXPECT_EQ(this->apply(batch), grouping::full_bins);
      if (testing::Test::HasFailure()) return;
    }
    for (int batch = 0; batch < 3; ++batch) {
      EXPECT_EQ(this->apply(this->inserts_by_source({40, 40, 40}, ids)), grouping::full_bins) << "too long for bins";
    }
  }
}

/// One vertex has more inserts than a tile has room for, batch after batch, but fewer than neighbours: once nothing has
/// been found out about hubs for some batches, who sets it apart has to empty the table that names its edges.
TYPED_TEST(batches_with_hubs, insert_into_a_giant_of_which_nothing_is_found_out) {
  constexpr std::uint32_t ids = 60'000;
  this->begin_with(edge_direction::directed, 4000, ids);
  for (int batch = 0; batch < 14; ++batch) {
    EXPECT_EQ(this->apply(this->inserts_by_source({5000, 40, 60}, ids)), grouping::full_bins);
    if (testing::Test::HasFailure()) return;
  }
}

/// So many vertices that bins have many more of them than updates; three have more updates than a tile has room for.
TYPED_TEST(batches_with_hubs, name_few_of_very_many_vertices) {
  constexpr std::uint32_t ids = 2'200'000;
  ASSERT_EQ(detail::bin_format::for_hubs(ids, 60'000, 60'000, 30, 60'000).kind, detail::hub_bins::sparse);
  this->begin_with(edge_direction::directed, 4000, ids);
  this->expect_full_bins({.size = 60'000, .ids = ids, .hub_percent = 30, .erase_percent = 0}, {0, 20, 0, 60});
}

/// A bin with more updates than can be counted: batches are sorted then, for as long as that lasts.
TYPED_TEST(batches_with_hubs, have_too_large_giants) {
  this->begin_with(edge_direction::directed, 4000, 70'001);
  EXPECT_EQ(this->apply(this->edges_of_one(1, 70'000, update_kind::insert)), grouping::sort);
  EXPECT_EQ(this->apply(this->edges_of_one(1, 70'000, update_kind::erase)), grouping::sort);
  EXPECT_EQ(this->apply(this->draw({.size = 6000, .ids = 3000, .hub_percent = 0, .erase_percent = 0})), grouping::sort);
  EXPECT_EQ(this->apply(this->draw({.size = 6000, .ids = 300, .hub_percent = 20, .erase_percent = 0})), grouping::sort);
  EXPECT_EQ(this->apply(this->draw({.size = 6000, .ids = 300, .hub_percent = 20, .erase_percent = 0})),
            grouping::full_bins);
}

}  // namespace

}  // namespace mangrove::test
