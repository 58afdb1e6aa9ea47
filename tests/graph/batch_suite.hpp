#pragma once

#include "support/sanitizers.hpp"
#include "view_reader.hpp"

/// @file
/// What batches do to a graph, checked against an oracle that applies updates one by one.

namespace mangrove::test {

template <class Types>
class batches : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using graph_type = typename Types::graph;
  static constexpr bool weighted = !is_none<typename Types::weight>;

  /// Every combination of options.
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

  static std::string name(const graph_options& options) {
    return std::string(options.direction == edge_direction::directed ? "directed" : "undirected") +
           (options.loops == self_loops::keep ? ", loops" : "") + (options.ids == id_space::sparse ? ", sparse" : "") +
           ", " + adjacency_name(options);
  }

  /// Ids that fit the options: small ones, or any, the type's largest included.
  static std::vector<std::uint64_t> ids(std::mt19937_64& random, const graph_options& options, std::size_t count) {
    std::vector<std::uint64_t> made(count);
    for (std::size_t i = 0; i < count; ++i) {
      made[i] = options.ids == id_space::dense ? i : random() & std::numeric_limits<typename Types::vertex>::max();
    }
    if (options.ids == id_space::sparse) {
      for (std::size_t i = 0; i < 4 && i < count; ++i) made[i] = std::numeric_limits<typename Types::vertex>::max() - i;
      made.back() = 0;
    }
    return made;
  }

  void apply(graph_type& graph, graph_oracle& oracle, const update_batch& batch) {
    const update_counts expected = oracle.apply(batch);
    const update_counts counts = graph.apply(res_, batch);
    EXPECT_EQ(counts.inserted, expected.inserted);
    EXPECT_EQ(counts.overwritten, expected.overwritten);
    EXPECT_EQ(counts.erased, expected.erased);
    EXPECT_EQ(counts.ignored, expected.ignored);
    EXPECT_EQ(counts.detached, expected.detached);
    EXPECT_EQ(counts.vertices_inserted, expected.vertices_inserted);
    EXPECT_EQ(counts.vertices_erased, expected.vertices_erased);
  }

  update_batch edges(update_kind kind, const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs) {
    update_batch batch;
    for (const auto& [u, v] : pairs) {
      batch.push_back(kind, u, v);
      if (weighted) batch.weights.push_back(static_cast<double>(u + v));
    }
    return batch;
  }

  resources<B> res_;
};

TYPED_TEST_SUITE_P(batches);

TYPED_TEST_P(batches, random_mixed_batches_match_the_oracle) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto all = this->all_options();
  const std::uint64_t per_option = random_updates(250000) / all.size();
  for (const graph_options& options : all) {
    SCOPED_TRACE(this->name(options));
    std::mt19937_64 random(seed);
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    batch_recipe recipe;
    recipe.vertex_insert_percent = 1;
    recipe.ids = this->ids(random, options, 150);
    for (std::uint64_t done = 0; done < per_option;) {
      const std::size_t size = 1 + random() % (random() % 2 == 0 ? 10 : 1500);
      recipe.erase_percent = random() % 2 == 0 ? 37 : 10;
      recipe.insert_percent = 97 - recipe.erase_percent + (random() % 3 == 0 ? 1 : 3);
      this->apply(graph, oracle, random_batch(random, recipe, size, this->weighted));
      done += size;
      if (testing::Test::HasFailure()) return;
    }
    expect_same<TypeParam>(this->res_, graph, oracle);
    if (testing::Test::HasFailure()) return;
  }
}

TYPED_TEST_P(batches, the_same_batch_twice_changes_nothing_more) {
  for (const graph_options& options : this->all_options()) {
    std::mt19937_64 random(7);
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    batch_recipe recipe;
    recipe.ids = this->ids(random, options, 300);
    recipe.vertex_insert_percent = 3;  // and no vertex is erased
    const update_batch batch = random_batch(random, recipe, 3000, this->weighted);
    this->apply(graph, oracle, batch);
    const std::uint64_t edges = graph.edge_count();
    const update_counts again = graph.apply(this->res_, batch);
    EXPECT_EQ(again.inserted + again.erased + again.detached, 0U);
    EXPECT_EQ(again.vertices_inserted + again.vertices_erased, 0U);
    EXPECT_EQ(graph.edge_count(), edges);
    expect_same<TypeParam>(this->res_, graph, oracle);
  }
}

