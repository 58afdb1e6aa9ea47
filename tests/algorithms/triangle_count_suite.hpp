#pragma once

#include <algorithm>

#include "counter_support.hpp"

/// @file
/// Tests of `algorithms/triangle_count.hpp` against brute force, typed by `graph_config`.

namespace mangrove::test {

template <class Config>
class triangle_count_test : public testing::Test {
 protected:
  using B = typename Config::backend_type;
  using graph_type = dynamic_graph<B, typename Config::vertex, typename Config::weight>;

  resources<B> res{};

  graph_type make_graph(const bit_graph& wanted) {
    graph_type graph(res, Config::options());
    reference_graph<Config> reference(wanted.size());
    update_batch batch;
    for (std::size_t u = 0; u < wanted.size(); ++u) reference.insert_vertex(batch, u);
    graph.apply(res, batch);
    reference.assign(wanted);
    graph.apply(res, reference.all_edges());
    return graph;
  }

  /// Values by vertex from values by index: as they are where ids are indices, else all that can be compared is which
  /// values there are.
  template <class T>
  static void expect_same_values(std::vector<T> by_index, std::vector<T> by_vertex) {
    if (Config::ids != id_space::dense) {
      std::sort(by_index.begin(), by_index.end());
      std::sort(by_vertex.begin(), by_vertex.end());
    }
    EXPECT_EQ(by_index, by_vertex);
  }

  std::vector<bit_graph> graphs() {
    std::mt19937_64 random(19);
    bit_graph loops = random_graph(90, 0.2, random);
    for (std::size_t u = 0; u < 90; u += 3) loops.add(u, u);
    return {complete_graph(70),   wheel(100), star(200), complete_bipartite(33, 40), random_graph(200, 0.1, random),
            hubs(256, 7, random), loops};
  }
};

TYPED_TEST_SUITE_P(triangle_count_test);

TYPED_TEST_P(triangle_count_test, EmptyGraph) {
  const typename TestFixture::graph_type graph(this->res, TypeParam::options());
  EXPECT_EQ(triangle_count(this->res, graph), 0U);
  EXPECT_EQ(triangle_counts(this->res, graph).size(), 0U);
  const auto coefficients = clustering_coefficients(this->res, graph);
  EXPECT_EQ(coefficients.average, 0);
  EXPECT_EQ(coefficients.transitivity, 0);
}

TYPED_TEST_P(triangle_count_test, TotalsAndCountsByVertex) {
  for (const bit_graph& wanted : this->graphs()) {
    const auto graph = this->make_graph(wanted);
    EXPECT_EQ(triangle_count(this->res, graph), wanted.triangles());
    const auto counts = triangle_counts(this->res, graph);
    std::vector<std::uint64_t> expected;
    std::uint64_t sum = 0;
    for (std::size_t u = 0; u < wanted.size(); ++u) {
      expected.push_back(wanted.triangles_at(u));
      sum += expected.back();
    }
    EXPECT_EQ(sum, 3 * wanted.triangles());
    this->expect_same_values(to_host(this->res, counts.data(), counts.size()), expected);
  }
}

TYPED_TEST_P(triangle_count_test, ClusteringCoefficients) {
  for (const bit_graph& wanted : this->graphs()) {
    const auto graph = this->make_graph(wanted);
    const auto found = clustering_coefficients(this->res, graph);
    std::vector<double> expected;
    double sum = 0, paths = 0;
    for (std::size_t u = 0; u < wanted.size(); ++u) {
      const double degree = static_cast<double>(wanted.degree(u));
      const double pairs = degree * (degree - 1) / 2;
      expected.push_back(pairs == 0 ? 0 : static_cast<double>(wanted.triangles_at(u)) / pairs);
      sum += expected.back();
      paths += pairs;
    }
    this->expect_same_values(to_host(this->res, found.local.data(), found.local.size()), expected);
    EXPECT_NEAR(found.average, sum / static_cast<double>(wanted.size()), 1e-12);
    EXPECT_NEAR(found.transitivity, 3 * static_cast<double>(wanted.triangles()) / paths, 1e-12);
    EXPECT_EQ(found.triangle_count, wanted.triangles());
  }
}

REGISTER_TYPED_TEST_SUITE_P(triangle_count_test, EmptyGraph, TotalsAndCountsByVertex, ClusteringCoefficients);

}  // namespace mangrove::test
