#include "mangrove/core/for_each.hpp"

#include "grouped_batches.hpp"
#include "support/sanitizers.hpp"

/// @file
/// Every way of grouping a batch by source.

namespace mangrove::test {

namespace {

using all_ways =
    types_to_test<10, grouping_types<sorted_in_ranges<2>, none>, grouping_types<sorted_in_ranges<3>, std::uint32_t>,
                  grouping_types<through_bins, none>, grouping_types<chained_at_once, std::uint32_t>,
                  grouping_types<chained_two_a_lane, none>, grouping_types<chained_by_blocks, std::uint32_t>,
                  grouping_types<sorted_by_blocks, none>, grouping_types<through_full_bins, std::uint32_t>,
                  grouping_types<sorted_by_threads, none>, grouping_types<chained, std::uint32_t>,
                  grouping_types<through_bins, std::uint32_t>, grouping_types<chained_at_once, none>,
                  grouping_types<chained_two_a_lane, std::uint32_t>, grouping_types<chained_by_blocks, none>,
                  grouping_types<sorted_by_blocks, std::uint32_t>, grouping_types<through_full_bins, none>,
                  grouping_types<sorted_by_threads, std::uint32_t>, grouping_types<chained, none>,
                  grouping_types<sorted_in_ranges<8>, none>, grouping_types<sorted_in_ranges<8>, std::uint32_t>>;
TYPED_TEST_SUITE(grouped_batches, all_ways);

TYPED_TEST(grouped_batches, even_ones_go_the_usual_way) {
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    for (const auto loops : {self_loops::drop, self_loops::keep}) {
      this->begin(direction, loops, adjacency_policy::by_degree);
      this->apply(this->draw({.size = 2000, .ids = 3000, .hub_percent = 0, .erase_percent = 0}));
      for (const std::uint32_t erase_percent : {0, 30, 80, 0}) {
        const auto batch = this->draw({.size = 5000, .ids = 3000, .hub_percent = 0, .erase_percent = erase_percent});
        EXPECT_EQ(this->apply(batch), TypeParam::rule::usual);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TYPED_TEST(grouped_batches, erases_alone_leave_entries_arrays_and_tables) {
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  for (const std::uint32_t ids : {1000, 300, 30}) {
    auto batch = this->draw({.size = 3000, .ids = ids, .hub_percent = 0, .erase_percent = 0});
    this->apply(batch);
    this->apply(this->draw({.size = 3000, .ids = 1000, .hub_percent = 0, .erase_percent = 0}));
    batch.all = update_kind::erase;
    this->apply(batch);
    if (testing::Test::HasFailure()) return;
  }
}

TYPED_TEST(grouped_batches, take_memory_for_each_vertex_only_by_chains) {
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  const std::size_t before = this->bytes_kept();
  bool chained = false;
  for (int turn = 0; turn < 3; ++turn) {
    const auto way = this->apply(this->draw({.size = 4000, .ids = 3000, .hub_percent = 0, .erase_percent = 0}));
    chained = chained || way == grouping::chains;
    EXPECT_EQ(this->bytes_kept() > before, chained);
  }
}

/// More vertices than a page of freed extents has room for.
constexpr std::uint32_t many_vertices = 1500;

/// Inserts of edges `first` to `last` of each of many vertices, counted along its neighbours.
template <class Bits>
index_batch<Bits> neighbors_of_many(std::uint32_t first, std::uint32_t last) {
  index_batch<Bits> batch;
  for (std::uint32_t u = 0; u < many_vertices; ++u) {
    for (std::uint32_t k = first; k < last; ++k) {
      batch.sources.push_back(u);
      batch.targets.push_back((u + 7 * k) % many_vertices);
      if constexpr (!is_none<Bits>) batch.weights.push_back(k);
    }
  }
  return batch;
}

TYPED_TEST(grouped_batches, full_entries_take_no_memory_where_edges_are_repeated) {
  using bits = typename TypeParam::bits;
  constexpr std::uint32_t full = detail::entry_layout<bits>::inline_capacity;
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  for (std::uint32_t k = 0; k < full; ++k) this->apply(neighbors_of_many<bits>(k, k + 1));
  this->apply(neighbors_of_many<bits>(full - 1, full));
  EXPECT_EQ(this->bytes_in_use(), 0U);
  this->apply(neighbors_of_many<bits>(full - 1, full + 1));
  EXPECT_EQ(this->bytes_in_use(), many_vertices * granule_bytes);
}

TYPED_TEST(grouped_batches, full_arrays_stay_where_edges_are_repeated_and_move_where_some_are_new) {
  using bits = typename TypeParam::bits;
  constexpr std::uint32_t full = detail::entry_layout<bits>::array_slots(1);
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  for (std::uint32_t k = 0; k < full; ++k) this->apply(neighbors_of_many<bits>(k, k + 1));
  const std::size_t in_use = this->bytes_in_use();
  EXPECT_EQ(in_use, many_vertices * granule_bytes);
  this->apply(neighbors_of_many<bits>(full - 1, full));
  EXPECT_EQ(this->bytes_in_use(), in_use);
  this->apply(neighbors_of_many<bits>(0, full));
  EXPECT_EQ(this->bytes_in_use(), in_use);
  this->apply(neighbors_of_many<bits>(full - 1, full + 1));
  EXPECT_EQ(this->bytes_in_use(), 2 * in_use);
}

/// Many where none were expected, which one tile plans; then few; then many where nothing is known.
TYPED_TEST(grouped_batches, many_vertices_get_tables_or_few) {
  using bits = typename TypeParam::bits;
  constexpr std::uint32_t full = detail::layout_policy<bits>::largest_array;
  static_assert(many_vertices > detail::plan_and_grant<bits>::few);
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  static_assert(full % 4 == 0);
  this->apply(neighbors_of_many<bits>(0, 2));
  for (std::uint32_t k = 0; k < full; k += 4) this->apply(neighbors_of_many<bits>(k, k + 4));
  this->apply(neighbors_of_many<bits>(full, full + 4));
  index_batch<bits> few = neighbors_of_many<bits>(full, full + 8);
  few.sources.resize(20 * 8);
  few.targets.resize(20 * 8);
  few.weights.resize(is_none<bits> ? 0 : 20 * 8);
  this->apply(few);
  this->apply(neighbors_of_many<bits>(full, full + 8));
}

TYPED_TEST(grouped_batches, hubs_and_growing_dictionaries) {
  for (const auto policy : {adjacency_policy::by_degree, adjacency_policy::hash}) {
    this->begin(edge_direction::directed, self_loops::keep, policy);
    std::uint32_t ids = 2000;
    this->apply(this->draw({.size = 4000, .ids = ids, .hub_percent = 30, .erase_percent = 0}));
    for (const std::uint32_t erase_percent : {0, 20, 0, 60, 90, 10}) {
      this->apply(this->draw({.size = 12000, .ids = ids, .hub_percent = 30, .erase_percent = erase_percent}));
      if (testing::Test::HasFailure()) return;
      ids += 4000;
    }
  }
}

/// Tables that scratch of a part of a tile has room for, of a whole tile, and of none; and back to arrays.
TYPED_TEST(grouped_batches, tables_of_all_sizes_grow_and_shrink) {
  constexpr int rounds = repetitions(200);
  for (const std::uint32_t degree : {20U, 700U, 9'500U, 13'000U}) {
    this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
    if (degree > 1000) this->map_memory();  // so that large tables move where nothing else delays the batch
    for (std::uint32_t first = 1; first <= degree; first += 4000) {
      this->apply(this->edges_of_one(first, std::min(4000U, degree + 1 - first), update_kind::insert));
    }
    std::uint32_t next = degree + 1;
    for (int round = 0; round < rounds; ++round, next += 30) {
      this->apply(this->edges_of_one(next, 30, update_kind::insert));
      if (testing::Test::HasFailure()) return;
    }
    const std::uint32_t left = degree < 1000 ? 9 : next - 600;
    for (std::uint32_t first = 1; first + left < next; first += 30) {
      this->apply(this->edges_of_one(first, std::min(30U, next - left - first), update_kind::erase));
      this->apply(this->edges_of_one(next - 1, 1, update_kind::insert));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// The first batch after one that was built at once and had hubs: bins would turn out too small.
TYPED_TEST(grouped_batches, expected_hubs_are_not_dealt_out) {
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  this->expect_hubs();
  EXPECT_NE(this->apply(this->draw({.size = 4000, .ids = 3000, .hub_percent = 0, .erase_percent = 0})), grouping::bins);
  const auto batch = this->draw({.size = 4000, .ids = 3000, .hub_percent = 0, .erase_percent = 0});
  EXPECT_EQ(this->apply(batch), TypeParam::rule::usual) << "but there were none";
}

/// Neighbours that get all updates: bins for ranges of vertices turn out too small, others do not.
TYPED_TEST(grouped_batches, crowded_ranges_are_spread) {
  constexpr auto usual = TypeParam::rule::usual;
  this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  this->apply(this->draw({.size = 4000, .ids = 3000, .hub_percent = 0, .erase_percent = 0}));
  const batch_shape crowded{.size = 4000, .ids = 800, .hub_percent = 0, .erase_percent = 30};
  EXPECT_NE(this->apply(this->draw(crowded)), grouping::bins);
  for (int round = 0; round < 3; ++round) {
    const auto batch = this->draw(crowded);
    EXPECT_EQ(this->apply(batch), usual == grouping::bins ? grouping::spread_bins : usual);
    if (testing::Test::HasFailure()) return;
  }
}

/// Some ways take larger arrays for edges that may be new, and have to give back those that were not needed.
TYPED_TEST(grouped_batches, edges_that_are_there_keep_no_memory) {
  for (const std::uint32_t erase_percent : {0, 30}) {
    this->begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
    const auto batch = this->draw({.size = 4000, .ids = 500, .hub_percent = 0, .erase_percent = erase_percent});
    for (int round = 0; round < 3; ++round) this->apply(batch);
    const std::size_t in_use = this->bytes_in_use();
    for (int round = 0; round < 5; ++round) {
      this->apply(batch);
      EXPECT_EQ(this->bytes_in_use(), in_use);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Far more vertices than updates.
TYPED_TEST(grouped_batches, scattered_ones) {
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    this->begin(direction, self_loops::keep, adjacency_policy::by_degree);
    this->apply(this->draw({.size = 2000, .ids = 1 << 18, .hub_percent = 0, .erase_percent = 0}));
    for (const std::uint32_t erase_percent : {0, 30, 80}) {
      const batch_shape shape{.size = 6000, .ids = 1 << 18, .hub_percent = 0, .erase_percent = erase_percent};
      EXPECT_EQ(this->apply(this->draw(shape)), TypeParam::rule::usual);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST(grouped_batches, small_ones) {
  this->begin(edge_direction::undirected, self_loops::drop, adjacency_policy::by_degree);
  for (int round = 0; round < 60; ++round) {
    const std::size_t size = 1 + this->random_.below(200);
    this->apply(this->draw({.size = size, .ids = 300, .hub_percent = 10, .erase_percent = 30}));
    if (testing::Test::HasFailure()) return;
  }
}

/// Sorting takes vertices with tables for hubs from a few updates on. Those are no reason to sort the next batch, too.
using batches_dealt_out_or_sorted = grouped_batches<grouping_types<through_bins_or_sorted, none>>;
TEST_F(batches_dealt_out_or_sorted, vertices_with_tables_and_few_updates_are_dealt_out) {
  begin(edge_direction::directed, self_loops::keep, adjacency_policy::by_degree);
  const batch_shape shape{.size = 4000, .ids = 600, .hub_percent = 0, .erase_percent = 0};
  for (int round = 0; round < 8; ++round) apply(draw(shape));
  expect_hubs();
  EXPECT_EQ(apply(draw(shape)), grouping::sort);
  EXPECT_EQ(apply(draw(shape)), grouping::bins);
}

}  // namespace

}  // namespace mangrove::test
