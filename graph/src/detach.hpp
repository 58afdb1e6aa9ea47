#pragma once

#include <cstddef>
#include <cstdint>

#include "edge_sort.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"

/// @file
/// Erasing a vertex erases its edges: they join the batch as updates at the position of the update that names the
/// vertex.

namespace mangrove::detail {

/// Body: notes the last position at which each vertex is erased.
struct note_erasures {
  indexed_updates updates;
  std::uint32_t index_count;
  std::uint32_t* last;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t vertex = updates.sources[i];
    if (updates.kind_of(i) != update_kind::erase_vertex || vertex >= index_count) return;
    raise_to(last + vertex, static_cast<std::uint32_t>(i) + 1);
  }
};

/// Which edges a vertex loses: all of an erased one; in a directed graph, others lose those that lead to erased ones.
template <class Bits>
struct lost_edges {
  adjacency_view<Bits> graph;
  vertex_erasures erasures;
  edge_direction direction;

  /// Calls `f(target, sequence)` for each of them.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each(const Tile& tile, std::uint32_t u, F f) const {
    const std::uint32_t own = erasures.last[u];
    if (own == 0 && direction == edge_direction::undirected) return;
    graph.for_each_neighbor(tile, u, [&](std::uint32_t v, const Bits*) {
      const std::uint32_t last =
          direction == edge_direction::undirected || own > erasures.last[v] ? own : erasures.last[v];
      if (last != 0) f(v, last - 1);
    });
  }
};

/// Body: counts the edges that a vertex loses.
template <class Bits>
struct count_lost {
  lost_edges<Bits> lost;
  std::uint32_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t u) const {
    std::uint32_t mine = 0;
    lost.for_each(tile, static_cast<std::uint32_t>(u), [&](std::uint32_t, std::uint32_t) { ++mine; });
    const std::uint32_t all = tile.sum(mine);
    if (tile.lane() == 0) counts[u] = all;
  }
};

/// Body: lists the edges that a vertex loses.
template <class Bits>
struct list_lost {
  lost_edges<Bits> lost;
  std::uint32_t* cursors;  ///< where the next one of each vertex goes
  std::uint32_t* sources;
  std::uint32_t* targets;
  std::uint32_t* sequences;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t u) const {
    lost.for_each(tile, static_cast<std::uint32_t>(u), [&](std::uint32_t v, std::uint32_t sequence) {
      const std::uint32_t at = fetch_add(cursors + u, 1U);
      sources[at] = static_cast<std::uint32_t>(u);
      targets[at] = v;
      sequences[at] = sequence;
    });
  }
};

/// The erased vertices of a batch and the edges that go with them.
template <backend B>
struct detachment {
  buffer<B, std::uint32_t> last;
  buffer<B, std::uint32_t> sources;
  buffer<B, std::uint32_t> targets;
  buffer<B, std::uint32_t> sequences;
  std::size_t size = 0;

  [[nodiscard]] vertex_erasures erasures() const { return {last.data()}; }
  [[nodiscard]] detached_edges edges() const { return {sources.data(), targets.data(), sequences.data(), size}; }
};

/// Cost: a pass over the dictionary; in a directed graph over all edges too.
template <backend B, class Bits>
detachment<B> find_detached(const resources<B>& res, const adjacency_view<Bits>& graph, const indexed_updates& updates,
                            edge_direction direction, std::uint32_t index_count) {
  constexpr int width = 32;
  detachment<B> made;
  made.last = buffer<B, std::uint32_t>(res, index_count);
  fill_bytes(res, made.last.data(), 0, index_count);
  for_each_tile<1>(res, updates.size, note_erasures{updates, index_count, made.last.data()});
  const lost_edges<Bits> lost{graph, made.erasures(), direction};
  const std::size_t vertices = graph.entry_count;
  buffer<B, std::uint32_t> counts(res, vertices);
  buffer<B, std::uint32_t> offsets(res, vertices + 1);
  for_each_tile<width>(res, vertices, count_lost<Bits>{lost, counts.data()});
  exclusive_scan(res, counts.data(), offsets.data(), vertices);
  made.size = read_back(res, offsets.data() + vertices);
  made.sources = buffer<B, std::uint32_t>(res, made.size);
  made.targets = buffer<B, std::uint32_t>(res, made.size);
  made.sequences = buffer<B, std::uint32_t>(res, made.size);
  for_each_tile<width>(
      res, vertices,
      list_lost<Bits>{lost, offsets.data(), made.sources.data(), made.targets.data(), made.sequences.data()});
  return made;
}

}  // namespace mangrove::detail
