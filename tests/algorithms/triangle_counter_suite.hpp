#pragma once

#include "counter_support.hpp"

/// @file
/// Tests of `algorithms/triangle_counter.hpp` against brute force, typed by `graph_config`.

namespace mangrove::test {

template <class Config>
class triangle_counter_test : public testing::Test {
 protected:
  using B = typename Config::backend_type;
  using graph_type = dynamic_graph<B, typename Config::vertex, typename Config::weight>;
  using counter_type = triangle_counter<B, typename Config::vertex, typename Config::weight>;

  static constexpr recount_policy policies[] = {recount_policy::when_cheaper, recount_policy::never,
                                                recount_policy::always};

  resources<B> res{};

  /// Applies a batch that leads to what `reference` is, and compares all that `update` says.
  triangle_change expect_update_right(counter_type& counter, const graph_type& graph, const update_batch& batch,
                                      const bit_graph& before, const bit_graph& after) {
    const triangle_change change = counter.update(res, batch);
    const std::uint64_t kept = before.common(after).triangles();
    EXPECT_EQ(counter.value(), after.triangles());
    EXPECT_EQ(change.gained, after.triangles() - kept);
    EXPECT_EQ(change.lost, before.triangles() - kept);
    EXPECT_EQ(graph.edge_count(), after.edges());
    EXPECT_EQ(change.counts.inserted + before.edges(), change.counts.erased + change.counts.detached + after.edges());
    return change;
  }

  /// Many batches on one graph: it grows, changes, shrinks.
  void run_random_batches(std::uint64_t seed, std::size_t vertices, recount_policy policy) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", policy " << static_cast<int>(policy));
    std::mt19937_64 random(seed);
    graph_type graph(res, Config::options());
    counter_type counter(res, graph, policy);
    reference_graph<Config> reference(vertices);
    const update_mix phases[] = {{0.9, 0.1, 0}, {0.5, 0.45, 0.02}, {0.48, 0.5, 0.005}, {0.1, 0.85, 0.01}};
    for (const update_mix& mix : phases) {
      for (int round = 0; round < 10 && !testing::Test::HasFailure(); ++round) {
        const std::size_t updates = random() % (round % 3 == 0 ? 3000 : 60);
        const bit_graph before = reference.graph();
        const update_batch batch = random_batch(reference, updates, mix, random);
        const auto change = expect_update_right(counter, graph, batch, before, reference.graph());
        if (policy == recount_policy::never) {
          EXPECT_EQ(change.method, triangle_method::batch);
        } else if (policy == recount_policy::always && change.counts.inserted + change.counts.erased != 0) {
          EXPECT_EQ(change.method, triangle_method::recount);
        }
      }
    }
    EXPECT_EQ(triangle_count(res, graph), counter.value());
  }
};

TYPED_TEST_SUITE_P(triangle_counter_test);

TYPED_TEST_P(triangle_counter_test, RandomBatches) {
  for (const recount_policy policy : this->policies) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) this->run_random_batches(seed, seed % 2 == 0 ? 40 : 200, policy);
  }
}

TYPED_TEST_P(triangle_counter_test, StartsFromAGraphThatIsThere) {
  std::mt19937_64 random(3);
  reference_graph<TypeParam> reference(200);
  reference.assign(hubs(200, 6, random));
  typename TestFixture::graph_type graph(this->res, TypeParam::options());
  graph.apply(this->res, reference.all_edges());
  typename TestFixture::counter_type counter(this->res, graph);
  EXPECT_EQ(counter.value(), reference.graph().triangles());
  const bit_graph before = reference.graph();
  const update_batch batch = random_batch(reference, 200, {0.5, 0.4, 0.05}, random);
  this->expect_update_right(counter, graph, batch, before, reference.graph());
}

TYPED_TEST_P(triangle_counter_test, SameBatchTwice) {
  std::mt19937_64 random(5);
  for (const recount_policy policy : this->policies) {
    reference_graph<TypeParam> reference(120);
    typename TestFixture::graph_type graph(this->res, TypeParam::options());
    typename TestFixture::counter_type counter(this->res, graph, policy);
    for (int round = 0; round < 8; ++round) {
      const update_batch batch = random_batch(reference, 400, {0.7, 0.3, 0}, random);
      counter.update(this->res, batch);
      const bit_graph after = reference.graph();
      const auto again = this->expect_update_right(counter, graph, batch, after, after);
      EXPECT_EQ(again.counts.inserted + again.counts.erased, 0U);
    }
  }
}

