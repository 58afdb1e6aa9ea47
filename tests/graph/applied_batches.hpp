#pragma once

#include "mangrove/core/buffer.hpp"
#include "view_reader.hpp"

namespace mangrove::test {

/// Applies batches to a graph and to the oracle, and compares what they say has changed.
template <class Types>
class applied_batches : public testing::Test {
 protected:
  using backend_type = typename Types::backend_type;
  using vertex = typename Types::vertex;
  using weight = typename Types::weight;
  using graph_type = typename Types::graph;

  void apply_mixed(graph_type& graph, graph_oracle& oracle, const update_batch& batch) {
    const update_counts expected = oracle.apply(batch);
    ASSERT_EQ(graph.apply(res_, batch), expected);
  }

  /// As a view without kinds, all of which are the first one's.
  void apply_alike(graph_type& graph, graph_oracle& oracle, const update_batch& batch) {
    const auto sources = placed<vertex>(batch.sources);
    const auto targets = placed<vertex>(batch.targets);
    batch_view<backend_type, vertex, weight> view{sources.data(), targets.data(), nullptr,
                                                  nullptr,        batch.kinds[0], batch.size()};
    buffer<backend_type, weight> weights;
    if constexpr (!is_none<weight>) {
      weights = placed<weight>(batch.weights);
      if (!batch.weights.empty()) view.weights = weights.data();
    }
    const update_counts expected = oracle.apply(batch);
    ASSERT_EQ(graph.apply(res_, view), expected);
  }

  template <class T, class From>
  buffer<backend_type, T> placed(const std::vector<From>& values) {
    std::vector<T> converted;
    for (const From value : values) converted.push_back(static_cast<T>(value));
    return make_buffer<backend_type>(res_, converted.data(), converted.size());
  }

  resources<backend_type> res_;
};

}  // namespace mangrove::test
