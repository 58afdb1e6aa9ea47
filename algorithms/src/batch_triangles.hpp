#pragma once

#include "batch_edges.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "mangrove/graph/graph_view.hpp"
#include "rank_filter.hpp"
#include "tally.hpp"

/// @file
/// The triangles on the edges of a batch, each counted at its edge of highest rank. Included after the backend's
/// `for_each_tile`.

namespace mangrove::detail::triangles {

/// One of `parts` equal shares of a tile's work: bodies that hand their loops to a tile can be split among several.
template <class Tile>
class tile_share {
 public:
  /// Bodies stride, also where a tile is one thread: a loop of their own would do the other parts' work too.
  static constexpr bool simd = false;

  MANGROVE_HOST_DEVICE tile_share(const Tile& tile, std::uint64_t part, std::uint64_t parts)
      : tile_(tile), part_(part), parts_(parts) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE auto solo() const { return tile_.solo(); }

  template <class F>
  MANGROVE_HOST_DEVICE void strided(std::size_t count, F f) const {
    const std::size_t first = count * part_ / parts_;
    tile_.strided(count * (part_ + 1) / parts_ - first, [&](std::size_t i) { f(first + i); });
  }

 private:
  const Tile& tile_;
  std::uint64_t part_;
  std::uint64_t parts_;
};

/// Neighbours that one tile looks up; an edge between hubs is the work of many tiles.
inline constexpr std::uint64_t probes_per_task = 1024;

/// What counting at an edge, or at all edges, comes to, about.
struct edge_work {
  std::uint64_t probes;  ///< neighbours to look up: the smaller degree of its ends, with all of the batch's inserts
  std::uint64_t tasks;
};

/// Estimates the work of a batch's edges of a kind, from the graph before the batch.
template <class View>
struct work_estimate {
  View before;
  batch_edges batch;
  edge_action kind;

  /// Of edge i.
  [[nodiscard]] MANGROVE_HOST_DEVICE edge_work operator()(std::size_t i) const {
    if (!batch.counts(i, kind)) return {0, 0};
    const std::uint64_t u = degree_bound(source_of(batch.edges[i]));
    const std::uint64_t v = degree_bound(target_of(batch.edges[i]));
    const std::uint64_t least = u < v ? u : v;
    return {least, 1 + least / probes_per_task};
  }

  /// A vertex's degree at the time when the edges are counted, or more.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t degree_bound(std::uint32_t vertex) const {
    const std::uint64_t degree = vertex < before.index_count() ? before.degree(vertex) : 0;
    if (kind == edge_action::erase) return degree;
    const edge_range row = batch.row(vertex);
    return degree + (row.end - row.begin);
  }
};

/// Body: the work of each edge of the batch.
template <class View>
struct estimate_each {
  work_estimate<View> estimate;
  std::uint64_t* probes;
  std::uint64_t* tasks;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const edge_work work = estimate(i);
    probes[i] = work.probes;
    tasks[i] = work.tasks;
  }
};

/// Body, called once: estimates the work of all edges of a small batch, and numbers their tasks: one launch, where
/// large ones take several, each of which takes a host longer than this.
template <class View>
struct plan_few_edges {
  static constexpr int width = 1024;
  static constexpr std::size_t most = 8192;

  work_estimate<View> estimate;
  std::uint64_t* first_tasks;
  edge_work* all;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t, std::byte*) const {
    const std::size_t size = estimate.batch.size;
    edge_work sums{0, 0};
    for (std::size_t first = 0; first < size; first += Tile::lanes) {
      const std::size_t i = first + static_cast<std::size_t>(tile.lane());
      const edge_work own = i < size ? estimate(i) : edge_work{0, 0};
      const auto tasks = tile.scan(own.tasks);
      if (i < size) first_tasks[i] = sums.tasks + tasks.before;
      sums.probes += own.probes;
      sums.tasks += tasks.all;
    }
    sums.probes = tile.sum(sums.probes);
    if (tile.lane() != 0) return;
    first_tasks[size] = sums.tasks;
    *all = sums;
  }
};

/// Body: the triangles that task t finds on its edge of the batch.
template <class View>
struct intersect_edge {
  View graph;
  batch_edges batch;
  edge_action kind;
  const std::uint64_t* first_tasks;
  tally_handle total;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t task) const {
    const std::size_t i = row_of(first_tasks, batch.size, task);
    const tile_share<Tile> share(tile, task - first_tasks[i], first_tasks[i + 1] - first_tasks[i]);
    const std::uint32_t u = source_of(batch.edges[i]);
    const std::uint32_t v = target_of(batch.edges[i]);
    const row_changes of_u = row_changes::of(batch, kind, u);
    const row_changes of_v = row_changes::of(batch, kind, v);
    std::uint64_t found = 0;
    graph.intersect(share, u, v, [&](std::uint32_t w) { found += counts_here(u, of_u, v, of_v, w) ? 1 : 0; });
    found = tile.sum(found);
    if (tile.lane() == 0) total.add(task, found);
  }
};

/// The triangles on a batch's edges of one kind: planned, with all memory, before the batch is applied; counted in the
/// graph before or after it. A tile an edge, many for an edge between hubs.
template <backend B>
class tiled_batch_count {
 public:
  template <class View>
  tiled_batch_count(const resources<B>& res, const View& before, const graph_change<B>& change, edge_action kind)
      : batch_(view_of(change)), kind_(kind), first_tasks_(res, change.size() + 1), total_(res) {
    all_ = change.size() <= plan_few_edges<View>::most ? plan_few(res, before) : plan_many(res, before);
  }

  /// Neighbours that `run` will look up, about.
  [[nodiscard]] std::uint64_t probes() const noexcept { return all_.probes; }

  /// Counts in `graph`; at most once. Allocates nothing.
  template <class View>
  std::uint64_t run(const resources<B>& res, const View& graph) {
    const intersect_edge<View> body{graph, batch_, kind_, first_tasks_.data(), total_.ref()};
    if (all_.probes <= 4 * all_.tasks) {
      for_each_task<2>(res, all_.tasks, body);
    } else if (all_.probes <= 32 * all_.tasks) {
      for_each_task<8>(res, all_.tasks, body);
    } else {
      for_each_task<32>(res, all_.tasks, body);
    }
    return total_.total(res);
  }

 private:
  template <class View>
  edge_work plan_few(const resources<B>& res, const View& before) {
    using body = plan_few_edges<View>;
    buffer<B, edge_work> all(res, 1);
    for_each_tile_with_scratch<body::width, 128>(res, 1,
                                                 body{{before, batch_, kind_}, first_tasks_.data(), all.data()});
    return read_back(res, all.data());
  }

  template <class View>
  edge_work plan_many(const resources<B>& res, const View& before) {
    buffer<B, std::uint64_t> probes(res, batch_.size);
    buffer<B, std::uint64_t> tasks(res, batch_.size);
    for_each_tile<1>(res, batch_.size, estimate_each<View>{{before, batch_, kind_}, probes.data(), tasks.data()});
    exclusive_scan(res, tasks.data(), first_tasks_.data(), batch_.size);
    return {sum(res, probes.data(), batch_.size), read_back(res, first_tasks_.data() + batch_.size)};
  }

  batch_edges batch_;
  edge_action kind_;
  buffer<B, std::uint64_t> first_tasks_;
  tally<B> total_;
  edge_work all_{0, 0};
};

/// The way that suits a backend.
template <backend B>
struct batch_count_for {
  using type = tiled_batch_count<B>;
};
template <backend B>
using batch_count = typename batch_count_for<B>::type;

}  // namespace mangrove::detail::triangles
