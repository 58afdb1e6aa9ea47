#pragma once

#include <algorithm>
#include <numeric>

#include "applied_batches.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

/// @file
/// Batches in which vertices of every degree have many updates each, repeats and self loops among them. Checked against
/// the oracle.

namespace mangrove::test {

template <class Types>
class hub_batches : public applied_batches<Types> {
 protected:
  using weight = typename Types::weight;
  static constexpr std::uint64_t ids = 30'000;

  /// What neighbours each hub may have: those of arrays, and of tables that fit into a tile's scratch, or do not.
  static constexpr std::uint64_t most_neighbors[] = {10, 20, 45, 90, 400, 2'500, 13'000};
  static constexpr std::uint64_t hubs = std::size(most_neighbors);

  /// Updates of all hubs: each of their possible edges is named with a probability of `percent`, some twice or more.
  update_batch draw(int percent, int insert_percent) {
    update_batch batch;
    for (std::uint64_t hub = 0; hub < hubs; ++hub) {
      for (std::uint64_t k = 0; k < most_neighbors[hub]; ++k) {
        if (static_cast<int>(random_() % 100) >= percent) continue;
        const std::uint64_t v = k * 7 % ids;  // not only those that come first
        const int times = random_() % 6 == 0 ? 3 : 1;
        for (int i = 0; i < times; ++i) add(batch, hub, v, insert_percent);
      }
      add(batch, hub, hub, insert_percent);
      add(batch, hub, hub, insert_percent);
    }
    for (int i = 0; i < 500; ++i) add(batch, random_() % ids, random_() % ids, insert_percent);
    return shuffled(batch);
  }

  /// Up to `most` updates of each of many vertices, self loops and repeats among them, and a hub.
  update_batch draw_runs(std::uint64_t most, int insert_percent) {
    constexpr std::uint64_t vertices = 500;
    update_batch batch;
    for (std::uint64_t v = 0; v < vertices; ++v) {
      for (std::uint64_t k = 0; k < v % (most + 1); ++k) add(batch, v, random_() % 200 * 7, insert_percent);
      if (v % 8 == 0) add(batch, v, v, insert_percent);
    }
    for (int i = 0; i < 2000; ++i) add(batch, vertices, random_() % ids, insert_percent);
    return shuffled(batch);
  }

  void add(update_batch& batch, std::uint64_t u, std::uint64_t v, int insert_percent) {
    const bool inserts = static_cast<int>(random_() % 100) < insert_percent;
    batch.push_back(inserts ? update_kind::insert : update_kind::erase, u, v);
  }