TYPED_TEST_P(batches, inserts_and_erases_of_one_edge_in_one_batch) {
  typename TypeParam::graph graph(this->res_);
  graph_oracle oracle({});
  update_batch batch = this->edges(update_kind::insert, {{1, 2}, {1, 2}, {3, 3}, {2, 1}, {4, 5}, {5, 6}});
  batch.kinds[3] = update_kind::erase;  // of the edge just inserted, named the other way round
  this->apply(graph, oracle, batch);
  EXPECT_EQ(graph.edge_count(), 2U);
  update_batch back = this->edges(update_kind::erase, {{5, 4}, {4, 5}, {5, 6}, {7, 8}, {9, 9}});
  back.kinds[1] = update_kind::insert;
  this->apply(graph, oracle, back);
  EXPECT_EQ(graph.edge_count(), 1U);
  expect_same<TypeParam>(this->res_, graph, oracle);
}

TYPED_TEST_P(batches, ids_and_positions_that_do_not_fit_into_one_sort_key) {
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    if (thread_sanitizer && direction == edge_direction::undirected) continue;  // so many ids take its memory long
    graph_options options;
    options.direction = direction;
    std::mt19937_64 random(13);
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    batch_recipe recipe;
    for (int i = 0; i < 400; ++i) recipe.ids.push_back(random() % (std::uint64_t{1} << 24));
    recipe.ids.push_back((std::uint64_t{1} << 24) - 1);  // 25 bits for each end, 15 for the position
    const int rounds = direction == edge_direction::undirected ? 2 : 1;
    for (int round = 0; round < rounds; ++round) {
      recipe.vertex_insert_percent = 3 - round;
      update_batch batch = random_batch(random, recipe, 17000, this->weighted);
      this->apply(graph, oracle, batch);
      expect_same<TypeParam>(this->res_, graph, oracle);
    }
  }
}

TYPED_TEST_P(batches, erasing_everything_and_inserting_again) {
  for (const graph_options& options : this->all_options()) {
    std::mt19937_64 random(11);
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    batch_recipe recipe;
    recipe.ids = this->ids(random, options, 120);
    recipe.insert_percent = 100;
    update_batch batch = random_batch(random, recipe, 6000, this->weighted);
    for (int round = 0; round < 3; ++round) {
      batch.kinds.assign(batch.size(), update_kind::insert);
      this->apply(graph, oracle, batch);
      batch.kinds.assign(batch.size(), update_kind::erase);
      this->apply(graph, oracle, batch);
      EXPECT_EQ(graph.edge_count(), 0U);
    }
    batch.kinds.assign(batch.size(), update_kind::insert);
    this->apply(graph, oracle, batch);
    expect_same<TypeParam>(this->res_, graph, oracle);
  }
}

TYPED_TEST_P(batches, one_hub_takes_every_edge_and_loses_it) {
  typename TypeParam::graph graph(this->res_);
  graph_oracle oracle({});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> spokes;
  for (std::uint64_t v = 1; v <= 5000; ++v) spokes.emplace_back(0, v);
  this->apply(graph, oracle, this->edges(update_kind::insert, spokes));
  EXPECT_EQ(graph.edge_count(), 5000U);
  for (std::size_t left = 5000; left > 0; left -= 1250) {
    spokes.resize(1250);
    for (std::size_t i = 0; i < spokes.size(); ++i) spokes[i] = {left - i, 0};
    this->apply(graph, oracle, this->edges(update_kind::erase, spokes));
    expect_same<TypeParam>(this->res_, graph, oracle);
  }
  EXPECT_EQ(graph.edge_count(), 0U);
}

