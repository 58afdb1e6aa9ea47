#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>

#include "long_random_stream.hpp"
#include "mangrove/graph/dynamic_graph.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

/// @file
/// A graph that is built from nothing in batches: its vertices outgrow one size of extent after the other, and what
/// they leave must serve others.

namespace mangrove::test {

template <class B>
class build_memory : public testing::Test {
 protected:
  /// Memory is mapped in steps of up to this many bytes.
  static constexpr std::uint64_t granule = std::uint64_t{1} << 21;

  graph_memory build(edge_shape shape, const graph_options& options, std::uint64_t batches, std::uint64_t size,
                     int scale) {
    const edge_stream edges(test_seed(), shape, scale);
    dynamic_graph<B, std::uint32_t, none> graph(res_, options);
    for (std::uint64_t turn = 0; turn < batches; ++turn) {
      host_updates batch(size);
      for (std::uint64_t i = 0; i < size; ++i) batch.set(i, update_kind::insert, edges(turn * size + i));
      graph.apply(res_, placed_updates<B>(res_, batch).view());
    }
    return graph.memory(res_);
  }

  seeded_random random_;  ///< names the seed
  resources<B> res_;
};

TYPED_TEST_SUITE_P(build_memory);

// A join waits until five sixteenths of the pool are free: 16/11 of what is in use. While a batch is applied, vertices
// have both their old and their new extents besides.
TYPED_TEST_P(build_memory, growing_in_batches_maps_at_most_half_as_much_again_as_is_in_use) {
  for (const auto shape : {edge_shape::uniform, edge_shape::skewed}) {
    for (const auto policy : {adjacency_policy::by_degree, adjacency_policy::hash}) {
      const graph_options options{.direction = edge_direction::directed, .adjacency = policy};
      const graph_memory memory = this->build(shape, options, repetitions(48), std::uint64_t{1} << 16, 16);
      const std::uint64_t in_use = memory.dictionary + memory.extents;
      std::printf("%s edges, %s: %.1f MiB in use, %.1f mapped\n", shape == edge_shape::uniform ? "uniform" : "skewed",
                  policy == adjacency_policy::hash ? "hash" : "by_degree", static_cast<double>(in_use) / (1 << 20),
                  static_cast<double>(memory.committed) / (1 << 20));
      EXPECT_LE(memory.committed, in_use + in_use / 2 + 2 * this->granule);
    }
  }
}

// Memory that was reserved is there before the first batch, and serves the batches. It is for edges: the first batch names
// the largest vertex, so that the dictionary does not grow after it.
TYPED_TEST_P(build_memory, reserved_memory_is_mapped_once) {
  constexpr std::uint64_t size = 1 << 16;
  constexpr unsigned scale = 16;
  const edge_stream edges(test_seed(), edge_shape::skewed, scale);
  dynamic_graph<TypeParam, std::uint32_t, none> graph(this->res_, {.direction = edge_direction::directed});
  host_updates batch(size);
  batch.set(0, update_kind::insert, {(1U << scale) - 1, 0});
  for (std::uint64_t i = 1; i < size; ++i) batch.set(i, update_kind::insert, edges(i));
  const auto placed = placed_updates<TypeParam>(this->res_, batch);
  graph.apply(this->res_, placed.view());
  const std::uint64_t before = graph.memory(this->res_).committed;
  graph.reserve(1 << 24);
  const graph_memory reserved = graph.memory(this->res_);
  EXPECT_GE(reserved.committed, before - 2 * this->granule + (6 << 24));  // 4 bytes an edge, and half of that
  EXPECT_LE(reserved.committed, before + (6 << 24) + this->granule);
  graph.reserve(1 << 10);
  EXPECT_EQ(graph.memory(this->res_).committed, reserved.committed) << "less than there is gives nothing back";
  for (std::uint64_t i = 0; i < size; ++i) batch.set(i, update_kind::insert, edges(size + i));
  graph.apply(this->res_, placed_updates<TypeParam>(this->res_, batch).view());
  EXPECT_EQ(graph.memory(this->res_).committed, reserved.committed);
}

TYPED_TEST_P(build_memory, more_than_there_is_cannot_be_reserved) {
  dynamic_graph<TypeParam, std::uint32_t, none> graph(this->res_, {.direction = edge_direction::directed});
  for (const std::uint64_t edges : {std::uint64_t{1} << 50, ~std::uint64_t{0}}) {
    EXPECT_THROW(graph.reserve(edges), memory_error);
  }
  host_updates batch(1);
  batch.set(0, update_kind::insert, {1, 2});
  EXPECT_EQ(graph.apply(this->res_, placed_updates<TypeParam>(this->res_, batch).view()).inserted, 1U);
}

REGISTER_TYPED_TEST_SUITE_P(build_memory, growing_in_batches_maps_at_most_half_as_much_again_as_is_in_use,
                            reserved_memory_is_mapped_once, more_than_there_is_cannot_be_reserved);

}  // namespace mangrove::test
