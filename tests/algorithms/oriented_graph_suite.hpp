#pragma once

#include <algorithm>
#include <numeric>

#include "support.hpp"

/// @file
/// Tests of `algorithms/oriented_graph.hpp`, typed by backend.

namespace mangrove::test {

template <class B>
class oriented_graph_test : public testing::Test {
 protected:
  static constexpr vertex_order orders[] = {vertex_order::automatic, vertex_order::by_index, vertex_order::by_degree};

  resources<B> res{};

  void expect_counts_right(const bit_graph& graph) {
    const auto rows = rows_of<B>(res, graph);
    for (const vertex_order order : orders) {
      SCOPED_TRACE(testing::Message() << "order " << static_cast<int>(order) << ", vertices " << graph.size());
      const oriented_graph<B> oriented = orient(res, view_of(rows), order);
      EXPECT_EQ(count_oriented(res, oriented), graph.triangles());
      const auto counts = count_oriented_by_vertex(res, oriented);
      const auto host = to_host(res, counts.data(), counts.size());
      ASSERT_EQ(host.size(), graph.size());
      for (std::size_t u = 0; u < graph.size(); ++u) EXPECT_EQ(host[u], graph.triangles_at(u)) << "vertex " << u;
    }
  }
};

TYPED_TEST_SUITE_P(oriented_graph_test);

TYPED_TEST_P(oriented_graph_test, ClosedForms) {
  for (const std::uint64_t n : {3, 4, 31, 32, 33, 64, 65, 130, 200}) {
    const bit_graph clique = complete_graph(n);
    ASSERT_EQ(clique.triangles(), n * (n - 1) * (n - 2) / 6) << "the oracle is wrong";
    this->expect_counts_right(clique);
  }
  for (const std::uint64_t n : {5, 40, 256}) {
    const bit_graph rim = wheel(n);
    ASSERT_EQ(rim.triangles(), n - 1) << "the oracle is wrong";
    this->expect_counts_right(rim);
  }
}

TYPED_TEST_P(oriented_graph_test, GraphsWithoutTriangles) {
  for (const std::size_t n : {0, 1, 2, 200}) this->expect_counts_right(star(n));
  this->expect_counts_right(bit_graph(0));
  this->expect_counts_right(bit_graph(100));
  this->expect_counts_right(complete_bipartite(40, 90));
}

TYPED_TEST_P(oriented_graph_test, RandomGraphs) {
  std::mt19937_64 random(7);
  for (const double density : {0.01, 0.05, 0.3, 0.7, 0.97}) {
    for (const std::size_t n : {10, 64, 101, 220}) this->expect_counts_right(random_graph(n, density, random));
  }
  for (const std::size_t count : {1, 2, 5, 40}) this->expect_counts_right(hubs(256, count, random));
}

TYPED_TEST_P(oriented_graph_test, SelfLoopsDoNotCount) {
  std::mt19937_64 random(11);
  bit_graph graph = hubs(150, 3, random);
  const std::uint64_t without = graph.triangles();
  for (std::size_t u = 0; u < graph.size(); u += 2) graph.add(u, u);
  ASSERT_EQ(graph.triangles(), without) << "the oracle is wrong";
  this->expect_counts_right(graph);
}

TYPED_TEST_P(oriented_graph_test, RelabelsWhereDegreesAreSkewed) {
  const auto order_of = [&](const bit_graph& graph) {
    return orient(this->res, view_of(rows_of<TypeParam>(this->res, graph))).order;
  };
  EXPECT_EQ(order_of(star(256)), vertex_order::by_degree);
  EXPECT_EQ(order_of(complete_graph(200)), vertex_order::by_index);
  EXPECT_EQ(order_of(bit_graph(50)), vertex_order::by_index);
}

TYPED_TEST_P(oriented_graph_test, OrientationIsAnOrder) {
  std::mt19937_64 random(13);
  const bit_graph graph = hubs(200, 4, random);
  const auto rows = rows_of<TypeParam>(this->res, graph);
  const auto oriented = orient(this->res, view_of(rows), vertex_order::by_degree);
  const auto edges = to_host(this->res, oriented.edges.data(), oriented.edges.size());
  const auto indices = to_host(this->res, oriented.indices.data(), oriented.indices.size());
  EXPECT_EQ(edges.size(), graph.edges());
  EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end()));
  for (const std::uint64_t edge : edges) {
    const std::uint32_t from = indices[edge >> 32];
    const std::uint32_t to = indices[static_cast<std::uint32_t>(edge)];
    EXPECT_TRUE(graph.has(from, to));
    EXPECT_LE(graph.degree(from), graph.degree(to));
  }
}

/// A graph too large for the matrix: more edges than one task takes, rows that cross tasks' borders.
TYPED_TEST_P(oriented_graph_test, CliquesInARow) {
  constexpr std::uint32_t clique = 90;
  constexpr std::uint32_t cliques = 60;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> targets;
  for (std::uint32_t u = 0; u < clique * cliques; ++u) {
    const std::uint32_t first = u / clique * clique;
    for (std::uint32_t v = first; v < first + clique; ++v) {
      if (v != u) targets.push_back(v);
    }
    offsets.push_back(targets.size());
  }
  csr<TypeParam, none> rows;
  rows.offsets = make_buffer<TypeParam>(this->res, offsets.data(), offsets.size());
  rows.targets = make_buffer<TypeParam>(this->res, targets.data(), targets.size());
  for (const vertex_order order : this->orders) {
    const auto oriented = orient(this->res, view_of(rows), order);
    EXPECT_EQ(count_oriented(this->res, oriented), std::uint64_t{cliques} * clique * (clique - 1) * (clique - 2) / 6);
    const auto counts = count_oriented_by_vertex(this->res, oriented);
    for (const std::uint64_t count : to_host(this->res, counts.data(), counts.size())) {
      ASSERT_EQ(count, (clique - 1) * (clique - 2) / 2);
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(oriented_graph_test, ClosedForms, GraphsWithoutTriangles, RandomGraphs, SelfLoopsDoNotCount,
                            RelabelsWhereDegreesAreSkewed, OrientationIsAnOrder, CliquesInARow);

}  // namespace mangrove::test
