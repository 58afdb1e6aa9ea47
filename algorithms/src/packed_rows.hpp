#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "intersect_rows.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/for_each.hpp"

/// @file
/// The CPU's way to count triangles of a graph that is relabelled by degree: rows as runs of bits. Hubs have the
/// smallest labels and are most rows' targets, so a word of 64 bits holds many of them, and one `and` tests them all.

namespace mangrove::detail::triangles {

/// Rows as words of 64 targets each; words without a target are left out.
struct packed_rows {
  buffer<cpu, edge_range> rows;       ///< of words
  buffer<cpu, std::uint32_t> places;  ///< which targets a word is about: 64 * place and up
  buffer<cpu, std::uint64_t> bits;
  std::uint64_t places_end = 0;  ///< every place is below it
};

/// Edges that one task packs, or counts triangles of.
inline constexpr std::uint64_t edges_per_task = 1 << 13;

inline bool starts_word(const oriented_view& graph, std::uint64_t i) {
  return i == 0 || source_of(graph.edges[i - 1]) != source_of(graph.edges[i]) ||
         graph.targets[i - 1] / 64 != graph.targets[i] / 64;
}

/// Body: packs a stretch of edges, from the first word that starts in it to the end of the last that does.
struct pack_edges {
  oriented_view graph;
  const std::uint64_t* starts;  ///< words that start before each stretch
  packed_rows* to;

  void operator()(const cpu_tile<1>&, std::size_t task) const {
    std::uint64_t i = task * edges_per_task;
    const std::uint64_t last = std::min(i + edges_per_task, graph.count);
    std::uint64_t word = starts[task];
    while (i < last && !starts_word(graph, i)) ++i;
    while (i < last) i = pack_word(i, word++);
  }

 private:
  std::uint64_t pack_word(std::uint64_t i, std::uint64_t word) const {
    const std::uint32_t source = source_of(graph.edges[i]);
    const edge_range row = graph.rows[source];
    if (i == row.begin) to->rows.data()[source].begin = word;
    const std::uint32_t place = graph.targets[i] / 64;
    std::uint64_t bits = 0;
    for (; i < row.end && graph.targets[i] / 64 == place; ++i) bits |= std::uint64_t{1} << graph.targets[i] % 64;
    if (i == row.end) to->rows.data()[source].end = word + 1;
    to->places.data()[word] = place;
    to->bits.data()[word] = bits;
    return i;
  }
};

inline packed_rows pack(const cpu_resources& res, const oriented_graph<cpu>& graph) {
  const oriented_view view = view_of(graph);
  const std::size_t tasks = (view.count + edges_per_task - 1) / edges_per_task;
  buffer<cpu, std::uint64_t> words(res, tasks);
  buffer<cpu, std::uint32_t> largest(res, tasks);
  for_each_task<1>(res, tasks, [&](const auto&, std::size_t task) {
    const std::uint64_t first = task * edges_per_task;
    const std::uint64_t last = std::min(first + edges_per_task, view.count);
    std::uint64_t count = 0;
    for (std::uint64_t i = first; i < last; ++i) count += starts_word(view, i);
    words.data()[task] = count;
    largest.data()[task] = *std::max_element(view.targets + first, view.targets + last);
  });
  buffer<cpu, std::uint64_t> starts(res, tasks + 1);
  exclusive_scan(res, words.data(), starts.data(), tasks);
  packed_rows packed;
  const std::uint64_t total = starts.data()[tasks];
  packed.places_end = max_value(res, largest.data(), tasks) / 64 + std::uint64_t{1};
  packed.rows = buffer<cpu, edge_range>(res, graph.vertices);
  fill_bytes(res, packed.rows.data(), 0, graph.vertices);
  packed.places = buffer<cpu, std::uint32_t>(res, total);
  packed.bits = buffer<cpu, std::uint64_t>(res, total);
  for_each_task<1>(res, tasks, pack_edges{view, starts.data(), &packed});
  return packed;
}

/// One thread's share of a count: keeps a row as a bitmap and tests the rows of its targets against it.
template <class Corners>
class bitmap_worker {
  static constexpr bool by_vertex = !std::is_same_v<Corners, ignore_corners>;

 public:
  bitmap_worker(const cpu_resources& res, const oriented_view& graph, const packed_rows& packed, Corners corners)
      : graph_(graph),
        packed_(packed.rows.data()),
        places_(packed.places.data()),
        bits_(packed.bits.data()),
        corners_(corners),
        bitmap_(res, packed.places_end),
        third_(res, by_vertex ? packed.places_end * 64 : 0) {
    fill_bytes(res, bitmap_.data(), 0, bitmap_.size());
    fill_bytes(res, third_.data(), 0, third_.size());
  }

