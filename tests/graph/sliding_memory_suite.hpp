#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <type_traits>

#include "adjacency_cases.hpp"
#include "long_random_stream.hpp"
#include "mangrove/graph/dynamic_graph.hpp"

/// @file
/// A window of constant size slides over a stream of random edges: what the graph holds must not grow with time.
/// MANGROVE_TEST_WINDOW_BATCHES and MANGROVE_TEST_WINDOW_EDGES say how many batches and how many new edges each has.

namespace mangrove::test {

template <class B>
class sliding_memory : public testing::Test {
 protected:
  static constexpr std::uint64_t window = 16;  ///< batches
  /// Memory is mapped in steps of this many bytes.
  static constexpr std::uint64_t granule = std::is_same_v<B, cpu> ? std::uint64_t{1} << 16 : std::uint64_t{1} << 21;

  /// Memory in bytes during a tenth of the batches.
  struct tenth {
    std::uint64_t in_use = 0;  ///< the sum of what was seen
    std::uint64_t committed = 0;
    std::uint64_t seen = 0;

    [[nodiscard]] double mean_in_use() const { return static_cast<double>(in_use) / static_cast<double>(seen); }
    void take(const graph_memory& memory) {
      in_use += memory.dictionary + memory.extents;
      committed = std::max(committed, memory.committed);
      ++seen;
    }
  };

  /// Batch number `turn`: the edges that leave the window go, then new ones come, so that an edge that does both stays.
  host_updates batch(const edge_stream& edges, std::uint64_t turn, std::uint64_t size) const {
    const bool leaving = turn >= window;
    host_updates made(leaving ? 2 * size : size);
    for_each_tile<1>(host_, made.size(), [&](const auto&, std::size_t i) {
      if (leaving && i < size) {
        made.set(i, update_kind::erase, edges((turn - window) * size + i));
      } else {
        made.set(i, update_kind::insert, edges(turn * size + i % size));
      }
    });
    return made;
  }

  /// Lets the window slide and looks at the memory about a thousand times. The first fifth is the warm-up: vertices
  /// keep room for a while, and until each has seen its highest degree the sum of that grows.
  void run(edge_shape shape, const adjacency_case& adjacency, std::uint64_t batches, std::uint64_t size,
           std::uint64_t seed) {
    const int scale = std::clamp(static_cast<int>(std::bit_width(size * window)) - 4, 6, 24);
    const edge_stream edges(seed, shape, scale);
    dynamic_graph<B, std::uint32_t, none> graph(res_,
                                                {.adjacency = adjacency.policy, .tree_from = adjacency.tree_from});
    std::array<tenth, 10> tenths;
    const std::uint64_t between = std::max<std::uint64_t>(1, batches / 1000);
    for (std::uint64_t turn = 0; turn < batches; ++turn) {
      graph.apply(res_, placed_updates<B>(res_, batch(edges, turn, size)).view());
      if (turn >= window && turn % between == 0) tenths[turn * 10 / batches].take(graph.memory(res_));
    }
    for (const tenth& one : tenths) std::printf(" %.0f/%.0f", one.mean_in_use() / 1024, one.committed / 1024.0);
    std::printf(" KiB in use (mean)/mapped in each tenth of the batches\n");
    const tenth& warm = tenths[1];
    for (std::size_t i = 2; i < tenths.size(); ++i) {
      EXPECT_LE(tenths[i].mean_in_use(), 1.04 * warm.mean_in_use()) << "memory in use grew by over 4 %";
      EXPECT_LE(tenths[i].committed, warm.committed + warm.committed / 8 + granule)
          << "mapped memory grew by more than a pool that is full maps at once, an eighth";
      EXPECT_LE(tenths[i].committed, tenths[2].committed + tenths[2].committed / 20 + granule)
          << "mapped memory grew by over 5 % after the third tenth";
    }
  }

  resources<B> res_;
  cpu_resources host_;
};

TYPED_TEST_SUITE_P(sliding_memory);

TYPED_TEST_P(sliding_memory, a_window_of_constant_size_takes_constant_memory) {
  const std::uint64_t usual_size = std::is_same_v<TypeParam, cpu> ? 256 : std::uint64_t{1} << 14;
  const std::uint64_t usual_batches = std::is_same_v<TypeParam, cpu> ? 3000 : 10000;
  const std::uint64_t batches = environment_number("MANGROVE_TEST_WINDOW_BATCHES", usual_batches);
  const std::uint64_t size = environment_number("MANGROVE_TEST_WINDOW_EDGES", usual_size);
  const std::uint64_t seed = environment_number("MANGROVE_TEST_SEED", std::random_device()());
  SCOPED_TRACE("MANGROVE_TEST_SEED=" + std::to_string(seed));
  for (const auto shape : {edge_shape::uniform, edge_shape::skewed}) {
    for (const adjacency_case& adjacency : adjacency_cases) {
      std::printf("%s edges, %s:", shape == edge_shape::uniform ? "uniform" : "skewed", adjacency.name);
      this->run(shape, adjacency, batches, size, seed);
      if (testing::Test::HasFailure()) return;
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(sliding_memory, a_window_of_constant_size_takes_constant_memory);

}  // namespace mangrove::test
