#pragma once

#include "applied_batches.hpp"

/// @file
/// Batches that are so large, and whose sources are so evenly spread, that they are dealt out to bins on the GPU; and
/// batches that only look so. Checked against the oracle.

namespace mangrove::test {

template <class Types>
class large_batches : public applied_batches<Types> {
 protected:
  using weight = typename Types::weight;
  static constexpr std::size_t size = std::size_t{1} << 17;  ///< from which bins are used
  static constexpr std::uint64_t ids = 90'000;

  /// Ids begin at 1, few edges come twice.
  update_batch draw(std::size_t count, int insert_percent) {
    update_batch batch;
    for (std::size_t i = 0; i < count; ++i) {
      const bool again = i > 0 && random_() % 8 == 0;
      const std::size_t of = again ? random_() % i : 0;
      const std::uint64_t u = again ? batch.sources[of] : 1 + random_() % ids;
      const std::uint64_t v = again ? batch.targets[of] : random_() % 4 == 0 ? u % 50 + 1 : 1 + random_() % ids;
      const bool inserts = static_cast<int>(random_() % 100) < insert_percent;
      batch.push_back(inserts ? update_kind::insert : update_kind::erase, u, v);
      if constexpr (!is_none<weight>) batch.weights.push_back(static_cast<double>(random_() % 1000));
    }
    return batch;
  }

  std::mt19937_64 random_{37};
};

TYPED_TEST_SUITE_P(large_batches);

TYPED_TEST_P(large_batches, follow_the_oracle) {
  for (const auto direction : {edge_direction::directed, edge_direction::undirected}) {
    const graph_options options{.direction = direction,
                                .loops = direction == edge_direction::directed ? self_loops::keep : self_loops::drop};
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    for (const int insert_percent : {100, 70, 0, 40}) {
      const update_batch batch = this->draw(this->size + this->random_() % 5000, insert_percent);
      const bool alike = insert_percent % 100 == 0;
      alike ? this->apply_alike(graph, oracle, batch) : this->apply_mixed(graph, oracle, batch);
      if (testing::Test::HasFatalFailure()) return;
    }
    expect_same<TypeParam>(this->res_, graph, oracle);
  }
}

/// Bins that are too small, a vertex with too many updates for a run, and ids beyond those known, at last so far that
/// next to none of the vertices have updates.
TYPED_TEST_P(large_batches, that_only_look_evenly_spread) {
  const graph_options options{.direction = edge_direction::directed};
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  this->apply_alike(graph, oracle, this->draw(this->size, 100));
  for (const char* const shape : {"few sources", "a hub", "new ids", "distant ids"}) {
    SCOPED_TRACE(shape);
    update_batch batch = this->draw(this->size, 100);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (*shape == 'f') batch.sources[i] = 1 + batch.sources[i] % 9000;
      if (*shape == 'a' && i % 1000 == 0) batch.sources[i] = 17;
      if (*shape == 'n' && i % 3 == 0) batch.targets[i] += this->ids / 2;
      if (*shape == 'd' && i % 1000 == 0) batch.targets[i] += 400 * this->ids;
    }
    this->apply_alike(graph, oracle, batch);
    if (testing::Test::HasFatalFailure()) return;
    expect_same<TypeParam>(this->res_, graph, oracle);
  }
}

/// Batches whose vertices are neighbours for the most part: from the second one on they go to bins of lines in turn.
TYPED_TEST_P(large_batches, that_crowd_a_range_of_vertices) {
  const graph_options options{.direction = edge_direction::directed};
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  this->apply_alike(graph, oracle, this->draw(this->size, 100));
  for (const int insert_percent : {100, 60, 0, 100}) {
    update_batch batch = this->draw(this->size, insert_percent);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i % 8 != 0) batch.sources[i] = 1 + (40'000 + batch.sources[i] % 20'000) % this->ids;
    }
    insert_percent % 100 == 0 ? this->apply_alike(graph, oracle, batch) : this->apply_mixed(graph, oracle, batch);
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_same<TypeParam>(this->res_, graph, oracle);
}

/// Bins have few updates for their vertices, which are counted by hash then.
TYPED_TEST_P(large_batches, between_very_many_vertices) {
  const graph_options options{.direction = edge_direction::directed};
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  update_batch far = this->draw(100, 100);
  far.targets.back() = 400 * this->ids;
  this->apply_alike(graph, oracle, far);
  for (const int insert_percent : {100, 50, 0}) {
    const update_batch batch = this->draw(this->size + 100'000, insert_percent);
    insert_percent == 50 ? this->apply_mixed(graph, oracle, batch) : this->apply_alike(graph, oracle, batch);
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_same<TypeParam>(this->res_, graph, oracle);
}

/// Vertices that outgrow their arrays at once, after a batch in which none did, so that one tile plans for all.
TYPED_TEST_P(large_batches, whose_vertices_all_get_tables) {
  constexpr std::uint64_t vertices = 8'000;
  const graph_options options{.direction = edge_direction::directed};
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  const auto apply = [&](std::uint64_t first, std::uint64_t sources, std::uint64_t each) {
    update_batch batch;
    for (std::uint64_t u = 1; u <= sources; ++u) {
      for (std::uint64_t k = first; k < first + each; ++k) {
        batch.push_back(update_kind::insert, u, 1 + (u + 13 * k) % sources);
        if constexpr (!is_none<typename TypeParam::weight>) batch.weights.push_back(static_cast<double>(k));
      }
    }
    this->apply_alike(graph, oracle, batch);
  };
  apply(0, 10 * vertices, 2);  // at once
  for (const std::uint64_t first : {0, 14, 28, 42}) {
    apply(0, 10 * vertices, 2);
    apply(first, vertices, 20);
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_same<TypeParam>(this->res_, graph, oracle);
}

/// A sixth of the updates are of hubs, as many of one that a tile has no room for: from the second batch on they go to
/// bins for such ones.
TYPED_TEST_P(large_batches, with_hubs_and_a_giant) {
  for (const auto direction : {edge_direction::directed, edge_direction::undirected}) {
    const graph_options options{.direction = direction, .loops = self_loops::keep};
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    for (const int insert_percent : {100, 100, 60, 0, 100, 20}) {
      update_batch batch = this->draw(this->size, insert_percent);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (i % 6 == 0) batch.sources[i] = 1 + batch.sources[i] % 300;
        if (i % 6 == 1) batch.sources[i] = 7;
      }
      insert_percent % 100 == 0 ? this->apply_alike(graph, oracle, batch) : this->apply_mixed(graph, oracle, batch);
      if (testing::Test::HasFatalFailure()) return;
    }
    expect_same<TypeParam>(this->res_, graph, oracle);
  }
}

REGISTER_TYPED_TEST_SUITE_P(large_batches, follow_the_oracle, that_only_look_evenly_spread,
                            that_crowd_a_range_of_vertices, between_very_many_vertices, whose_vertices_all_get_tables,
                            with_hubs_and_a_giant);

}  // namespace mangrove::test
