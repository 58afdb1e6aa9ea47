#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "adjacency_cases.hpp"
#include "long_random_oracle.hpp"
#include "mangrove/graph/dynamic_graph.hpp"

/// @file
/// Long sequences of mixed batches against an oracle that keeps up with a GPU. MANGROVE_TEST_LONG_UPDATES says how many
/// updates in all; 10^8 take about a minute on a GPU.

namespace mangrove::test {

template <class B>
class long_random : public testing::Test {
 protected:
  using graph_type = dynamic_graph<B, std::uint32_t, none>;

  /// Shapes, adjacency policies and directions in every combination. Directed graphs keep self loops.
  struct test_case {
    edge_shape shape;
    graph_options options;
    std::string name;
  };
  static std::vector<test_case> all_cases() {
    std::vector<test_case> all;
    for (const auto shape : {edge_shape::skewed, edge_shape::uniform}) {
      for (const adjacency_case& adjacency : adjacency_cases) {
        for (const auto direction : {edge_direction::undirected, edge_direction::directed}) {
          const bool directed = direction == edge_direction::directed;
          graph_options options{
              .direction = direction, .adjacency = adjacency.policy, .tree_from = adjacency.tree_from};
          options.loops = directed ? self_loops::keep : self_loops::drop;
          all.push_back({shape, options,
                         std::string(shape == edge_shape::skewed ? "skewed" : "uniform") +
                             (directed ? ", directed" : ", undirected") + ", " + adjacency.name});
        }
      }
    }
    return all;
  }

  void expect_same_edges(const graph_type& graph, const fast_oracle& oracle) {
    const auto list = graph.to_coo(res_);
    const auto sources = to_host(res_, list.sources.data(), list.sources.size());
    const auto targets = to_host(res_, list.targets.data(), list.targets.size());
    const bool directed = graph.options().direction == edge_direction::directed;
    ASSERT_EQ(sources.size(), (directed ? 1 : 2) * oracle.edge_count());
    ASSERT_EQ(sources.size(), graph.directed_edge_count());
    std::atomic<std::uint64_t> wrong{0};
    for_each_tile<1>(host_, sources.size(), [&](const auto&, std::size_t i) {
      const bool ascends = i == 0 || std::pair(sources[i - 1], targets[i - 1]) < std::pair(sources[i], targets[i]);
      if (!ascends || !oracle.contains(sources[i], targets[i])) ++wrong;
    });
    ASSERT_EQ(wrong, 0U) << "exported edges that repeat, are out of order or should not be there";
  }

  /// One batch in four also names vertices, one in eight is small.
  void run(const test_case& with, std::uint64_t seed, std::uint64_t updates) {
    const int scale = std::clamp(static_cast<int>(std::bit_width(updates)) - 6, 8, 20);
    const std::size_t largest = std::clamp<std::uint64_t>(updates / 12, 64, std::uint64_t{1} << 20);
    const update_stream stream(seed, with.shape, scale);
    std::mt19937_64 random(seed);
    graph_type graph(res_, with.options);
    fast_oracle oracle(host_, with.options, std::uint32_t{1} << scale);
    std::uint64_t checked = 0;
    for (std::uint64_t done = 0; done < updates;) {
      const std::size_t size = random() % 8 == 0 ? 1 + random() % 5000 : largest - random() % (largest / 4);
      const host_updates batch =
          stream.batch(host_, done, size, random() % 4 == 0 ? vertex_updates::some : vertex_updates::none);
      const update_counts expected = oracle.apply(batch);
      const update_counts counts = graph.apply(res_, placed_updates<B>(res_, batch).view());
      done += size;
      ASSERT_EQ(counts, expected) << "inserted " << counts.inserted << " not " << expected.inserted << ", overwritten "
                                  << counts.overwritten << " not " << expected.overwritten << ", erased "
                                  << counts.erased << " not " << expected.erased << ", detached " << counts.detached
                                  << " not " << expected.detached << " after " << done << " updates";
      ASSERT_EQ(graph.vertex_count(), oracle.vertex_count());
      ASSERT_EQ(graph.edge_count(), oracle.edge_count());
      if (done - checked >= updates / 4 || done >= updates) {
        expect_same_edges(graph, oracle);
        if (testing::Test::HasFatalFailure()) return;
        checked = done;
      }
    }
  }

  resources<B> res_;
  cpu_resources host_;
};

TYPED_TEST_SUITE_P(long_random);

TYPED_TEST_P(long_random, mixed_batches_match_the_oracle) {
  const std::uint64_t usual = std::is_same_v<TypeParam, cpu> ? 1'600'000 : 16'000'000;
  const std::uint64_t updates = environment_number("MANGROVE_TEST_LONG_UPDATES", usual);
  const std::uint64_t seed = environment_number("MANGROVE_TEST_SEED", std::random_device()());
  SCOPED_TRACE("MANGROVE_TEST_SEED=" + std::to_string(seed));
  const auto all = this->all_cases();
  for (const auto& one : all) {
    SCOPED_TRACE(one.name);
    this->run(one, seed, updates / all.size());
    if (testing::Test::HasFatalFailure()) return;
  }
}

REGISTER_TYPED_TEST_SUITE_P(long_random, mixed_batches_match_the_oracle);

}  // namespace mangrove::test
