#pragma once

#include <memory>
#include <utility>

#include "mangrove/algorithms/triangle_count.hpp"
#include "mangrove/algorithms/triangle_counter.hpp"
#include "support.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// What graph a typed test runs on.
template <backend B, class VertexT, class WeightT, adjacency_policy Policy, id_space Ids, self_loops Loops,
          std::uint32_t TreeFrom = no_degree>
struct graph_config {
  using backend_type = B;
  using vertex = VertexT;
  using weight = WeightT;
  static constexpr adjacency_policy policy = Policy;
  static constexpr id_space ids = Ids;
  static constexpr self_loops loops = Loops;

  static graph_options options() { return {edge_direction::undirected, Loops, Ids, Policy, TreeFrom}; }

  /// Outer ids: scattered over all of the type where the graph takes any, its two ends included.
  static std::uint64_t id(std::size_t vertex) {
    if constexpr (Ids == id_space::dense) {
      return vertex;
    } else {
      const auto scattered = static_cast<VertexT>(vertex * 0x9e3779b97f4a7c15ULL);
      return vertex == 1 ? static_cast<VertexT>(~VertexT{0}) : scattered;
    }
  }
};

template <backend B>
using graph_configs = types_to_test<
    4, graph_config<B, std::uint32_t, none, adjacency_policy::by_degree, id_space::dense, self_loops::drop>,
    graph_config<B, std::uint32_t, none, adjacency_policy::tree, id_space::dense, self_loops::keep>,
    graph_config<B, std::uint64_t, double, adjacency_policy::hash, id_space::sparse, self_loops::drop>,
    graph_config<B, std::uint32_t, float, adjacency_policy::by_degree, id_space::dense, self_loops::drop, 20>,
    graph_config<B, std::uint32_t, none, adjacency_policy::hash, id_space::dense, self_loops::keep>,
    graph_config<B, std::uint32_t, float, adjacency_policy::by_degree, id_space::dense, self_loops::keep>,
    graph_config<B, std::uint64_t, none, adjacency_policy::by_degree, id_space::sparse, self_loops::keep>>;

/// What a graph should be after updates in order, by brute force.
template <class Config>
class reference_graph {
 public:
  explicit reference_graph(std::size_t vertices) : graph_(vertices) {}

  [[nodiscard]] const bit_graph& graph() const { return graph_; }

  void insert(update_batch& batch, std::size_t u, std::size_t v) {
    push(batch, update_kind::insert, u, v);
    if (u != v || Config::loops == self_loops::keep) graph_.add(u, v);
  }
  void erase(update_batch& batch, std::size_t u, std::size_t v) {
    push(batch, update_kind::erase, u, v);
    graph_.remove(u, v);
  }
  void erase_vertex(update_batch& batch, std::size_t u) {
    push(batch, update_kind::erase_vertex, u, 0);
    graph_.isolate(u);
  }
  void insert_vertex(update_batch& batch, std::size_t u) { push(batch, update_kind::insert_vertex, u, 0); }

  /// An insert of every edge.
  [[nodiscard]] update_batch all_edges() const {
    update_batch batch;
    for_each_edge([&](std::size_t u, std::size_t v) { push(batch, update_kind::insert, u, v); });
    return batch;
  }

  update_batch erase_all() {
    update_batch batch;
    for_each_edge([&](std::size_t u, std::size_t v) { push(batch, update_kind::erase, u, v); });
    graph_ = bit_graph(graph_.size());
    return batch;
  }

  void assign(const bit_graph& graph) { graph_ = graph; }

 private:
  template <class F>
  void for_each_edge(F f) const {
    for (std::size_t u = 0; u < graph_.size(); ++u) {
      for (std::size_t v = 0; v <= u; ++v) {
        if (graph_.has(u, v)) f(u, v);
      }
    }
  }

  static void push(update_batch& batch, update_kind kind, std::size_t u, std::size_t v) {
    batch.push_back(kind, Config::id(u), Config::id(v));
    if constexpr (!is_none<typename Config::weight>) batch.weights.push_back(1.5);
  }

  bit_graph graph_;
};

/// Shares of the kinds of updates in a random batch.
struct update_mix {
  double insert;
  double erase;
  double erase_vertex;
};

/// Random updates. Ends are chosen so that low vertices become hubs, and edges come up again within a batch.
template <class Config>
update_batch random_batch(reference_graph<Config>& reference, std::size_t updates, const update_mix& mix,
                          std::mt19937_64& random) {
  const auto n = static_cast<double>(reference.graph().size());
  std::uniform_real_distribution<double> unit(0, 1);
  const auto hubby = [&] { return static_cast<std::size_t>(n * unit(random) * unit(random)); };
  const auto any = [&] { return static_cast<std::size_t>(n * unit(random)); };
  update_batch batch;
  for (std::size_t i = 0; i < updates; ++i) {
    const double choice = unit(random);
    const std::size_t u = hubby();
    const std::size_t v = unit(random) < 0.02 ? u : any();
    if (choice < mix.insert) {
      reference.insert(batch, u, v);
      if (unit(random) < 0.05) reference.erase(batch, v, u);
    } else if (choice < mix.insert + mix.erase) {
      reference.erase(batch, u, v);
      if (unit(random) < 0.05) reference.insert(batch, v, u);
    } else if (choice < mix.insert + mix.erase + mix.erase_vertex) {
      reference.erase_vertex(batch, v);
    } else {
      reference.insert_vertex(batch, v);
    }
  }
  return batch;
}

}  // namespace mangrove::test
