#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "batch_triangles.hpp"
#include "mangrove/core/for_each.hpp"

/// @file
/// The CPU's way to count triangles on a batch's edges: sorted by the end of larger degree, so that edges at one hub
/// come together, share a bitmap of the hub's neighbours and look theirs up in it instead of in a hash table.

namespace mangrove::detail::triangles {

/// A set of vertices as bits, empty between uses.
class vertex_bitmap {
 public:
  vertex_bitmap(const cpu_resources& res, std::size_t vertices) : words_(res, (vertices + 63) / 64) {
    fill_bytes(res, words_.data(), 0, words_.size());
  }
  [[nodiscard]] bool has_room() const noexcept { return !words_.empty(); }
  [[nodiscard]] bool holds(std::uint32_t vertex) const { return (words_.data()[vertex / 64] >> vertex % 64 & 1) != 0; }
  void insert(std::uint32_t vertex) { words_.data()[vertex / 64] |= std::uint64_t{1} << vertex % 64; }
  void clear_around(std::uint32_t vertex) { words_.data()[vertex / 64] = 0; }

 private:
  buffer<cpu, std::uint64_t> words_;
};

/// What a thread keeps of the hub at hand.
struct hub_bitmaps {
  vertex_bitmap neighbors;
  vertex_bitmap changes;  ///< those of them that the batch's edges of the kind lead to

  hub_bitmaps(const cpu_resources& res, std::size_t vertices) : neighbors(res, vertices), changes(res, vertices) {}

  template <class View>
  void set(const View& graph, const row_changes& changed) {
    graph.for_each_neighbor(cpu_tile<1>(), changed.from, [&](std::uint32_t w, const auto&...) { neighbors.insert(w); });
    for (std::uint64_t i = changed.row.begin; i < changed.row.end; ++i) {
      if (changed.batch.actions[i] == changed.kind) changes.insert(target_of(changed.batch.edges[i]));
    }
  }

  template <class View>
  void clear(const View& graph, const row_changes& changed) {
    graph.for_each_neighbor(cpu_tile<1>(), changed.from,
                            [&](std::uint32_t w, const auto&...) { neighbors.clear_around(w); });
    for (std::uint64_t i = changed.row.begin; i < changed.row.end; ++i) {
      changes.clear_around(target_of(changed.batch.edges[i]));
    }
  }
};

/// The triangles on a batch's edges of one kind, as `tiled_batch_count`.
class hub_batch_count {
 public:
  template <class View>
  hub_batch_count(const cpu_resources& res, const View& before, const graph_change<cpu>& change, edge_action kind)
      : batch_(view_of(change)), kind_(kind), edges_(res, change.size()) {
    buffer<cpu, std::uint64_t> probes(res, change.size());
    const work_estimate<View> estimate{before, batch_, kind};
    for_each_tile<1>(res, change.size(), [&, to = edges_.data()](const auto&, std::size_t i) {
      probes.data()[i] = 0;
      to[i] = no_edge;
      if (batch_.counts(i, kind)) to[i] = hub_first(estimate, batch_.edges[i], probes.data()[i]);
    });
    sort(res, edges_.data(), edges_.size());
    count_ = lower_bound(edges_.data(), 0, edges_.size(), no_edge);
    probes_ = sum(res, probes.data(), probes.size());
    const std::size_t vertices =
        std::max<std::size_t>(before.index_count(), source_of(batch_.edges[batch_.size - 1]) + 1);
    const bool bitmaps_pay = probes_ > vertices / 16;  // else clearing them at first takes longer than all lookups
    for (int i = 0; i < res.threads(); ++i) bitmaps_.emplace_back(res, bitmaps_pay ? vertices : 0);
  }

  [[nodiscard]] std::uint64_t probes() const noexcept { return probes_; }

