#include "preview_few.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "graph_state.hpp"
#include "graph_support.hpp"
#include "mangrove/core/for_each.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "mangrove/graph/placed_batch.hpp"
#include "support/random.hpp"

namespace mangrove::test {

namespace {

/// A graph of the CPU, whose batches are previewed as a device's tile does it, which the CPU leaves alone.
template <class Weight>
struct previewed_graph {
  using state_type = detail::graph_state<cpu, std::uint32_t, Weight>;
  using placed = placed_batch<cpu, std::uint32_t, Weight>;
  using bits = detail::weight_bits<Weight>;

  cpu_resources res{1};
  graph_options options;
  state_type state{res, options};

  explicit previewed_graph(const graph_options& with) : options(with) {}

  std::optional<detail::outcome_counts> by_tile(const batch_view<cpu, std::uint32_t, Weight>& batch,
                                                graph_change<cpu>& change) {
    const detail::indexed_updates updates{batch.sources, batch.targets, batch.kinds, batch.kind, batch.size};
    return detail::preview_by_tile<cpu, bits>(res, state.store().view(), updates, options, state.index_count(), change);
  }

  void expect_same(const update_batch& batch) {
    const placed on_cpu(res, batch);
    graph_change<cpu> change;
    const auto outcomes = by_tile(on_cpu.view(), change);
    const auto expected = state.preview(res, on_cpu.view());
    ASSERT_TRUE(outcomes.has_value() && expected.has_value());
    EXPECT_EQ(outcomes->of(detail::edge_outcome::insert), expected->counts.inserted);
    EXPECT_EQ(outcomes->of(detail::edge_outcome::overwrite), expected->counts.overwritten);
    EXPECT_EQ(outcomes->of(detail::edge_outcome::erase), expected->counts.erased);
    const auto edges = [](const auto& of) { return std::vector(of.edges.data(), of.edges.data() + of.size()); };
    const auto actions = [](const auto& of) { return std::vector(of.actions.data(), of.actions.data() + of.size()); };
    EXPECT_EQ(edges(change), edges(*expected));
    EXPECT_EQ(actions(change), actions(*expected));
  }

  void apply(const update_batch& batch) { state.apply(res, placed(res, batch).view()); }
};

template <class Weight>
void expect_same_in_random_batches(std::mt19937_64& random) {
  for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
    for (const auto loops : {self_loops::drop, self_loops::keep}) {
      previewed_graph<Weight> graph({.direction = direction, .loops = loops});
      batch_recipe recipe;
      for (std::uint64_t id = 0; id < 150; ++id) recipe.ids.push_back(id);
      recipe.vertex_insert_percent = 100;
      recipe.insert_percent = recipe.erase_percent = 0;
      graph.apply(random_batch(random, recipe, 2000, !is_none<Weight>));  // all ids come to be
      recipe.insert_percent = 60;
      recipe.erase_percent = 40;
      for (const std::size_t most : {1U, 3U, 64U, 700U, 2048U}) {
        for (int round = 0; round < 4; ++round) {
          const update_batch batch = random_batch(random, recipe, most - random() % (most / 2 + 1), !is_none<Weight>);
          graph.expect_same(batch);
          graph.apply(batch);
        }
      }
    }
  }
}

}  // namespace

TEST(preview_few, finds_what_a_preview_by_many_tiles_does) {
  std::mt19937_64 random(test_seed());
  SCOPED_TRACE("MANGROVE_TEST_SEED=" + std::to_string(test_seed()));
  expect_same_in_random_batches<none>(random);
  expect_same_in_random_batches<float>(random);
}

TEST(preview_few, leaves_batches_to_others_that_are_not_of_known_edges_or_too_large) {
  previewed_graph<none> graph{{}};
  update_batch first;
  first.push_back(update_kind::insert, 1, 9);
  graph.apply(first);
  const auto suits = [&](update_kind kind, std::uint64_t u, std::uint64_t v, std::size_t times) {
    update_batch batch;
    for (std::size_t i = 0; i < times; ++i) batch.push_back(kind, u, v);
    graph_change<cpu> change;
    return graph.by_tile(previewed_graph<none>::placed(graph.res, batch).view(), change).has_value();
  };
  EXPECT_TRUE(suits(update_kind::insert, 2, 3, 1));
  EXPECT_TRUE(suits(update_kind::erase, 2, 3, 2048));
  EXPECT_FALSE(suits(update_kind::erase, 2, 3, 2049));
  EXPECT_FALSE(suits(update_kind::insert, 2, 10, 1));
  EXPECT_FALSE(suits(update_kind::erase, 10, 2, 1));
  EXPECT_FALSE(suits(update_kind::insert_vertex, 2, 2, 1));
}

}  // namespace mangrove::test