  update_batch shuffled(const update_batch& from) {
    std::vector<std::size_t> order(from.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    update_batch batch;
    for (const std::size_t i : order) {
      batch.push_back(from.kinds[i], from.sources[i], from.targets[i]);
      if constexpr (!is_none<weight>) batch.weights.push_back(static_cast<double>(random_() % 1000));
    }
    return batch;
  }

  /// Many vertices: or a batch would be built at once, or be too many updates for so few of them.
  static update_batch chain() {
    update_batch batch;
    for (std::uint64_t v = 0; v < 3 * ids; ++v) batch.push_back(update_kind::insert, v, v + 1);
    return batch;
  }

  /// So many different edges of one vertex, each some times, and the first ones once more, without weights, so that
  /// positions do not matter.
  update_batch giant_batch(std::uint64_t vertex, std::uint64_t edges, int times, std::uint64_t once_more = 0) {
    update_batch batch;
    for (std::uint64_t k = 0; k < edges; ++k) {
      for (int i = k < once_more ? -1 : 0; i < times; ++i) add(batch, vertex, k, 100);
    }
    batch = shuffled(batch);
    batch.weights.clear();
    return batch;
  }

  static std::vector<graph_options> all_options() {
    return {{.direction = edge_direction::directed, .loops = self_loops::keep},
            {.direction = edge_direction::undirected, .loops = self_loops::keep},
            {.direction = edge_direction::directed, .adjacency = adjacency_policy::hash}};
  }

  seeded_random random_;
};

TYPED_TEST_SUITE_P(hub_batches);

TYPED_TEST_P(hub_batches, of_one_kind) {
  for (const graph_options& options : this->all_options()) {
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    const std::pair<int, int> rounds[] = {{40, 100}, {4, 100}, {4, 100},  {4, 100}, {4, 100},  {10, 100},
                                          {10, 100}, {30, 0},  {95, 100}, {60, 0},  {20, 100}, {97, 0}};
    for (const auto& [percent, insert_percent] : rounds) {
      update_batch batch = this->draw(percent, insert_percent);
      if (percent % 20 != 0) batch.weights.clear();  // so that positions do not matter
      this->apply_alike(graph, oracle, batch);
      if (percent == 10) this->apply_alike(graph, oracle, batch);  // overwrites alone
      if (testing::Test::HasFatalFailure()) return;
      expect_same<TypeParam>(this->res_, graph, oracle);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TYPED_TEST_P(hub_batches, of_both_kinds) {
  for (const graph_options& options : this->all_options()) {
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    for (const int insert_percent : {90, 50, 70, 10, 80, 2}) {
      this->apply_mixed(graph, oracle, this->draw(50, insert_percent));
      if (testing::Test::HasFatalFailure()) return;
      expect_same<TypeParam>(this->res_, graph, oracle);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Vertices with tables get runs of all lengths that a run can have, in batches with a hub.
TYPED_TEST_P(hub_batches, beside_runs_of_all_lengths) {
  const graph_options options{.direction = edge_direction::directed, .loops = self_loops::keep};
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  this->apply_alike(graph, oracle, this->chain());
  const std::pair<std::uint64_t, int> rounds[] = {{90, 100}, {32, 100}, {36, 100}, {32, 0},   {34, 100},
                                                  {33, 50},  {8, 100},  {33, 20},  {36, 100}, {200, 0}};
  for (const auto& [most, insert_percent] : rounds) {
    update_batch batch = this->draw_runs(most, insert_percent);
    if (insert_percent % 100 != 0) {
      this->apply_mixed(graph, oracle, batch);
    } else {
      if (most % 4 == 0) batch.weights.clear();  // so that positions do not matter
      this->apply_alike(graph, oracle, batch);
    }
    if (testing::Test::HasFatalFailure()) return;
    expect_same<TypeParam>(this->res_, graph, oracle);
    if (testing::Test::HasFailure()) return;
  }
}

/// Repeats of some edges take no room, whether all updates of a hub are near each other or there are too many for that.
TYPED_TEST_P(hub_batches, that_repeat_edges_take_no_more_memory) {
  const auto bytes_for = [this](int times) {
    update_batch batch;
    for (std::uint64_t hub = 0; hub < 40; ++hub) {
      for (std::uint64_t k = 0; k < 300; ++k) {
        for (int i = 0; i < times; ++i) this->add(batch, hub, hub + k * 7 + 2, 100);
      }
    }
    batch = this->shuffled(batch);
    batch.weights.clear();  // so that positions do not matter
    const graph_options options{.direction = edge_direction::directed, .loops = self_loops::keep};
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    this->apply_alike(graph, oracle, this->chain());
    this->apply_alike(graph, oracle, batch);
    return graph.memory(this->res_).extents;
  };
  const std::uint64_t once = bytes_for(1);
  EXPECT_EQ(bytes_for(3), once);
  EXPECT_EQ(bytes_for(40), once);
}

/// One vertex gets most of a batch: some edges it has already, its self loop, and some edges more than once.
/// Bins of the device hold many more vertices then than have updates.
TYPED_TEST_P(hub_batches, among_very_many_vertices) {
  constexpr std::uint64_t all = 2'400'000;
  const graph_options options{.direction = edge_direction::directed, .loops = self_loops::keep};
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  this->apply_alike(graph, oracle, this->chain());
  for (const int insert_percent : {100, 100, 80, 100, 0}) {
    update_batch batch = this->draw(60, insert_percent);
    for (int i = 0; i < 30'000; ++i) this->add(batch, this->random_() % all, this->random_() % all, insert_percent);
    batch = this->shuffled(batch);
    insert_percent % 100 == 0 ? this->apply_alike(graph, oracle, batch) : this->apply_mixed(graph, oracle, batch);
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_same<TypeParam>(this->res_, graph, oracle);
}

TYPED_TEST_P(hub_batches, of_a_giant) {
  for (const graph_options& options : this->all_options()) {
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    this->apply_alike(graph, oracle, this->chain());
    for (const std::uint64_t known : {2, 20, 300}) {
      if (thread_sanitizer && known != 20) continue;
      this->apply_alike(graph, oracle, this->giant_batch(known, known, 1));
      this->apply_alike(graph, oracle, this->giant_batch(known, 20'000, 1, 2'000));
      for (const int times : {1, 2, 5}) {  // of five, it is not worth while to have room for all updates
        this->apply_alike(graph, oracle,
                          this->giant_batch(known, 20'000 + 1'000 * static_cast<unsigned>(times), times));
        if (testing::Test::HasFatalFailure()) return;
      }
      expect_same<TypeParam>(this->res_, graph, oracle);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Inserts alone, and fewer than the giant has neighbours: after some batches nothing is found out about hubs any more.
TYPED_TEST_P(hub_batches, of_the_same_giant_again_and_again) {
  const graph_options options{.direction = edge_direction::directed, .loops = self_loops::keep};
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  this->apply_alike(graph, oracle, this->chain());
  for (int round = 0; round < 12; ++round) {
    update_batch batch;
    for (int i = 0; i < 7'000; ++i) this->add(batch, 0, this->random_() % this->ids, 100);
    for (int i = 0; i < 200; ++i) this->add(batch, 1 + i % 4, this->random_() % this->ids, 100);
    for (int i = 0; i < 30'000; ++i) this->add(batch, this->random_() % this->ids, this->random_() % this->ids, 100);
    this->apply_alike(graph, oracle, this->shuffled(batch));
    if (testing::Test::HasFatalFailure()) return;
  }
  expect_same<TypeParam>(this->res_, graph, oracle);
}

TYPED_TEST_P(hub_batches, of_a_giant_that_repeat_edges_take_no_more_memory) {
  const auto bytes_for = [this](int times) {
    const graph_options options{.direction = edge_direction::directed, .loops = self_loops::keep};
    typename TypeParam::graph graph(this->res_, options);
    graph_oracle oracle(options);
    this->apply_alike(graph, oracle, this->chain());
    this->apply_alike(graph, oracle, this->giant_batch(1, 10'000, times));
    return graph.memory(this->res_).extents;
  };
  EXPECT_EQ(bytes_for(5), bytes_for(1));
}

/// Hubs with room for all their updates, batch after batch, of which nothing has to be found out before; then some of
/// which something has.
TYPED_TEST_P(hub_batches, of_another_kind_after_many_alike) {
  const graph_options options{.direction = edge_direction::directed, .loops = self_loops::keep};
  typename TypeParam::graph graph(this->res_, options);
  graph_oracle oracle(options);
  const auto apply_even = [&](std::uint64_t from, std::uint64_t each) {
    update_batch batch;
    for (std::uint64_t hub = 0; hub < 40; ++hub) {
      for (std::uint64_t k = 0; k < each; ++k) this->add(batch, hub, from + k, 100);
    }
    batch = this->shuffled(batch);
    batch.weights.clear();
    this->apply_alike(graph, oracle, batch);
  };
  this->apply_alike(graph, oracle, this->chain());
  apply_even(1'000, 400);
  for (const std::uint64_t edges : {std::uint64_t{600}, std::uint64_t{20'000}}) {
    for (std::uint64_t turn = 0; turn < 20; ++turn) apply_even(10 * edges + 40 * turn, 40);
    this->apply_alike(graph, oracle, this->giant_batch(edges, edges, 5));
    if (testing::Test::HasFatalFailure()) return;
    expect_same<TypeParam>(this->res_, graph, oracle);
    if (testing::Test::HasFailure()) return;
  }
}

REGISTER_TYPED_TEST_SUITE_P(hub_batches, of_one_kind, of_both_kinds, beside_runs_of_all_lengths,
                            that_repeat_edges_take_no_more_memory, among_very_many_vertices, of_a_giant,
                            of_another_kind_after_many_alike, of_the_same_giant_again_and_again,
                            of_a_giant_that_repeat_edges_take_no_more_memory);

}  // namespace mangrove::test