TYPED_TEST_P(batches, growing_and_shrinking_one_edge_at_a_time) {
  for (const adjacency_case& adjacency : adjacency_cases) {
    graph_options options;
    options.adjacency = adjacency.policy;
    options.tree_from = adjacency.tree_from;
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    for (std::uint64_t v = 1; v <= 130; ++v) {
      this->apply(graph, oracle, this->edges(update_kind::insert, {{0, 1000 - 3 * v}}));
    }
    expect_same<TypeParam>(this->res_, graph, oracle);
    for (std::uint64_t v = 1; v <= 130; ++v) {
      this->apply(graph, oracle, this->edges(update_kind::erase, {{0, 1000 - 3 * (v * 37 % 131)}}));
      if (v % 16 == 0) expect_same<TypeParam>(this->res_, graph, oracle);
    }
    EXPECT_EQ(graph.edge_count(), 0U);
  }
}

TYPED_TEST_P(batches, empty_batches_and_no_ops) {
  typename TypeParam::graph graph(this->res_);
  EXPECT_EQ(graph.apply(this->res_, update_batch{}), update_counts{});
  const update_counts counts = graph.apply(this->res_, this->edges(update_kind::erase, {{1, 2}, {1U << 31, 7}}));
  EXPECT_EQ(counts.ignored, 2U);
  EXPECT_EQ(graph.vertex_count(), 0U);
  EXPECT_EQ(graph.index_count(), 0U);
}

TYPED_TEST_P(batches, ids_too_large_for_a_position_are_refused_and_nothing_happens) {
  typename TypeParam::graph graph(this->res_);
  graph.apply(this->res_, this->edges(update_kind::insert, {{1, 2}}));
  EXPECT_THROW(graph.apply(this->res_, this->edges(update_kind::insert, {{3, 4}, {5, 0xffffffffU}})), usage_error);
  EXPECT_EQ(graph.edge_count(), 1U);
  EXPECT_EQ(graph.vertex_count(), 2U);
}

TYPED_TEST_P(batches, edge_lists_bring_their_vertices) {
  for (const auto space : {id_space::dense, id_space::sparse}) {
    graph_options options;
    options.ids = space;
    for (const std::uint64_t vertices : {6, 31, 32, 63, 64, 1000}) {
      typename TypeParam::graph graph(this->res_, options);
      edge_list edges;
      edges.sources = {1, 2, 2, 5};
      edges.targets = {2, 1, 2, 3};
      edges.vertex_count = vertices;
      const update_counts counts = graph.insert(this->res_, edges);
      EXPECT_EQ(counts.inserted, 2U);
      EXPECT_EQ(counts.ignored, 2U);
      EXPECT_EQ(counts.vertices_inserted, vertices);
      EXPECT_EQ(graph.vertex_count(), vertices);
      const auto known = read_pairs<1, TypeParam>(
          this->res_, graph, {1, 0},
          {static_cast<typename TypeParam::vertex>(vertices), static_cast<typename TypeParam::vertex>(vertices + 1)});
      EXPECT_EQ(known[0].known, 3U);
      EXPECT_EQ(known[1].known, 0U);
      edges.vertex_count = std::uint64_t{1} << 60;
      EXPECT_THROW(graph.insert(this->res_, edges), usage_error);
      edges.vertex_count = vertices;
      edges.targets.pop_back();
      EXPECT_THROW(graph.insert(this->res_, edges), usage_error);
      EXPECT_EQ(graph.edge_count(), 2U);
    }
  }
}

