#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <type_traits>
#include <utility>

#include "graph_support.hpp"
#include "mangrove/graph/placed_batch.hpp"
#include "support/random.hpp"
#include "view_reader.hpp"

namespace mangrove::test {

/// Batches and lists of edges in host memory, placed where a graph reads them.
template <class Types>
class placed_batches : public testing::Test {
 protected:
  using placed = placed_batch<typename Types::backend_type, typename Types::vertex, typename Types::weight>;

  update_batch updates(std::size_t size) {
    batch_recipe recipe;
    for (std::uint64_t id = 0; id < 50; ++id) recipe.ids.push_back(id);
    std::mt19937_64 random(random_());
    return random_batch(random, recipe, size, !is_none<typename Types::weight>);
  }

  seeded_random random_;
  resources<typename Types::backend_type> res_;
};

TYPED_TEST_SUITE_P(placed_batches);

TYPED_TEST_P(placed_batches, serve_several_calls_and_may_be_moved) {
  using placed = typename TestFixture::placed;
  static_assert(std::is_nothrow_move_constructible_v<placed> && !std::is_copy_constructible_v<placed>);
  typename TypeParam::graph graph(this->res_);
  graph_oracle oracle(graph.options());
  const update_batch batch = this->updates(500);
  placed first(this->res_, batch);
  EXPECT_EQ(graph.apply(this->res_, first.view()), oracle.apply(batch));
  const placed moved(std::move(first));
  EXPECT_EQ(graph.apply(this->res_, moved.view()), oracle.apply(batch));
  expect_same<TypeParam>(this->res_, graph, oracle);
}

TYPED_TEST_P(placed_batches, take_batches_without_weights) {
  typename TypeParam::graph graph(this->res_);
  graph_oracle oracle(graph.options());
  update_batch batch = this->updates(500);
  batch.weights.clear();
  EXPECT_EQ(graph.apply(this->res_, typename TestFixture::placed(this->res_, batch).view()), oracle.apply(batch));
  expect_same<TypeParam>(this->res_, graph, oracle);
}

TYPED_TEST_P(placed_batches, take_lists_of_edges_as_inserts) {
  edge_list edges;
  edges.sources = {1, 2, 7};
  edges.targets = {2, 3, 1};
  typename TypeParam::graph graph(this->res_);
  EXPECT_EQ(graph.apply(this->res_, typename TestFixture::placed(this->res_, edges).view()).inserted, 3U);
  EXPECT_EQ(graph.vertex_count(), 4U);
  edges.targets.pop_back();
  EXPECT_THROW(typename TestFixture::placed(this->res_, edges), usage_error);
}

TYPED_TEST_P(placed_batches, refuse_columns_that_differ_in_length) {
  using placed = typename TestFixture::placed;
  const update_batch whole = this->updates(10);
  const auto refused = [&](auto&& shorten) {
    update_batch batch = whole;
    shorten(batch);
    EXPECT_THROW(placed(this->res_, batch), usage_error);
  };
  refused([](update_batch& batch) { batch.kinds.pop_back(); });
  refused([](update_batch& batch) { batch.sources.pop_back(); });
  refused([](update_batch& batch) { batch.targets.pop_back(); });
  refused([](update_batch& batch) { batch.weights.assign(batch.size() + 1, 0); });
}

TYPED_TEST_P(placed_batches, refuse_ids_beyond_the_type) {
  using placed = typename TestFixture::placed;
  update_batch batch;
  batch.push_back(update_kind::insert, 1, ~std::uint32_t{0});
  EXPECT_NO_THROW(placed(this->res_, batch));
  batch.push_back(update_kind::insert, std::uint64_t{1} << 32, 1);
  if constexpr (sizeof(typename TypeParam::vertex) == 4) {
    EXPECT_THROW(placed(this->res_, batch), usage_error);
  } else {
    EXPECT_NO_THROW(placed(this->res_, batch));
  }
}

REGISTER_TYPED_TEST_SUITE_P(placed_batches, serve_several_calls_and_may_be_moved, take_batches_without_weights,
                            take_lists_of_edges_as_inserts, refuse_columns_that_differ_in_length,
                            refuse_ids_beyond_the_type);

}  // namespace mangrove::test
