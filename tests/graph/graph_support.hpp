#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "adjacency_cases.hpp"
#include "graph_oracle.hpp"
#include "mangrove/core/transfer.hpp"
#include "mangrove/graph/dynamic_graph.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// A combination of types to test with.
template <backend B, class Vertex, class Weight>
struct graph_types {
  using backend_type = B;
  using vertex = Vertex;
  using weight = Weight;
  using graph = dynamic_graph<B, Vertex, Weight>;
};

/// The combinations of types that the libraries instantiate. Under sanitizers, weights of 4 bytes are left to the tests
/// of grouping, under ThreadSanitizer all weights.
template <backend B>
using graph_type_list =
    types_to_test<types_kept(1, 2), graph_types<B, std::uint32_t, none>, graph_types<B, std::uint64_t, double>,
                  graph_types<B, std::uint64_t, none>, graph_types<B, std::uint32_t, float>>;

/// How many updates a random test applies in all; the environment variable MANGROVE_TEST_UPDATES changes it.
inline std::uint64_t random_updates(std::uint64_t usual) {
  const char* const wanted = std::getenv("MANGROVE_TEST_UPDATES");
  return wanted == nullptr ? usual : std::strtoull(wanted, nullptr, 10);
}

inline std::shared_ptr<memory_resource> upstream_memory(const cpu_resources&) {
  return default_host_memory();
}
inline std::shared_ptr<memory_resource> upstream_memory(const cuda_resources& res) {
  return default_device_memory(res.device());
}

/// What a batch is drawn from: a few ids, so that updates meet, and how often each kind comes.
struct batch_recipe {
  std::vector<std::uint64_t> ids;
  int insert_percent = 60;
  int erase_percent = 37;
  int vertex_insert_percent = 2;   ///< the rest erases vertices
  std::uint64_t hub_percent = 10;  ///< updates that name the first id as an end
};

inline update_batch random_batch(std::mt19937_64& random, const batch_recipe& recipe, std::size_t size, bool weighted) {
  update_batch batch;
  const auto any_id = [&] { return recipe.ids[random() % recipe.ids.size()]; };
  for (std::size_t i = 0; i < size; ++i) {
    const int kind = static_cast<int>(random() % 100);
    const int vertex_insert = recipe.insert_percent + recipe.erase_percent;
    batch.push_back(kind < recipe.insert_percent                          ? update_kind::insert
                    : kind < vertex_insert                                ? update_kind::erase
                    : kind < vertex_insert + recipe.vertex_insert_percent ? update_kind::insert_vertex
                                                                          : update_kind::erase_vertex,
                    random() % 100 < recipe.hub_percent ? recipe.ids.front() : any_id(), any_id());
    if (random() % 2 == 0) std::swap(batch.sources.back(), batch.targets.back());
    if (weighted) batch.weights.push_back(static_cast<double>(random() % 1000));
  }
  return batch;
}

/// The graph's ids by index, read through its view's backend memory.
template <class Types>
std::vector<std::uint64_t> all_ids(const resources<typename Types::backend_type>& res,
                                   const typename Types::graph& graph);

/// In order of ids.
template <class Types>
graph_oracle::weighted_edges all_edges(const resources<typename Types::backend_type>& res,
                                       const typename Types::graph& graph) {
  const auto list = graph.to_coo(res);
  const auto sources = to_host(res, list.sources.data(), list.sources.size());
  const auto targets = to_host(res, list.targets.data(), list.targets.size());
  const auto weights = to_host(res, list.weights.data(), list.weights.size());
  const std::vector<std::uint64_t> ids = all_ids<Types>(res, graph);
  graph_oracle::weighted_edges edges;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    double weight = 0;
    if constexpr (!is_none<typename Types::weight>) weight = static_cast<double>(weights[i]);
    edges.emplace_back(graph_oracle::edge{ids[sources[i]], ids[targets[i]]}, weight);
    if (i > 0) {
      EXPECT_LT(std::pair(sources[i - 1], targets[i - 1]), std::pair(sources[i], targets[i]));
    }
  }
  graph_oracle::sort(edges);
  for (std::size_t i = 1; i < edges.size(); ++i) EXPECT_NE(edges[i - 1].first, edges[i].first) << "a repeat";
  return edges;
}

template <class Types>
void expect_same(const resources<typename Types::backend_type>& res, const typename Types::graph& graph,
                 const graph_oracle& oracle) {
  EXPECT_EQ(graph.vertex_count(), oracle.vertex_count());
  EXPECT_EQ(graph.edge_count(), oracle.edge_count());
  const auto expected = oracle.directed_edges();
  EXPECT_EQ(graph.directed_edge_count(), expected.size());
  EXPECT_TRUE(all_edges<Types>(res, graph) == expected) << "edges or weights differ";
}

}  // namespace mangrove::test
