#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "long_random_edge_set.hpp"
#include "long_random_stream.hpp"
#include "mangrove/graph/graph_options.hpp"

namespace mangrove::test {

/// What `graph_oracle` is, for batches of millions: threads share the edges, and the last update of an edge decides.
///
/// An update of an edge holds when it comes after the last erase of either end. Positions count from 1 here; 0 is
/// never.
class fast_oracle {
 public:
  /// @param vertices ids are below
  fast_oracle(const cpu_resources& res, const graph_options& options, std::uint32_t vertices)
      : res_(res), options_(options), parts_(static_cast<std::size_t>(4 * res.threads())), vertices_(vertices) {}

  [[nodiscard]] std::uint64_t vertex_count() const noexcept { return vertex_count_; }
  [[nodiscard]] std::uint64_t edge_count() const {
    std::uint64_t sum = 0;
    for (const part& one : parts_) sum += one.edges.size();
    return sum;
  }
  [[nodiscard]] bool contains(std::uint32_t u, std::uint32_t v) const {
    const std::uint64_t edge = canonical(u, v);
    return parts_[part_of(edge)].edges.contains(edge);
  }

  update_counts apply(const host_updates& batch) {
    update_counts counts;
    const std::uint64_t edge_updates = note_vertices(batch);
    for_each_task<1>(res_, parts_.size(), [&](const auto&, std::size_t p) { update_part(batch, p); });
    for (const part& one : parts_) {
      counts.inserted += one.counts.inserted;
      counts.overwritten += one.counts.overwritten;
      counts.erased += one.counts.erased;
      counts.detached += one.counts.detached;
    }
    counts.ignored = edge_updates - counts.inserted - counts.overwritten - counts.erased;
    update_vertices(counts);
    return counts;
  }

 private:
  struct last_update {
    std::uint64_t edge;
    std::uint32_t position;
    bool inserts;

    friend bool operator<(const last_update& a, const last_update& b) {
      return a.edge != b.edge ? a.edge < b.edge : a.position < b.position;
    }
  };
  struct part {
    edge_set edges;
    std::vector<last_update> updates;  ///< of the batch, ascending by edge; one an edge
    update_counts counts;
  };
  struct vertex {
    std::uint32_t event = 0;   ///< twice the position of the last update that makes or erases it, odd when it makes it
    std::uint32_t erased = 0;  ///< the position of the last update that erases it
    bool exists = false;
  };

  [[nodiscard]] std::uint64_t canonical(std::uint32_t u, std::uint32_t v) const {
    if (options_.direction == edge_direction::undirected && v < u) std::swap(u, v);
    return std::uint64_t{u} << 32 | v;
  }
  [[nodiscard]] std::size_t part_of(std::uint64_t edge) const { return (mix(~edge) >> 32) % parts_.size(); }
  [[nodiscard]] bool dropped(std::uint32_t u, std::uint32_t v) const {
    return u == v && options_.loops == self_loops::drop;
  }
  [[nodiscard]] std::uint32_t erased_at(std::uint64_t edge) const {
    return std::max(vertices_[edge >> 32].erased, vertices_[static_cast<std::uint32_t>(edge)].erased);
  }

  static void raise(std::uint32_t& value, std::uint32_t to) {
    const std::atomic_ref<std::uint32_t> shared(value);
    std::uint32_t seen = shared.load(std::memory_order_relaxed);
    while (seen < to && !shared.compare_exchange_weak(seen, to, std::memory_order_relaxed)) {
    }
  }

  /// @return how many updates are of edges
  std::uint64_t note_vertices(const host_updates& batch) {
    std::atomic<std::uint64_t> vertex_updates{0};
    std::atomic<bool> erases{false};
    for_each_tile<1>(res_, batch.size(), [&](const auto&, std::size_t i) {
      const auto position = static_cast<std::uint32_t>(i + 1);
      const std::uint32_t u = batch.sources[i];
      const std::uint32_t v = batch.targets[i];
      switch (batch.kinds[i]) {
        case update_kind::erase:
          return;
        case update_kind::insert:
          if (dropped(u, v)) return;
          raise(vertices_[u].event, 2 * position + 1);
          raise(vertices_[v].event, 2 * position + 1);
          return;
        case update_kind::insert_vertex:
          raise(vertices_[u].event, 2 * position + 1);
          break;
        case update_kind::erase_vertex:
          raise(vertices_[u].event, 2 * position);
          raise(vertices_[u].erased, position);
          erases = true;
      }
      ++vertex_updates;
    });
    erases_vertices_ = erases;
    return batch.size() - vertex_updates;
  }

  void update_part(const host_updates& batch, std::size_t p) {
    part& mine = parts_[p];
    mine.counts = {};
    gather_updates(batch, p);
    if (erases_vertices_) detach(mine);
    for (const last_update& update : mine.updates) {
      if (update.position <= erased_at(update.edge)) continue;  // its vertex went later, and the edge with it
      if (update.inserts) {
        ++(mine.edges.insert(update.edge) ? mine.counts.inserted : mine.counts.overwritten);
      } else if (mine.edges.erase(update.edge)) {
        ++mine.counts.erased;
      }
    }
  }

  void gather_updates(const host_updates& batch, std::size_t p) {
    auto& updates = parts_[p].updates;
    updates.clear();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (batch.kinds[i] != update_kind::insert && batch.kinds[i] != update_kind::erase) continue;
      const std::uint64_t edge = canonical(batch.sources[i], batch.targets[i]);
      if (part_of(edge) != p || dropped(batch.sources[i], batch.targets[i])) continue;
      updates.push_back({edge, static_cast<std::uint32_t>(i + 1), batch.kinds[i] == update_kind::insert});
    }
    std::sort(updates.begin(), updates.end());
    const auto same = [](const last_update& a, const last_update& b) { return a.edge == b.edge; };
    updates.erase(updates.begin(), std::unique(updates.rbegin(), updates.rend(), same).base());
  }

  /// Erases the edges that went with a vertex and that no later update names.
  void detach(part& mine) const {
    std::vector<std::uint64_t> gone;
    mine.edges.for_each([&](std::uint64_t edge) {
      const std::uint32_t erased = erased_at(edge);
      if (erased == 0) return;
      const auto at = std::lower_bound(mine.updates.begin(), mine.updates.end(), last_update{edge, 0, false});
      if (at == mine.updates.end() || at->edge != edge || at->position <= erased) gone.push_back(edge);
    });
    for (const std::uint64_t edge : gone) mine.edges.erase(edge);
    mine.counts.detached += gone.size();
  }

  void update_vertices(update_counts& counts) {
    std::atomic<std::uint64_t> inserted{0};
    std::atomic<std::uint64_t> erased{0};
    for_each_tile<1>(res_, vertices_.size(), [&](const auto&, std::size_t u) {
      vertex& one = vertices_[u];
      if (one.event == 0) return;
      const bool exists = one.event % 2 == 1;
      if (exists && !one.exists) ++inserted;
      if (!exists && one.exists) ++erased;
      one = {0, 0, exists};
    });
    counts.vertices_inserted = inserted;
    counts.vertices_erased = erased;
    vertex_count_ += inserted;
    vertex_count_ -= erased;
  }

  cpu_resources res_;
  graph_options options_;
  std::vector<part> parts_;
  std::vector<vertex> vertices_;
  std::uint64_t vertex_count_ = 0;
  bool erases_vertices_ = false;
};

}  // namespace mangrove::test
