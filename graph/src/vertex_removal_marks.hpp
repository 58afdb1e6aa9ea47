#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/graph/detail/balanced_walk.hpp"
#include "mangrove/graph/graph_options.hpp"

/// @file
/// The first half of removing vertices, which changes nothing: which vertices go, and which lose neighbours.

namespace mangrove::detail {

/// A bit of a bitmap that nobody writes meanwhile.
MANGROVE_HOST_DEVICE inline bool marked(const std::uint32_t* bitmap, std::uint32_t index) {
  return (bitmap[index / 32] >> (index % 32) & 1) != 0;
}

/// Sets a bit. @return whether it was clear
MANGROVE_HOST_DEVICE inline bool set_mark(std::uint32_t* bitmap, std::uint32_t index) {
  const std::uint32_t bit = std::uint32_t{1} << (index % 32);
  return (fetch_or(bitmap + index / 32, bit) & bit) == 0;
}

/// What a removal counts, in the backend's memory.
struct removal_totals {
  /// What tiles of some vertices add to, in a sector of its own, so that they do not queue up.
  struct share {
    std::uint64_t vertices;  ///< that are erased
    std::uint64_t degrees;   ///< of them, added up
    std::uint64_t loops;     ///< self loops among their edges, where those are counted apart
    std::uint64_t lost;      ///< directed edges from vertices that stay

    MANGROVE_HOST_DEVICE share& operator+=(const share& other) {
      vertices += other.vertices;
      degrees += other.degrees;
      loops += other.loops;
      lost += other.lost;
      return *this;
    }
  };
  static constexpr std::uint32_t share_count = 64;

  share shares[share_count];
  std::uint32_t given[size_classes];  ///< extents by class that have come free

  [[nodiscard]] share sum() const {
    share all{};
    for (const share& each : shares) all += each;
    return all;
  }

  /// Adds to `lost`. Lanes of a warp that come together share an atomic.
  MANGROVE_HOST_DEVICE void add_lost(std::uint32_t vertex, std::uint32_t edges) {
    std::uint64_t* const lost = &shares[vertex / 32 % share_count].lost;
#if defined(__CUDA_ARCH__)
    const unsigned lanes = __activemask();
    const std::uint32_t sum = __reduce_add_sync(lanes, edges);
    if (static_cast<int>(threadIdx.x % 32) != __ffs(static_cast<int>(lanes)) - 1) return;
#else
    const std::uint32_t sum = edges;
#endif
    fetch_add(lost, static_cast<std::uint64_t>(sum));
  }
};

/// Body: marks the vertices that a stretch of the batch erases, each once, and adds their degrees up.
template <class Bits>
struct mark_erased {
  static constexpr std::size_t stretch = 128;
  static constexpr std::size_t ahead = 16;  ///< vertices whose entries the CPU asks for early

  adjacency_view<Bits> graph;
  const std::uint32_t* vertices;
  std::size_t count;
  const std::uint32_t* present;
  std::uint32_t present_count;  ///< indices that have a bit
  bool count_loops;
  std::uint32_t* erased;
  removal_totals* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t size = count - first < stretch ? count - first : stretch;
    std::uint64_t fresh = 0;
    std::uint64_t degrees = 0;
    std::uint64_t loops = 0;
    tile.strided(size, [&](std::size_t k) {
      if (k + ahead < size) ask_for(vertices[first + k + ahead]);
      const std::uint32_t u = vertices[first + k];
      if (u >= present_count || !marked(present, u) || !set_mark(erased, u)) return;
      ++fresh;
      if (u >= graph.entry_count) return;
      degrees += graph.entries[u].degree;
      if (count_loops && graph.contains(tile.solo(), u, u)) ++loops;
    });
    removal_totals::share& sums = totals->shares[i % removal_totals::share_count];
    tile.add_sum(&sums.vertices, fresh);
    tile.add_sum(&sums.degrees, degrees);
    tile.add_sum(&sums.loops, loops);
  }

  MANGROVE_HOST_DEVICE void ask_for(std::uint32_t u) const {
    if (u < graph.entry_count) mangrove::prefetch(graph.entries + u);
  }
};

/// Body: marks the neighbours of an erased vertex.
template <class Bits>
struct mark_touched {
  std::uint32_t* touched;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const edge_chunk<Bits>& chunk) const {
    chunk.for_each_slot(tile, [&](std::uint32_t v, const Bits*) {
      const std::uint32_t bit = std::uint32_t{1} << (v % 32);
      if ((load_relaxed(touched + v / 32) & bit) == 0) fetch_or(touched + v / 32, bit);
    });
  }
};

/// The vertices of a batch that are erased, by position in it. Repeats are there as often as they are named.
struct erased_in_batch {
  const std::uint32_t* vertices;
  const std::uint32_t* erased;
  std::uint32_t index_count;

  MANGROVE_HOST_DEVICE std::uint32_t operator()(std::size_t i) const {
    const std::uint32_t u = vertices[i];
    return u < index_count && marked(erased, u) ? u : ~std::uint32_t{0};
  }
};

/// The vertices whose adjacency may change, by index.
struct affected_vertices {
  const std::uint32_t* erased;
  const std::uint32_t* touched;  ///< null: all may

  MANGROVE_HOST_DEVICE std::uint32_t operator()(std::size_t i) const {
    const auto u = static_cast<std::uint32_t>(i);
    return touched == nullptr || marked(touched, u) || marked(erased, u) ? u : ~std::uint32_t{0};
  }
};

}  // namespace mangrove::detail
