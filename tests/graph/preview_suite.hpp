#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adjacency_cases.hpp"
#include "graph_support.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

namespace mangrove::test {

/// What `preview` says a batch would do, beside what `apply` does. For dense ids, so that they are indices.
template <class Types>
class previews : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using graph_type = typename Types::graph;
  using edge_set = std::set<std::uint64_t>;
  static constexpr bool weighted = !is_none<typename Types::weight>;

  edge_set edges_of(const graph_type& graph) {
    const auto list = graph.to_coo(res_);
    const auto sources = to_host(res_, list.sources.data(), list.sources.size());
    const auto targets = to_host(res_, list.targets.data(), list.targets.size());
    edge_set edges;
    for (std::size_t i = 0; i < sources.size(); ++i) edges.insert(std::uint64_t{sources[i]} << 32 | targets[i]);
    return edges;
  }

  /// Applies a change to a set of edges, each of whose members has to be what the change says of it.
  void replay(const graph_change<B>& change, edge_set& edges) {
    const auto named = to_host(res_, change.edges.data(), change.size());
    const auto actions = to_host(res_, change.actions.data(), change.size());
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (i > 0) {
        EXPECT_LT(named[i - 1], named[i]) << "edges repeat or do not ascend";
      }
      switch (actions[i]) {
        case edge_action::insert:
          EXPECT_TRUE(edges.insert(named[i]).second);
          break;
        case edge_action::erase:
          EXPECT_EQ(edges.erase(named[i]), 1U);
          break;
        case edge_action::overwrite:
          EXPECT_TRUE(weighted && edges.contains(named[i]));
          break;
      }
    }
  }

  static batch_recipe edges_among(std::uint64_t ids) {
    batch_recipe recipe;
    for (std::uint64_t id = 0; id < ids; ++id) recipe.ids.push_back(id);
    recipe.insert_percent = 60;
    recipe.erase_percent = 40;
    recipe.vertex_insert_percent = 0;
    return recipe;
  }

  resources<B> res_;
};

TYPED_TEST_SUITE_P(previews);

TYPED_TEST_P(previews, say_of_every_edge_what_apply_does) {
  std::mt19937_64 random(test_seed());
  SCOPED_TRACE("MANGROVE_TEST_SEED=" + std::to_string(test_seed()));
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    for (const auto loops : {self_loops::drop, self_loops::keep}) {
      for (const auto policy : {adjacency_policy::by_degree, adjacency_policy::hash}) {
        const graph_options options{.direction = direction, .loops = loops, .adjacency = policy};
        typename TypeParam::graph graph(this->res_, options);
        for (int round = 0; round < 12; ++round) {
          // Every third batch names vertices that are new, which no single tile previews; the others do not.
          const std::uint64_t ids = 40 + 75 * static_cast<std::uint64_t>(round / 3);
          update_batch batch = random_batch(random, this->edges_among(ids), 1 + random() % 700, this->weighted);
          if (round % 3 == 0) {
            batch.push_back(update_kind::insert, 0, ids - 1);
            if (this->weighted) batch.weights.push_back(1);
          }
          auto expected = this->edges_of(graph);
          const auto seen = graph.preview(this->res_, batch);
          ASSERT_TRUE(seen.has_value());
          EXPECT_EQ(this->edges_of(graph), expected) << "a preview changed the graph";
          this->replay(*seen, expected);
          update_counts counts = graph.apply(this->res_, batch);
          counts.vertices_inserted = 0;  // which are not in a preview
          EXPECT_EQ(seen->counts, counts);
          EXPECT_EQ(this->edges_of(graph), expected);
        }
      }
    }
  }
}

TYPED_TEST_P(previews, are_not_of_batches_that_would_be_prepared) {
  update_batch edge;
  edge.push_back(update_kind::insert, 1, 2);
  if (this->weighted) edge.weights.push_back(3);
  update_batch vertex = edge;
  vertex.push_back(update_kind::erase_vertex, 1, 1);
  if (this->weighted) vertex.weights.push_back(0);
  typename TypeParam::graph graph(this->res_);
  EXPECT_TRUE(graph.preview(this->res_, edge).has_value());
  EXPECT_FALSE(graph.preview(this->res_, vertex).has_value());
  EXPECT_FALSE(graph.preview(this->res_, update_batch{}).has_value());
  typename TypeParam::graph sparse(this->res_, {.ids = id_space::sparse});
  EXPECT_FALSE(sparse.preview(this->res_, edge).has_value());
  typename TypeParam::graph trees(this->res_, {.adjacency = adjacency_policy::tree});
  EXPECT_FALSE(trees.preview(this->res_, edge).has_value());
}

TYPED_TEST_P(previews, cannot_be_committed_and_leave_what_was_prepared_valid) {
  update_batch batch;
  batch.push_back(update_kind::insert, 1, 2);
  if (this->weighted) batch.weights.push_back(3);
  typename TypeParam::graph graph(this->res_);
  auto prepared = graph.prepare(this->res_, batch);
  auto seen = graph.preview(this->res_, batch);
  ASSERT_TRUE(seen.has_value());
  EXPECT_THROW(graph.commit(this->res_, *seen), usage_error);
  EXPECT_EQ(graph.edge_count(), 0U);
  EXPECT_EQ(graph.commit(this->res_, prepared).inserted, 1U);
  EXPECT_EQ(graph.edge_count(), 1U);
}

TYPED_TEST_P(previews, refuse_ids_that_are_too_large) {
  update_batch batch;
  batch.push_back(update_kind::insert, 1, 0xfffffffe);
  if (this->weighted) batch.weights.push_back(3);
  const typename TypeParam::graph graph(this->res_);
  EXPECT_THROW(static_cast<void>(graph.preview(this->res_, batch)), usage_error);
}

REGISTER_TYPED_TEST_SUITE_P(previews, say_of_every_edge_what_apply_does, are_not_of_batches_that_would_be_prepared,
                            cannot_be_committed_and_leave_what_was_prepared_valid, refuse_ids_that_are_too_large);

}  // namespace mangrove::test
