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
    were_there_.clear();
    vertices_were_there_.clear();
    last_update_.clear();
    last_erased_.clear();
    std::uint64_t edge_updates = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) edge_updates += apply_one(batch, i) ? 1 : 0;
    update_counts counts = count();
    counts.ignored = edge_updates - counts.inserted - counts.overwritten - counts.erased;
    for (const auto& [v, was_there] : vertices_were_there_) {
      const bool is_there = vertices_.count(v) != 0;
      counts.vertices_inserted += is_there && !was_there ? 1 : 0;
      counts.vertices_erased += was_there && !is_there ? 1 : 0;
    }
    return counts;
  }

 private:
  [[nodiscard]] edge canonical(std::uint64_t u, std::uint64_t v) const {
    if (options_.direction == edge_direction::undirected && v < u) std::swap(u, v);
    return {u, v};
  }

  /// Notes what there is before the batch changes it: to keep all of the graph would take longer than the batch.
  void note(const edge& e) { were_there_.try_emplace(e, edges_.count(e) != 0); }
  void note(std::uint64_t v) { vertices_were_there_.try_emplace(v, vertices_.count(v) != 0); }

  void insert_vertex(std::uint64_t v) {
    note(v);
    vertices_.insert(v);
  }

  /// @return whether it was an update of an edge
  bool apply_one(const update_batch& batch, std::size_t i) {
    const std::uint64_t u = batch.sources[i];
    const std::uint64_t v = batch.targets[i];
    switch (batch.kinds[i]) {
      case update_kind::insert_vertex:
        insert_vertex(u);
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
    note(e);
    last_update_[e] = {i, batch.kinds[i]};
    if (batch.kinds[i] == update_kind::erase) {
      edges_.erase(e);
      return;
    }
    edges_[e] = batch.weights.empty() ? 0.0 : batch.weights[i];
    insert_vertex(e.first);
    insert_vertex(e.second);
  }

  void erase_vertex(std::uint64_t u, std::size_t i) {
    last_erased_[u] = i + 1;
    note(u);
    vertices_.erase(u);
    for (auto at = edges_.begin(); at != edges_.end();) {
      const bool goes = at->first.first == u || at->first.second == u;
      if (goes) note(at->first);
      at = goes ? edges_.erase(at) : std::next(at);
    }
  }

  [[nodiscard]] std::size_t erased_after(const edge& e) const {
    const auto first = last_erased_.find(e.first);
    const auto second = last_erased_.find(e.second);
    return std::max(first == last_erased_.end() ? 0 : first->second, second == last_erased_.end() ? 0 : second->second);
  }

  [[nodiscard]] update_counts count() const {
    update_counts counts;
    for (const auto& [e, was_there] : were_there_) {
      const bool is_there = edges_.count(e) != 0;
      const auto update = last_update_.find(e);
      if (was_there && !is_there) {
        const bool by_update = update != last_update_.end() && update->second.first >= erased_after(e);
        ++(by_update ? counts.erased : counts.detached);
      } else if (is_there && !was_there) {
        ++counts.inserted;
      } else if (is_there && update != last_update_.end()) {
        ++counts.overwritten;
      }
    }
    return counts;
  }

  graph_options options_;
  std::map<edge, double> edges_;
  std::set<std::uint64_t> vertices_;
  /// What the batch touches, and whether it was there before.
  std::map<edge, bool> were_there_;
  std::map<std::uint64_t, bool> vertices_were_there_;
  std::map<edge, std::pair<std::size_t, update_kind>> last_update_;
  std::map<std::uint64_t, std::size_t> last_erased_;  ///< one more than the position
};

}  // namespace mangrove::test
