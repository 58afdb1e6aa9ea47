#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
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
    touched_.clear();
    vertices_were_there_.clear();
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

  /// What a batch does to an edge.
  struct touch {
    bool was_there;
    bool by_update;           ///< or only by the erasure of an end
    std::size_t last_update;  ///< its position
  };

  struct edge_hash {
    std::size_t operator()(const edge& e) const {
      return static_cast<std::size_t>((e.first * 0x9e3779b97f4a7c15U ^ e.second) * 0xbf58476d1ce4e5b9U);
    }
  };

  /// Notes what there is before the batch changes it: to keep all of the graph would take longer than the batch.
  touch& note(const edge& e) {
    const auto [at, is_new] = touched_.try_emplace(e);
    if (is_new) at->second.was_there = edges_.count(e) != 0;
    return at->second;
  }

  void insert_vertex(std::uint64_t v) {
    if (vertices_.insert(v).second) vertices_were_there_.try_emplace(v, false);
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
    touch& noted = note(e);
    noted.by_update = true;
    noted.last_update = i;
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
    const bool was_there = vertices_.erase(u) != 0;
    vertices_were_there_.try_emplace(u, was_there);
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
    for (const auto& [e, of] : touched_) {
      const bool is_there = edges_.count(e) != 0;
      if (of.was_there && !is_there) {
        const bool by_update = of.by_update && of.last_update >= erased_after(e);
        ++(by_update ? counts.erased : counts.detached);
      } else if (is_there && !of.was_there) {
        ++counts.inserted;
      } else if (is_there && of.by_update) {
        ++counts.overwritten;
      }
    }
    return counts;
  }

  graph_options options_;
  std::map<edge, double> edges_;
  std::set<std::uint64_t> vertices_;
  std::unordered_map<edge, touch, edge_hash> touched_;
  std::unordered_map<std::uint64_t, bool> vertices_were_there_;  ///< those that the batch makes or erases
  std::unordered_map<std::uint64_t, std::size_t> last_erased_;   ///< one more than the position
};

}  // namespace mangrove::test