TYPED_TEST_P(batches, views_tell_what_the_graph_holds) {
  for (const graph_options& options : this->all_options()) {
    SCOPED_TRACE(this->name(options));
    std::mt19937_64 random(5);
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    batch_recipe recipe;
    recipe.ids = this->ids(random, options, 100);
    recipe.insert_percent = 80;
    recipe.erase_percent = 18;
    this->apply(graph, oracle, random_batch(random, recipe, 3000, this->weighted));
    std::vector<typename TypeParam::vertex> sources;
    std::vector<typename TypeParam::vertex> targets;
    for (int i = 0; i < 400; ++i) {
      sources.push_back(static_cast<typename TypeParam::vertex>(recipe.ids[random() % recipe.ids.size()] + i % 2));
      targets.push_back(static_cast<typename TypeParam::vertex>(recipe.ids[random() % recipe.ids.size()]));
    }
    const auto facts = read_pairs<8, TypeParam>(this->res_, graph, sources, targets);
    const auto narrow = read_pairs<1, TypeParam>(this->res_, graph, sources, targets);
    const auto wide = read_pairs<32, TypeParam>(this->res_, graph, sources, targets);
    const auto edges = oracle.directed_edges();
    const std::map<graph_oracle::edge, double> all(edges.begin(), edges.end());
    std::map<std::uint64_t, std::set<std::uint64_t>> neighbors;
    for (const auto& [e, weight] : all) neighbors[e.first].insert(e.second);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const bool known_u = oracle.has_vertex(sources[i]);
      const bool known_v = oracle.has_vertex(targets[i]);
      ASSERT_EQ(facts[i].known, (known_u ? 1U : 0U) | (known_v ? 2U : 0U));
      if (!known_u || !known_v) continue;
      const auto edge = all.find({sources[i], targets[i]});
      ASSERT_EQ(facts[i].contains != 0, edge != all.end());
      ASSERT_EQ(facts[i].degree, neighbors[sources[i]].size());
      std::uint64_t common = 0;
      for (const std::uint64_t w : neighbors[sources[i]]) common += neighbors[targets[i]].count(w);
      ASSERT_EQ(facts[i].common, common);
      if (this->weighted) {
        ASSERT_EQ(facts[i].weight, edge != all.end() ? edge->second : -1.0);
      }
      ASSERT_EQ(facts[i].neighbor_sum, narrow[i].neighbor_sum);
      ASSERT_EQ(facts[i].neighbor_sum, wide[i].neighbor_sum);
      ASSERT_EQ(facts[i].common, narrow[i].common);
      ASSERT_EQ(facts[i].common, wide[i].common);
      ASSERT_EQ(facts[i].contains, narrow[i].contains);
      ASSERT_EQ(facts[i].contains, wide[i].contains);
    }
  }
}

TYPED_TEST_P(batches, refused_memory_leaves_the_graph_as_it_was) {
  using B = typename TypeParam::backend_type;
  for (const graph_options& options : this->all_options()) {
    SCOPED_TRACE(this->name(options));
    const auto memory = std::make_shared<limited_memory>(upstream_memory(this->res_));
    const resources<B> res(0, memory);
    std::mt19937_64 random(3);
    typename TypeParam::graph graph(res, options);
    graph_oracle oracle(options);
    batch_recipe recipe;
    recipe.ids = this->ids(random, options, 200);
    const update_batch first = random_batch(random, recipe, 1000, this->weighted);
    recipe.ids = this->ids(random, options, 2000);
    const update_batch second = random_batch(random, recipe, 6000, this->weighted);
    oracle.apply(first);
    graph.apply(res, first);
    std::uint64_t granted = 0;
    while (true) {
      memory->refuse_after(granted);
      try {
        graph.apply(res, second);
        break;
      } catch (const memory_error&) {
      }
      memory->refuse_after(limited_memory::unlimited);
      if (granted % 7 == 0) expect_same<TypeParam>(res, graph, oracle);
      granted += thread_sanitizer ? 5 : 1;
      ASSERT_FALSE(testing::Test::HasFailure()) << "after " << granted << " requests";
    }
    memory->refuse_after(limited_memory::unlimited);
    EXPECT_GT(granted, 10U);
    oracle.apply(second);
    expect_same<TypeParam>(res, graph, oracle);
  }
}

TYPED_TEST_P(batches, ids_of_erased_vertices_are_used_again) {
  graph_options options;
  options.ids = id_space::sparse;
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  for (std::uint64_t round = 0; round < 30; ++round) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ring;
    for (std::uint64_t i = 0; i < 50; ++i) ring.emplace_back(1000 * round + i, 1000 * round + (i + 1) % 50);
    this->apply(graph, oracle, this->edges(update_kind::insert, ring));
    if (round == 0) continue;
    for (auto& [u, v] : ring) u -= 1000;
    this->apply(graph, oracle, this->edges(update_kind::erase_vertex, ring));
  }
  EXPECT_EQ(graph.vertex_count(), 50U);
  EXPECT_LE(graph.index_count(), 150U);
  expect_same<TypeParam>(this->res_, graph, oracle);
}