  /// Counts the triangles whose first corner's row starts among the edges [first, last).
  std::uint64_t count(std::uint64_t first, std::uint64_t last) {
    std::uint64_t found = 0;
    while (first < last) {
      const std::uint32_t u = source_of(graph_.edges[first]);
      const edge_range row = graph_.rows[u];
      if (first == row.begin && row.end - row.begin >= 2) found += count_row(u, row);
      first = row.end;
    }
    return found;
  }

 private:
  /// Targets are read this many ahead of their use: what they lead to is on its way by then.
  static constexpr std::uint64_t rows_ahead = 16;
  static constexpr std::uint64_t words_ahead = 8;

  std::uint64_t count_row(std::uint32_t u, edge_range row) {
    const edge_range words = packed_[u];
    std::uint64_t* const bitmap = bitmap_.data();
    for (std::uint64_t i = words.begin; i < words.end; ++i) bitmap[places_[i]] = bits_[i];
    std::uint64_t found = 0;
    for (std::uint64_t i = row.begin; i < row.end; ++i) {
      prefetch_ahead(i);
      const std::uint32_t v = graph_.targets[i];
      const std::uint64_t common = test_row(packed_[v]);
      if constexpr (by_vertex) third_.data()[v] += static_cast<std::uint32_t>(common);
      found += common;
    }
    for (std::uint64_t i = words.begin; i < words.end; ++i) bitmap[places_[i]] = 0;
    if constexpr (by_vertex) add_corners(u, row, found);
    return found;
  }

  [[nodiscard]] std::uint64_t test_row(edge_range words) {
    const std::uint64_t* const bitmap = bitmap_.data();
    std::uint64_t common = 0;
    for (std::uint64_t i = words.begin; i < words.end; ++i) {
      std::uint64_t both = bitmap[places_[i]] & bits_[i];
      common += static_cast<std::uint64_t>(__builtin_popcountll(both));
      if constexpr (by_vertex) {
        for (; both != 0; both &= both - 1) {
          ++third_.data()[places_[i] * std::uint64_t{64} + static_cast<std::uint64_t>(__builtin_ctzll(both))];
        }
      }
    }
    return common;
  }

  void add_corners(std::uint32_t u, edge_range row, std::uint64_t found) {
    corners_.add(u, found);
    for (std::uint64_t i = row.begin; i < row.end; ++i) {
      std::uint32_t& count = third_.data()[graph_.targets[i]];
      corners_.add(graph_.targets[i], count);
      count = 0;
    }
  }

  void prefetch_ahead(std::uint64_t i) const {
    if (i + rows_ahead >= graph_.count) return;
    prefetch(packed_ + graph_.targets[i + rows_ahead]);
    const std::uint64_t word = packed_[graph_.targets[i + words_ahead]].begin;
    for (int line = 0; line < 4; ++line) prefetch(places_ + word + 16 * line);
    for (int line = 0; line < 8; ++line) prefetch(bits_ + word + 8 * line);
  }

  oriented_view graph_;
  const edge_range* packed_;
  const std::uint32_t* places_;
  const std::uint64_t* bits_;
  Corners corners_;
  buffer<cpu, std::uint64_t> bitmap_;
  buffer<cpu, std::uint32_t> third_;  ///< of each vertex, triangles of the row at hand that it is second or third in
};

/// Counts by bitmaps. Threads take stretches of edges as they get done with the last one.
template <class Corners>
std::uint64_t count_by_bitmaps(const cpu_resources& res, const oriented_graph<cpu>& graph, Corners corners) {
  if (graph.edges.empty()) return 0;
  const oriented_view view = view_of(graph);
  const packed_rows packed = pack(res, graph);
  std::vector<bitmap_worker<Corners>> workers;
  for (int i = 0; i < res.threads(); ++i) workers.emplace_back(res, view, packed, corners);
  std::atomic<std::uint64_t> next{0};
  std::atomic<std::uint64_t> total{0};
  for_each_task<1>(res, workers.size(), [&](const auto&, std::size_t worker) {
    std::uint64_t first = next.fetch_add(edges_per_task);
    while (first < view.count) {
      total += workers[worker].count(first, std::min(first + edges_per_task, view.count));
      first = next.fetch_add(edges_per_task);
    }
  });
  return total;
}

}  // namespace mangrove::detail::triangles
