#pragma once

#include <set>

#include "tree_support.hpp"
#include "view_reader.hpp"

/// @file
/// B-trees of neighbours: their structure after batches of every kind, reads in order and by range, and their memory.

namespace mangrove::test {

template <class Types>
class trees : public testing::Test {
 protected:
  using B = typename Types::backend_type;
  using Weight = typename Types::weight;
  using graph_type = typename Types::graph;
  static constexpr bool weighted = !is_none<Weight>;

  /// Keeps what a directed graph should be, as a map, and compares now and then.
  struct pair {
    pair(const resources<B>& res, const graph_options& options) : graph(res, options) {}
    graph_type graph;
    std::map<graph_oracle::edge, double> edges;
  };

  static graph_options directed(std::uint32_t tree_from = no_degree) {
    return {.direction = edge_direction::directed,
            .loops = self_loops::keep,
            .adjacency = tree_from == no_degree ? adjacency_policy::tree : adjacency_policy::by_degree,
            .tree_from = tree_from};
  }

  void apply(pair& to, const update_batch& batch) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const graph_oracle::edge edge{batch.sources[i], batch.targets[i]};
      if (batch.kinds[i] == update_kind::insert) {
        to.edges[edge] = weighted ? batch.weights[i] : 0;
      } else {
        to.edges.erase(edge);
      }
    }
    to.graph.apply(res_, batch);
    ASSERT_EQ(to.graph.edge_count(), to.edges.size());
  }

  /// Takes the edges of vertices out of what the graph should be.
  static void drop_edges_of(pair& of, const std::set<std::uint64_t>& gone) {
    std::erase_if(of.edges,
                  [&](const auto& edge) { return gone.count(edge.first.first) + gone.count(edge.first.second) != 0; });
  }

  /// @return how many trees there are
  std::size_t check(const pair& of) {
    const graph_oracle::weighted_edges expected(of.edges.begin(), of.edges.end());
    EXPECT_TRUE(all_edges<Types>(res_, of.graph) == expected) << "edges or weights differ";
    return expect_sound_trees(res_, of.graph);
  }

  void add(update_batch& batch, update_kind kind, std::uint64_t u, std::uint64_t v) {
    batch.push_back(kind, u, v);
    if (weighted) batch.weights.push_back(static_cast<double>(random_.below(1000)));
  }

  template <class F>
  update_batch batch_of(update_kind kind, std::uint64_t u, std::uint64_t count, F target) {
    update_batch batch;
    for (std::uint64_t i = 0; i < count; ++i) add(batch, kind, u, target(i));
    return batch;
  }

  /// Asks for a range of neighbours.
  template <int Width>
  void expect_ranges(const pair& of, std::vector<neighbor_range> ranges, bool sorted) {
    const auto placed = upload(res_, ranges);
    buffer<B, neighbor_range> read(res_, ranges.size());
    copy(res_, read.data(), placed.data(), ranges.size());
    for_each_tile<Width>(res_, ranges.size(), read_range<typename Types::vertex, Weight>{of.graph.view(), read.data()});
    ranges = download(res_, read);
    for (const neighbor_range& range : ranges) {
      std::uint64_t sum = 0;
      std::uint32_t count = 0;
      const auto end = of.edges.lower_bound({range.source, range.high});
      for (auto at = of.edges.lower_bound({range.source, range.low}); range.low < range.high && at != end; ++at) {
        sum += 3 * at->first.second + 1;
        ++count;
      }
      ASSERT_EQ(range.count, count) << range.source << ": " << range.low << " to " << range.high;
      ASSERT_EQ(range.sum, sum);
      if (sorted) {
        ASSERT_EQ(range.disorder, 0U);
      }
    }
  }

  std::vector<neighbor_range> random_ranges(std::uint32_t sources, std::uint32_t ids) {
    std::vector<neighbor_range> ranges;
    for (int i = 0; i < 2000; ++i) {
      const auto low = static_cast<std::uint32_t>(random_.below(ids));
      const auto length = static_cast<std::uint32_t>(random_.below(i % 3 == 0 ? ids : 40));
      ranges.push_back({static_cast<std::uint32_t>(random_.below(sources)), low, low + length, 0, 0, 0});
    }
    for (std::uint32_t u = 0; u < sources; ++u) {
      ranges.push_back({u, 0, ~0U, 0, 0, 0});
      ranges.push_back({u, 5, 5, 0, 0, 0});
      ranges.push_back({u, 9, 3, 0, 0, 0});
      ranges.push_back({u, 0, 1, 0, 0, 0});
    }
    return ranges;
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(trees);

TYPED_TEST_P(trees, a_hub_of_several_levels_grows_and_shrinks) {
  typename TestFixture::pair pair(this->res_, this->directed());
  constexpr std::uint64_t ids = 200'000;
  const auto random_batch = [&](update_kind kind, std::uint64_t count) {
    return this->batch_of(kind, 7, count, [&](std::uint64_t) { return this->random_.below(ids); });
  };
  this->apply(pair, random_batch(update_kind::insert, 10'000));  // fewer than a bulk build takes
  EXPECT_EQ(this->check(pair), 1U);
  this->apply(pair, random_batch(update_kind::insert, 60'000));
  EXPECT_EQ(this->check(pair), 1U);
  for (int round = 0; round < 6; ++round) {
    update_batch batch = random_batch(update_kind::insert, 3000);
    for (int i = 0; i < 3000; ++i) this->add(batch, update_kind::erase, 7, this->random_.below(ids));
    for (const auto& [edge, weight] : pair.edges) {
      if (this->random_.below(20) == 0) this->add(batch, update_kind::erase, 7, edge.second);
    }
    this->apply(pair, batch);
    EXPECT_EQ(this->check(pair), 1U);
  }
  while (!pair.edges.empty()) {  // with fewer and fewer left, down to none
    update_batch batch;
    for (const auto& [edge, weight] : pair.edges) {
      if (pair.edges.size() < 4 || this->random_.below(3) != 0) this->add(batch, update_kind::erase, 7, edge.second);
    }
    this->apply(pair, batch);
    this->check(pair);
    if (testing::Test::HasFailure()) FAIL();
  }
  EXPECT_EQ(pair.graph.edge_count(), 0U);
}

TYPED_TEST_P(trees, updates_of_a_single_leaf) {
  typename TestFixture::pair pair(this->res_, this->directed());
  const auto at = [](std::uint64_t first, std::uint64_t step) {
    return [=](std::uint64_t i) { return first + step * i; };
  };
  const auto insert = update_kind::insert;
  const auto erase = update_kind::erase;
  this->apply(pair, this->batch_of(insert, 3, 400, at(100'000, 1000)));
  this->apply(pair, this->batch_of(insert, 3, 5000, at(600'000, 1)));  // all behind the last one
  EXPECT_EQ(this->check(pair), 1U);
  this->apply(pair, this->batch_of(insert, 3, 5000, at(0, 1)));  // all in front of the first one
  EXPECT_EQ(this->check(pair), 1U);
  this->apply(pair, this->batch_of(insert, 3, 900, at(200'001, 1)));  // all between two
  EXPECT_EQ(this->check(pair), 1U);
  this->apply(pair, this->batch_of(erase, 3, 900, at(200'001, 1)));  // and those again, which empties leaves
  EXPECT_EQ(this->check(pair), 1U);
  this->apply(pair, this->batch_of(erase, 3, 300, at(604'700, 1)));  // the last leaves
  EXPECT_EQ(this->check(pair), 1U);
  this->apply(pair, this->batch_of(erase, 3, 300, at(0, 1)));  // the first
  EXPECT_EQ(this->check(pair), 1U);
  for (std::uint64_t i = 0; i < 200; ++i) this->apply(pair, this->batch_of(insert, 3, 1, at(700'000 + i, 1)));
  EXPECT_EQ(this->check(pair), 1U);
  for (std::uint64_t i = 0; i < 200; ++i) this->apply(pair, this->batch_of(insert, 3, 1, at(90'000 - i, 1)));
  EXPECT_EQ(this->check(pair), 1U);
}

TYPED_TEST_P(trees, degrees_of_every_size_in_batches_of_every_size) {
  for (const std::uint32_t tree_from : {no_degree, 5U, 40U, 200U}) {
    SCOPED_TRACE("trees from " + std::to_string(tree_from));
    typename TestFixture::pair pair(this->res_, this->directed(tree_from));
    std::size_t most = 0;
    for (int round = 0; round < 40; ++round) {
      update_batch batch;
      const std::uint64_t size = 1 + this->random_.below(round % 2 == 0 ? 20 : 6000);
      const std::uint64_t insert_percent = round < 20 ? 80 : 15;
      for (std::uint64_t i = 0; i < size; ++i) {
        const std::uint64_t u = this->random_.below(1 + this->random_.below(60));  // lower ones more often
        const auto kind = this->random_.below(100) < insert_percent ? update_kind::insert : update_kind::erase;
        this->add(batch, kind, u, this->random_.below(700));
      }
      this->apply(pair, batch);
      most = std::max(most, this->check(pair));
      if (testing::Test::HasFailure()) FAIL() << "round " << round;
    }
    EXPECT_GT(most, 10U);
  }
}

TYPED_TEST_P(trees, all_kinds_in_one_graph_and_from_each_to_each) {
  typename TestFixture::pair pair(this->res_, this->directed(100));
  const std::vector<std::uint64_t> degrees{0, 1, 4, 9, 30, 60, 99, 100, 120, 500, 3000};
  for (const std::uint64_t degree : {1, 8, 60, 500}) {  // one of each kind that stays, whatever becomes of the others
    this->apply(pair, this->batch_of(update_kind::insert, 10'000 + degree, degree, [](std::uint64_t i) { return i; }));
  }
  for (int round = 0; round < 6; ++round) {
    update_batch batch;
    for (std::uint64_t u = 0; u < degrees.size() * degrees.size(); ++u) {
      const std::size_t turn = round % 2 == 0 ? u % degrees.size() : u / degrees.size();
      const std::uint64_t wanted = degrees[round < 4 ? turn : this->random_.below(degrees.size())];
      for (auto at = pair.edges.lower_bound({u, 0}); at != pair.edges.end() && at->first.first == u; ++at) {
        if (this->random_.below(10) != 0) this->add(batch, update_kind::erase, u, at->first.second);
      }
      for (std::uint64_t k = 0; k < wanted; ++k) this->add(batch, update_kind::insert, u, this->random_.below(9000));
    }
    this->apply(pair, batch);
    EXPECT_GT(this->check(pair), 20U);
    const graph_memory memory = pair.graph.memory(this->res_);
    for (const std::uint64_t vertices :
         {memory.inlined_vertices, memory.array_vertices, memory.hash_vertices, memory.tree_vertices}) {
      EXPECT_GT(vertices, 0U);
    }
    EXPECT_EQ(memory.inlined_edges + memory.array_edges + memory.hash_edges + memory.tree_edges, pair.edges.size());
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

TYPED_TEST_P(trees, a_vertex_does_not_flip_at_the_border) {
  typename TestFixture::pair pair(this->res_, this->directed(100));
  const auto trees = [&] { return pair.graph.memory(this->res_).tree_vertices; };
  const auto target = [](std::uint64_t i) { return 3 * i; };
  this->apply(pair, this->batch_of(update_kind::insert, 1, 99, target));
  EXPECT_EQ(trees(), 0U);
  this->apply(pair, this->batch_of(update_kind::insert, 1, 100, target));
  EXPECT_EQ(trees(), 1U);
  this->apply(pair, this->batch_of(update_kind::erase, 1, 50, target));
  EXPECT_EQ(trees(), 1U);
  this->apply(pair, this->batch_of(update_kind::erase, 1, 51, target));
  EXPECT_EQ(trees(), 0U);
  EXPECT_EQ(pair.graph.memory(this->res_).hash_vertices, 1U);
  this->apply(pair, this->batch_of(update_kind::insert, 1, 51, target));
  EXPECT_EQ(trees(), 1U);
  this->check(pair);
}

TYPED_TEST_P(trees, neighbors_in_order_and_by_range) {
  for (const adjacency_case& adjacency : adjacency_cases) {
    SCOPED_TRACE(adjacency.name);
    graph_options options = this->directed();
    options.adjacency = adjacency.policy;
    options.tree_from = adjacency.tree_from;
    typename TestFixture::pair pair(this->res_, options);
    update_batch batch;
    const std::vector<std::uint64_t> degrees{1, 2, 3, 4, 8, 16, 31, 33, 64, 100, 900, 2000, 70000};
    constexpr std::uint32_t ids = 200'000;
    for (std::uint64_t u = 0; u < degrees.size(); ++u) {
      for (std::uint64_t k = 0; k < degrees[u]; ++k) this->add(batch, update_kind::insert, u, this->random_.below(ids));
    }
    this->apply(pair, batch);
    const bool sorted = adjacency.policy == adjacency_policy::tree;
    const auto ranges = this->random_ranges(static_cast<std::uint32_t>(degrees.size()), ids);
    this->template expect_ranges<1>(pair, ranges, sorted);
    this->template expect_ranges<8>(pair, ranges, sorted);
    this->template expect_ranges<32>(pair, ranges, sorted);
    if (testing::Test::HasFailure()) FAIL();
  }
}

TYPED_TEST_P(trees, removing_vertices_leaves_sound_trees) {
  for (const std::uint32_t tree_from : {no_degree, 40U}) {
    for (const bool few : {true, false}) {
      typename TestFixture::pair pair(this->res_, this->directed(tree_from));
      update_batch batch;
      constexpr std::uint64_t ids = 3000;
      for (std::uint64_t i = 0; i < 60'000; ++i) {
        const std::uint64_t u = this->random_.below(3) == 0 ? this->random_.below(6) : this->random_.below(ids);
        this->add(batch, update_kind::insert, u, this->random_.below(ids));
      }
      this->apply(pair, batch);
      for (int round = 0; round < 5; ++round) {
        update_batch removal;
        std::set<std::uint64_t> gone;
        for (std::uint64_t i = 0; i < (few ? 5U : 900U); ++i) gone.insert(this->random_.below(ids));
        if (round % 2 == 1) gone.insert(round);  // a hub
        for (const std::uint64_t u : gone) removal.push_back(update_kind::erase_vertex, u);
        this->drop_edges_of(pair, gone);
        pair.graph.apply(this->res_, removal);
        this->check(pair);
        this->apply(
            pair, this->batch_of(update_kind::insert, 2, 500, [&](std::uint64_t) { return this->random_.below(ids); }));
        this->check(pair);
        if (testing::Test::HasFailure()) FAIL() << "round " << round;
      }
    }
  }
}

TYPED_TEST_P(trees, take_little_more_memory_than_rows) {
  typename TestFixture::pair pair(this->res_, this->directed());
  update_batch batch;
  for (std::uint64_t u = 0; u < 100; ++u) {
    for (std::uint64_t k = 0; k < 500; ++k) this->add(batch, update_kind::insert, u, 37 * k + u);
  }
  this->apply(pair, batch);
  EXPECT_EQ(this->check(pair), 100U);
  const std::size_t bytes = sizeof(std::uint32_t) + (this->weighted ? sizeof(typename TypeParam::weight) : 0);
  EXPECT_LE(pair.graph.memory(this->res_).extents, pair.edges.size() * bytes * 3 / 2);
}

TYPED_TEST_P(trees, are_built_anew_when_little_is_left) {
  typename TestFixture::pair pair(this->res_, this->directed());
  this->apply(pair, this->batch_of(update_kind::insert, 1, 30'000, [](std::uint64_t i) { return 5 * i; }));
  const std::size_t bytes = sizeof(std::uint32_t) + (this->weighted ? sizeof(typename TypeParam::weight) : 0);
  while (pair.edges.size() > 200) {
    update_batch batch;
    for (const auto& [edge, weight] : pair.edges) {
      if (this->random_.below(6) == 0) this->add(batch, update_kind::erase, 1, edge.second);
    }
    this->apply(pair, batch);
    EXPECT_EQ(this->check(pair), 1U);
    // Leaves are at least 40 % full, and a directory takes a sixteenth of them.
    EXPECT_LE(pair.graph.memory(this->res_).extents, pair.edges.size() * bytes * 29 / 10 + 8 * slab_bytes);
  }
}

TYPED_TEST_P(trees, give_back_what_they_took) {
  for (const std::uint32_t tree_from : {no_degree, 40U}) {
    typename TestFixture::pair pair(this->res_, this->directed(tree_from));
    std::uint64_t after_first = 0;
    for (int round = 0; round < 12; ++round) {
      update_batch batch;
      for (std::uint64_t i = 0; i < 9000; ++i) {
        this->add(batch, update_kind::insert, this->random_.below(80), this->random_.below(5000));
      }
      this->apply(pair, batch);
      batch.kinds.assign(batch.size(), update_kind::erase);
      this->apply(pair, batch);
      EXPECT_EQ(pair.graph.edge_count(), 0U);
      // What aligns fresh extents to slabs stays in use: less than a slab a size class and batch.
      if (round == 0) after_first = pair.graph.memory(this->res_).extents;
      EXPECT_LE(pair.graph.memory(this->res_).extents, after_first + round * 12 * slab_bytes);
    }
    EXPECT_LE(after_first, 12 * slab_bytes);
  }
}

REGISTER_TYPED_TEST_SUITE_P(trees, a_hub_of_several_levels_grows_and_shrinks, updates_of_a_single_leaf,
                            degrees_of_every_size_in_batches_of_every_size,
                            all_kinds_in_one_graph_and_from_each_to_each, a_vertex_does_not_flip_at_the_border,
                            neighbors_in_order_and_by_range, removing_vertices_leaves_sound_trees,
                            take_little_more_memory_than_rows, are_built_anew_when_little_is_left,
                            give_back_what_they_took);

}  // namespace mangrove::test
