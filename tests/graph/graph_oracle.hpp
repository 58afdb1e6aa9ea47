#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "mangrove/graph/graph_options.hpp"
#include "mangrove/graph/update.hpp"

namespace mangrove::test {

/// A graph as a map, which applies the updates of a batch one after the other.
class graph_oracle {
 public:
  using edge = std::pair<std::uint64_t, std::uint64_t>;
  using weighted_edges = std::vector<std::pair<edge, double>>;

  explicit graph_oracle(const graph_options& options);
  ~graph_oracle();

  update_counts apply(const update_batch& batch);

  [[nodiscard]] std::size_t vertex_count() const;
  [[nodiscard]] bool has_vertex(std::uint64_t v) const;
  [[nodiscard]] std::size_t edge_count() const;
  /// In order, each once.
  [[nodiscard]] weighted_edges edges() const;
  /// In order, in both directions where they have none: as a graph exports them.
  [[nodiscard]] weighted_edges directed_edges() const;

  static void sort(weighted_edges& edges);

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace mangrove::test