  template <class View>
  std::uint64_t run(const cpu_resources& res, const View& graph) {
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> total{0};
    for_each_task<1>(res, bitmaps_.size(), [&](const auto&, std::size_t worker) {
      std::size_t first = next.fetch_add(edges_per_stretch);
      for (; first < count_; first = next.fetch_add(edges_per_stretch)) {
        total += count_stretch(graph, bitmaps_[worker], first, std::min(first + edges_per_stretch, count_));
      }
    });
    return total;
  }

 private:
  static constexpr std::uint64_t no_edge = ~std::uint64_t{0};
  static constexpr std::size_t edges_per_stretch = 128;
  static constexpr std::uint64_t bits_per_probe =
      4;  ///< neighbours set and cleared in the time of one lookup in a table

  template <class View>
  static std::uint64_t hub_first(const work_estimate<View>& estimate, std::uint64_t edge, std::uint64_t& probes) {
    const std::uint64_t u = estimate.degree_bound(source_of(edge));
    const std::uint64_t v = estimate.degree_bound(target_of(edge));
    probes = std::min(u, v);
    return u < v ? edge << 32 | edge >> 32 : edge;
  }

  template <class View>
  std::uint64_t count_stretch(const View& graph, hub_bitmaps& bitmaps, std::size_t first, std::size_t last) const {
    std::uint64_t found = 0;
    while (first < last) {
      const std::uint32_t hub = source_of(edges_.data()[first]);
      std::uint64_t probes = 0;
      std::size_t end = first;
      for (; end < last && source_of(edges_.data()[end]) == hub; ++end) {
        probes += graph.degree(target_of(edges_.data()[end]));
      }
      const row_changes of_hub = row_changes::of(batch_, kind_, hub);
      if (bitmaps.neighbors.has_room() && probes * bits_per_probe > graph.degree(hub)) {
        bitmaps.set(graph, of_hub);
        for (; first < end; ++first) found += count_by_bitmaps(graph, bitmaps, hub, target_of(edges_.data()[first]));
        bitmaps.clear(graph, of_hub);
      }
      for (; first < end; ++first) found += count_by_probes(graph, of_hub, target_of(edges_.data()[first]));
    }
    return found;
  }

  template <class View>
  std::uint64_t count_by_bitmaps(const View& graph, const hub_bitmaps& bitmaps, std::uint32_t hub,
                                 std::uint32_t other) const {
    const row_changes of_other = row_changes::of(batch_, kind_, other);
    std::uint64_t found = 0;
    std::array<std::uint32_t, 64> common;  // gathered without a branch: whether w is common cannot be predicted
    std::size_t gathered = 0;
    const auto count_gathered = [&] {
      for (std::size_t i = 0; i < gathered; ++i) {
        found += counts_here(hub, bitmaps.changes, other, of_other, common[i]) ? 1 : 0;
      }
      gathered = 0;
    };
    graph.for_each_neighbor(cpu_tile<1>(), other, [&](std::uint32_t w, const auto&...) {
      common[gathered] = w;
      gathered += bitmaps.neighbors.holds(w) ? 1 : 0;
      if (gathered == common.size()) count_gathered();
    });
    count_gathered();
    return found;
  }

  template <class View>
  std::uint64_t count_by_probes(const View& graph, const row_changes& of_hub, std::uint32_t other) const {
    const row_changes of_other = row_changes::of(batch_, kind_, other);
    std::uint64_t found = 0;
    graph.intersect(cpu_tile<1>(), of_hub.from, other,
                    [&](std::uint32_t w) { found += counts_here(of_hub.from, of_hub, other, of_other, w) ? 1 : 0; });
    return found;
  }

  batch_edges batch_;
  edge_action kind_;
  buffer<cpu, std::uint64_t> edges_;  ///< of the kind, hub << 32 | other, ascending
  std::size_t count_ = 0;
  std::uint64_t probes_ = 0;
  std::vector<hub_bitmaps> bitmaps_;  ///< one a thread; empty ones when they don't pay
};

template <>
struct batch_count_for<cpu> {
  using type = hub_batch_count;
};

}  // namespace mangrove::detail::triangles
