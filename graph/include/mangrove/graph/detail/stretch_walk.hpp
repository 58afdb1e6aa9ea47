#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/bits.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/graph/detail/chunk_list.hpp"
#include "mangrove/graph/detail/edge_chunk.hpp"
#include "mangrove/graph/detail/walk_leftover.hpp"

/// @file
/// How a thread of the CPU walks adjacencies. Nothing tells where the next vertex has its neighbours, and a wrong guess
/// costs as much as some thirty keys. So vertices are sorted by kind first, 32 at a time and without branches, and
/// those of a kind walked together, while what the next 32 need is on its way.

namespace mangrove::detail {

/// Up to 32 vertices in a row, by where their neighbours are: bit k is the k-th one.
struct vertex_kinds {
  static constexpr std::size_t most = 32;

  std::uint32_t inlined = 0;  ///< in the entry, at least one
  std::uint32_t arrays = 0;
  std::uint32_t slabs = 0;  ///< of a table or a tree
};

/// Body: walks a stretch of vertices; lists those that are too large.
template <class Weight, class Vertices, class Body>
struct walk_stretch {
  using layout = entry_layout<Weight>;
  using leftover = walk_leftover<Body>;
  static constexpr std::size_t size = 1024;

  adjacency_view<Weight> graph;
  Vertices vertices;
  std::size_t count;
  chunk_list large;
  Body body;

  template <class Tile>
  void operator()(const Tile& tile, std::size_t stretch) const {
    const std::size_t last = std::min(count, (stretch + 1) * size);
    std::size_t first = stretch * size;
    vertex_kinds next = look_at(first, last);
    leftover left{};
    while (first < last) {
      const vertex_kinds now = next;
      next = look_at(first + vertex_kinds::most, last);
      for_each_of(now.inlined, first, [&](std::uint32_t u) { walk_inlined(tile, u, left); });
      for_each_of(now.arrays, first, [&](std::uint32_t u) { walk(tile, u, left); });
      for_each_of(now.slabs, first, [&](std::uint32_t u) {
        if (!is_listed(tile, u)) walk(tile, u, left);
      });
      first += vertex_kinds::most;
    }
    if constexpr (!is_none<leftover>) body.finish(tile, stretch, left);
  }

 private:
  static constexpr std::uint32_t line = 64;
  static constexpr std::uint32_t lines_ahead = 6;  ///< of slabs; what follows them the hardware foresees

  /// Calls `f(u)` for the vertices whose bits are set, the first of which would be `vertices(first)`.
  template <class F>
  void for_each_of(std::uint32_t bits, std::size_t first, F f) const {
    for (; bits != 0; bits &= bits - 1) f(vertices(first + lowest_bit(bits)));
  }

  /// Sorts the vertices from `first` on, and asks for their neighbours.
  [[nodiscard]] vertex_kinds look_at(std::size_t first, std::size_t last) const {
    const vertex_kinds kinds = sort(first, std::min(last, first + vertex_kinds::most));
    for_each_of(kinds.arrays, first, [&](std::uint32_t u) {
      const vertex_entry& entry = graph.entries[u];
      const std::byte* const extent = layout::extent(graph.pool, entry.extent());
      prefetch(extent);
      prefetch(extent + entry.granules() * granule_bytes - 1);
    });
    for_each_of(kinds.slabs, first, [&](std::uint32_t u) {
      const std::byte* const extent = layout::extent(graph.pool, graph.entries[u].extent());
      for (std::uint32_t k = 0; k < lines_ahead; ++k) prefetch(extent + k * line);
    });
    return kinds;
  }

  /// With sums and shifts alone: compilers make branches of what looks like a choice.
  [[nodiscard]] vertex_kinds sort(std::size_t first, std::size_t last) const {
    vertex_kinds kinds;
    std::uint32_t extents = 0;
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t u = vertices(i);
      if (u >= graph.entry_count) continue;
      const vertex_entry& entry = graph.entries[u];
      const std::size_t bit = i - first;
      kinds.inlined |= static_cast<std::uint32_t>(entry.degree - 1 < layout::inline_capacity) << bit;
      kinds.arrays |= static_cast<std::uint32_t>(layout::kind_of_extent(entry) == adjacency_kind::array) << bit;
      extents |= static_cast<std::uint32_t>(entry.degree > layout::inline_capacity) << bit;
    }
    kinds.arrays &= extents;
    kinds.slabs = extents & ~kinds.arrays;
    return kinds;
  }

  template <class Tile>
  void walk_inlined(const Tile& tile, std::uint32_t u, leftover& left) const {
    if constexpr (is_none<leftover>) {
      walk(tile, u, left);
    } else {
      body.walk_inlined(u, left);
    }
  }

  template <class Tile>
  void walk(const Tile& tile, std::uint32_t u, [[maybe_unused]] leftover& left) const {
    if constexpr (is_none<leftover>) {
      body(tile, edge_chunk<Weight>(graph, u));
    } else {
      body.walk(tile, edge_chunk<Weight>(graph, u), left);
    }
  }

  /// Whether a vertex has so many slabs that threads share them, and there was room to list it.
  template <class Tile>
  bool is_listed(const Tile& tile, std::uint32_t u) const {
    const std::uint32_t slabs = layout::slabs(graph.entries[u]);
    if (slabs <= large.chunk_slabs) return false;
    if constexpr (requires { body.alone(u); }) {
      if (body.alone(u)) return false;
    }
    return large.append(tile, u, slabs);
  }
};

}  // namespace mangrove::detail