TYPED_TEST_P(triangle_counter_test, InsertAndEraseOfOneEdgeInOneBatch) {
  typename TestFixture::graph_type graph(this->res, TypeParam::options());
  typename TestFixture::counter_type counter(this->res, graph);
  reference_graph<TypeParam> reference(3);
  const auto step = [&](auto... edits) {
    const bit_graph before = reference.graph();
    update_batch batch;
    (edits(batch), ...);
    this->expect_update_right(counter, graph, batch, before, reference.graph());
  };
  const auto put = [&](std::size_t u, std::size_t v) {
    return [&reference, u, v](update_batch& batch) { reference.insert(batch, u, v); };
  };
  const auto cut = [&](std::size_t u, std::size_t v) {
    return [&reference, u, v](update_batch& batch) { reference.erase(batch, u, v); };
  };
  step(put(0, 1), put(1, 2), put(2, 0), cut(0, 2));
  EXPECT_EQ(counter.value(), 0U);
  step(cut(0, 1), put(1, 0), put(0, 2), put(1, 1));
  EXPECT_EQ(counter.value(), 1U);
  step(put(2, 2), cut(2, 0), cut(2, 0), put(0, 2));
  EXPECT_EQ(counter.value(), 1U);
  step(cut(1, 2), put(0, 0), cut(0, 0));
  EXPECT_EQ(counter.value(), 0U);
}

/// Every triangle consists of batch edges alone: each must count at one of its three edges.
TYPED_TEST_P(triangle_counter_test, WholeGraphsInOneBatch) {
  std::mt19937_64 random(8);
  const bit_graph graphs[] = {complete_graph(100), wheel(256), star(256), complete_bipartite(60, 90),
                              hubs(256, 9, random)};
  for (const recount_policy policy : this->policies) {
    typename TestFixture::graph_type graph(this->res, TypeParam::options());
    typename TestFixture::counter_type counter(this->res, graph, policy);
    for (const bit_graph& wanted : graphs) {
      reference_graph<TypeParam> reference(wanted.size());
      reference.assign(wanted);
      const bit_graph nothing(wanted.size());
      this->expect_update_right(counter, graph, reference.all_edges(), nothing, wanted);
      this->expect_update_right(counter, graph, reference.erase_all(), wanted, nothing);
    }
  }
}

TYPED_TEST_P(triangle_counter_test, EdgesGoWithTheirVertices) {
  for (const recount_policy policy : this->policies) {
    reference_graph<TypeParam> reference(80);
    reference.assign(complete_graph(80));
    typename TestFixture::graph_type graph(this->res, TypeParam::options());
    typename TestFixture::counter_type counter(this->res, graph, policy);
    counter.update(this->res, reference.all_edges());
    for (std::size_t first = 0; first < 80; first += 16) {
      const bit_graph before = reference.graph();
      update_batch batch;
      for (std::size_t u = first; u < first + 16; ++u) reference.erase_vertex(batch, u);
      reference.insert(batch, first, first + 1);  // comes back with one edge
      this->expect_update_right(counter, graph, batch, before, reference.graph());
    }
  }
}

TYPED_TEST_P(triangle_counter_test, RecountsLargeBatchesOnly) {
  reference_graph<TypeParam> reference(250);
  typename TestFixture::graph_type graph(this->res, TypeParam::options());
  typename TestFixture::counter_type counter(this->res, graph);
  reference.assign(complete_graph(250));
  EXPECT_EQ(counter.update(this->res, reference.all_edges()).method, triangle_method::recount);
  update_batch one;
  reference.erase(one, 3, 4);
  EXPECT_EQ(counter.update(this->res, one).method, triangle_method::batch);
  EXPECT_EQ(counter.value(), reference.graph().triangles());
}

TYPED_TEST_P(triangle_counter_test, EmptyBatchesChangeNothing) {
  typename TestFixture::graph_type graph(this->res, TypeParam::options());
  for (const recount_policy policy : this->policies) {
    typename TestFixture::counter_type counter(this->res, graph, policy);
    EXPECT_EQ(counter.value(), 0U);
    EXPECT_EQ(counter.update(this->res, update_batch{}).counts, update_counts{});
    EXPECT_EQ(counter.value(), 0U);
  }
}

TYPED_TEST_P(triangle_counter_test, DirectedGraphsAreRefused) {
  graph_options options = TypeParam::options();
  options.direction = edge_direction::directed;
  typename TestFixture::graph_type graph(this->res, options);
  EXPECT_THROW(typename TestFixture::counter_type(this->res, graph), usage_error);
  EXPECT_THROW(triangle_count(this->res, graph), usage_error);
  EXPECT_THROW(triangle_counts(this->res, graph), usage_error);
  EXPECT_THROW(clustering_coefficients(this->res, graph), usage_error);
}

REGISTER_TYPED_TEST_SUITE_P(triangle_counter_test, RandomBatches, StartsFromAGraphThatIsThere, SameBatchTwice,
                            InsertAndEraseOfOneEdgeInOneBatch, WholeGraphsInOneBatch, EdgesGoWithTheirVertices,
                            RecountsLargeBatchesOnly, EmptyBatchesChangeNothing, DirectedGraphsAreRefused);

}  // namespace mangrove::test
