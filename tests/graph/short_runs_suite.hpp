#pragma once

#include "view_reader.hpp"

/// @file
/// Batches of edge updates in which no vertex gets many: growth and shrinkage of small adjacencies, step by step,
/// checked against the oracle.

namespace mangrove::test {

template <class Types>
class short_runs : public testing::Test {
 protected:
  using graph_type = typename Types::graph;
  static constexpr bool weighted = !is_none<typename Types::weight>;

  /// The same number of updates for every vertex drawn, so that degrees rise, or fall, together.
  update_batch draw(std::mt19937_64& random, std::uint64_t ids, std::size_t size, int insert_percent) const {
    update_batch batch;
    for (std::size_t i = 0; i < size; ++i) {
      const bool inserts = static_cast<int>(random() % 100) < insert_percent;
      // Half of the erases name one of the few ids that most edges lead to, so that many of them hit.
      const std::uint64_t target = random() % 2 == 0 ? random() % 60 : random() % ids;
      batch.push_back(inserts ? update_kind::insert : update_kind::erase, random() % ids, target);
      if (weighted) batch.weights.push_back(static_cast<double>(random() % 1000));
      if (random() % 16 == 0 && i > 0) {  // a repeat of an earlier edge, whatever it was to be
        const std::size_t again = random() % i;
        batch.sources.back() = batch.targets[again];
        batch.targets.back() = batch.sources[again];
      }
    }
    return batch;
  }

  void apply(graph_type& graph, graph_oracle& oracle, const update_batch& batch) {
    const update_counts expected = oracle.apply(batch);
    ASSERT_EQ(graph.apply(res_, batch), expected);
  }

  static std::vector<graph_options> all_options() {
    std::vector<graph_options> all;
    for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
      for (const auto loops : {self_loops::drop, self_loops::keep}) {
        for (const auto ids : {id_space::dense, id_space::sparse}) {
          for (const adjacency_case& adjacency : adjacency_cases) {
            all.push_back({direction, loops, ids, adjacency.policy, adjacency.tree_from});
          }
        }
      }
    }
    return all;
  }

  resources<typename Types::backend_type> res_;
};

TYPED_TEST_SUITE_P(short_runs);

TYPED_TEST_P(short_runs, degrees_rise_and_fall_through_every_representation) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const graph_options& options : this->all_options()) {
    SCOPED_TRACE(std::to_string(static_cast<int>(options.direction)) + std::to_string(static_cast<int>(options.loops)) +
                 std::to_string(static_cast<int>(options.ids)) + adjacency_name(options));
    std::mt19937_64 random(seed);
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    constexpr std::uint64_t ids = 700;
    constexpr int rounds = 40;
    for (int round = 0; round < rounds; ++round) {
      const int insert_percent = round < rounds / 2 ? 85 : 12;
      this->apply(graph, oracle, this->draw(random, ids, 1 + random() % 1500, insert_percent));
      if (testing::Test::HasFatalFailure()) return;
      if (round % 10 == 9) expect_same<TypeParam>(this->res_, graph, oracle);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST_P(short_runs, batches_of_one_kind) {
  std::mt19937_64 random(23);
  for (const graph_options& options : this->all_options()) {
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    for (int round = 0; round < 12; ++round) {
      update_batch batch = this->draw(random, 300, 600, round % 3 == 2 ? 0 : 100);
      this->apply(graph, oracle, batch);
      this->apply(graph, oracle, batch);  // nothing more happens but overwrites
      if (testing::Test::HasFatalFailure()) return;
    }
    expect_same<TypeParam>(this->res_, graph, oracle);
  }
}

TYPED_TEST_P(short_runs, a_hub_beside_many_small_vertices) {
  std::mt19937_64 random(29);
  graph_options options;
  options.direction = edge_direction::directed;
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  for (int round = 0; round < 20; ++round) {
    update_batch batch = this->draw(random, 3000, 2000, round < 10 ? 90 : 20);
    for (std::size_t i = 0; i < batch.size(); i += 2 + 3 * (round % 4)) batch.sources[i] = 17;
    this->apply(graph, oracle, batch);
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_same<TypeParam>(this->res_, graph, oracle);
}

/// Batches above the size from which updates are grouped by a sort, some vertices being hubs.
TYPED_TEST_P(short_runs, large_batches_of_one_kind) {
  std::mt19937_64 random(31);
  const auto draw = [&](std::size_t count) {
    std::set<std::pair<std::uint64_t, std::uint64_t>> edges;
    while (edges.size() < count) {
      const std::uint64_t u = random() % 8 == 0 ? random() % 20 : random() % 150000;
      const std::uint64_t v = random() % 150000;
      if (u != v) edges.emplace(std::min(u, v), std::max(u, v));
    }
    return edges;
  };
  typename TypeParam::graph graph(this->res_);
  const auto apply = [&](const auto& edges, update_kind kind) {  // one kind for all, no weights: no positions matter
    using vertex = typename TypeParam::vertex;
    using B = typename TypeParam::backend_type;
    std::vector<vertex> sources;
    std::vector<vertex> targets;
    for (const auto& [u, v] : edges) {
      const bool swapped = random() % 2 == 0;
      sources.push_back(static_cast<vertex>(swapped ? v : u));
      targets.push_back(static_cast<vertex>(swapped ? u : v));
    }
    const auto from = make_buffer<B>(this->res_, sources.data(), sources.size());
    const auto to = make_buffer<B>(this->res_, targets.data(), targets.size());
    return graph.apply(this->res_, {from.data(), to.data(), nullptr, nullptr, kind, sources.size()});
  };
  const auto keys_of = [&](const typename TypeParam::graph& graph) {
    const auto list = graph.to_coo(this->res_);
    const auto sources = to_host(this->res_, list.sources.data(), list.sources.size());
    const auto targets = to_host(this->res_, list.targets.data(), list.targets.size());
    std::set<std::pair<std::uint64_t, std::uint64_t>> edges;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      edges.emplace(std::min(sources[i], targets[i]), std::max(sources[i], targets[i]));
    }
    EXPECT_EQ(2 * edges.size(), sources.size());
    return edges;
  };
  const auto first = draw(20000);
  const auto second = draw(300000);
  apply(first, update_kind::insert);
  auto expected = first;
  for (const auto& edge : second) expected.insert(edge);
  const update_counts inserted = apply(second, update_kind::insert);
  EXPECT_EQ(inserted.inserted, expected.size() - first.size());
  EXPECT_EQ(inserted.overwritten, first.size() + second.size() - expected.size());
  EXPECT_EQ(inserted.ignored, 0U);
  EXPECT_TRUE(keys_of(graph) == expected);
  const update_counts erased = apply(second, update_kind::erase);
  EXPECT_EQ(erased.erased, second.size());
  EXPECT_EQ(graph.edge_count(), expected.size() - second.size());
  for (const auto& edge : second) expected.erase(edge);
  EXPECT_TRUE(keys_of(graph) == expected);
}

REGISTER_TYPED_TEST_SUITE_P(short_runs, degrees_rise_and_fall_through_every_representation, batches_of_one_kind,
                            a_hub_beside_many_small_vertices, large_batches_of_one_kind);

}  // namespace mangrove::test
