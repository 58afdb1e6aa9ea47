#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "mangrove/graph/graph_options.hpp"
#include "mangrove/graph/update.hpp"

namespace mangrove::test {

/// A graph as a map, which applies the updates of a batch one after the other.
class graph_oracle {
 public:
  using edge = std::pair<std::uint64_t, std::uint64_t>;

  explicit graph_oracle(const graph_options& options) : options_(options) {}

  [[nodiscard]] const std::map<edge, double>& edges() const { return edges_; }
  [[nodiscard]] const std::set<std::uint64_t>& vertices() const { return vertices_; }

  update_counts apply(const update_batch& batch) {
    const std::set<std::uint64_t> vertices_before = vertices_;
    const std::map<edge, double> edges_before = edges_;
    last_update_.clear();
    last_erased_.clear();
    std::uint64_t edge_updates = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) edge_updates += apply_one(batch, i) ? 1 : 0;
    update_counts counts = count(edges_before);
    counts.ignored = edge_updates - counts.inserted - counts.overwritten - counts.erased;
    for (const std::uint64_t v : vertices_) counts.vertices_inserted += vertices_before.count(v) == 0 ? 1 : 0;
    for (const std::uint64_t v : vertices_before) counts.vertices_erased += vertices_.count(v) == 0 ? 1 : 0;
    return counts;
  }

 private:
  [[nodiscard]] edge canonical(std::uint64_t u, std::uint64_t v) const {
    if (options_.direction == edge_direction::undirected && v < u) std::swap(u, v);
    return {u, v};
  }

  /// @return whether it was an update of an edge
  bool apply_one(const update_batch& batch, std::size_t i) {
    const std::uint64_t u = batch.sources[i];
    const std::uint64_t v = batch.targets[i];
    switch (batch.kinds[i]) {
      case update_kind::insert_vertex:
        vertices_.insert(u);
        return false;
      case update_kind::erase_vertex:
        erase_vertex(u, i);
        return false;
      default:
        if (u != v || options_.loops == self_loops::keep) update_edge(batch, i, canonical(u, v));
        return true;
    }
  }

  void update_edge(const update_batch& batch, std::size_t i, const edge& e) {
    last_update_[e] = {i, batch.kinds[i]};
    if (batch.kinds[i] == update_kind::erase) {
      edges_.erase(e);
      return;
    }
    edges_[e] = batch.weights.empty() ? 0.0 : batch.weights[i];
    vertices_.insert(e.first);
    vertices_.insert(e.second);
  }

  void erase_vertex(std::uint64_t u, std::size_t i) {
    last_erased_[u] = i + 1;
    vertices_.erase(u);
    for (auto at = edges_.begin(); at != edges_.end();) {
      at = at->first.first == u || at->first.second == u ? edges_.erase(at) : std::next(at);
    }
  }

  [[nodiscard]] std::size_t erased_after(const edge& e) const {
    const auto first = last_erased_.find(e.first);
    const auto second = last_erased_.find(e.second);
    return std::max(first == last_erased_.end() ? 0 : first->second, second == last_erased_.end() ? 0 : second->second);
  }

  [[nodiscard]] update_counts count(const std::map<edge, double>& before) const {
    update_counts counts;
    for (const auto& [e, weight] : before) {
      if (edges_.count(e) != 0) continue;
      const auto update = last_update_.find(e);
      const bool by_update = update != last_update_.end() && update->second.first >= erased_after(e);
      ++(by_update ? counts.erased : counts.detached);
    }
    for (const auto& [e, weight] : edges_) {
      if (before.count(e) == 0) {
        ++counts.inserted;
      } else if (last_update_.count(e) != 0) {
        ++counts.overwritten;
      }
    }
    return counts;
  }

  graph_options options_;
  std::map<edge, double> edges_;
  std::set<std::uint64_t> vertices_;
  std::map<edge, std::pair<std::size_t, update_kind>> last_update_;
  std::map<std::uint64_t, std::size_t> last_erased_;  ///< one more than the position
};

}  // namespace mangrove::test