TYPED_TEST_P(batches, ids_that_never_become_vertices_leave_nothing_behind) {
  graph_options options;
  options.ids = id_space::sparse;
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  this->apply(graph, oracle, this->edges(update_kind::insert, {{1, 2}}));
  for (std::uint64_t round = 1; round <= 40; ++round) {
    const std::uint64_t id = 1000 * round;
    static_cast<void>(graph.prepare(this->res_, this->edges(update_kind::insert, {{id, id + 1}, {id, id + 2}})));
    update_batch come_and_go = this->edges(update_kind::insert, {{id, 1}, {id, 0}, {id + 3, id + 3}});
    come_and_go.kinds[1] = update_kind::erase_vertex;
    this->apply(graph, oracle, come_and_go);
  }
  EXPECT_EQ(graph.vertex_count(), 2U);
  EXPECT_LE(graph.index_count(), 12U);
  expect_same<TypeParam>(this->res_, graph, oracle);
}

TYPED_TEST_P(batches, a_sliding_window_holds_its_memory) {
  typename TypeParam::graph graph(this->res_);
  std::mt19937_64 random(17);
  std::vector<update_batch> window;
  std::uint64_t after_warm_up = 0;
  for (int round = 0; round < 120; ++round) {
    batch_recipe recipe;
    for (std::uint64_t id = 0; id < 300; ++id) recipe.ids.push_back(id);
    recipe.insert_percent = 100;
    window.push_back(random_batch(random, recipe, 1000, this->weighted));
    graph.apply(this->res_, window.back());
    if (window.size() > 4) {
      window.front().kinds.assign(window.front().size(), update_kind::erase);
      graph.apply(this->res_, window.front());
      window.erase(window.begin());
    }
    if (round == 40) after_warm_up = graph.memory(this->res_).extents;
  }
  EXPECT_LE(graph.memory(this->res_).extents, after_warm_up + after_warm_up / 4);
}

TYPED_TEST_P(batches, a_prepared_change_can_be_dropped_but_not_committed_late) {
  for (const auto space : {id_space::dense, id_space::sparse}) {
    graph_options options;
    options.ids = space;
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    this->apply(graph, oracle, this->edges(update_kind::insert, {{1, 2}, {2, 3}}));
    auto dropped = graph.prepare(this->res_, this->edges(update_kind::insert, {{7, 8}, {1, 3}}));
    EXPECT_EQ(dropped.counts.inserted, 2U);
    expect_same<TypeParam>(this->res_, graph, oracle);
    this->apply(graph, oracle, this->edges(update_kind::insert, {{8, 9}, {1, 2}}));
    EXPECT_THROW(graph.commit(this->res_, dropped), usage_error);
    expect_same<TypeParam>(this->res_, graph, oracle);
  }
}

REGISTER_TYPED_TEST_SUITE_P(batches, random_mixed_batches_match_the_oracle, the_same_batch_twice_changes_nothing_more,
                            inserts_and_erases_of_one_edge_in_one_batch,
                            ids_and_positions_that_do_not_fit_into_one_sort_key, erasing_everything_and_inserting_again,
                            one_hub_takes_every_edge_and_loses_it, growing_and_shrinking_one_edge_at_a_time,
                            empty_batches_and_no_ops, ids_too_large_for_a_position_are_refused_and_nothing_happens,
                            edge_lists_bring_their_vertices, views_tell_what_the_graph_holds,
                            refused_memory_leaves_the_graph_as_it_was, ids_of_erased_vertices_are_used_again,
                            ids_that_never_become_vertices_leave_nothing_behind, a_sliding_window_holds_its_memory,
                            a_prepared_change_can_be_dropped_but_not_committed_late);

}  // namespace mangrove::test
