#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/graph/detail/balanced_walk.hpp"
#include "mangrove/graph/graph_options.hpp"
#include "removal_totals.hpp"

/// @file
/// The first half of removing vertices, which changes nothing: which vertices go, and which lose neighbours.

namespace mangrove::detail {

/// A bit of a bitmap that nobody writes meanwhile.
MANGROVE_HOST_DEVICE inline bool marked(const std::uint32_t* bitmap, std::uint32_t index) {
  return (bitmap[index / 32] >> (index % 32) & 1) != 0;
}

/// Sets a bit.
MANGROVE_HOST_DEVICE inline void set_mark(std::uint32_t* bitmap, std::uint32_t index) {
  fetch_or(bitmap + index / 32, std::uint32_t{1} << (index % 32));
}

/// Body: marks the vertices that a stretch of the batch erases. Which of them are vertices is found out later, bit by
/// bit: others have no edges.
struct mark_erased {
  static constexpr std::size_t stretch = 128;

  const std::uint32_t* vertices;
  std::size_t count;
  std::uint32_t known;  ///< indices that have a bit
  std::uint32_t* erased;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    tile.strided(count - first < stretch ? count - first : stretch, [&](std::size_t k) {
      const std::uint32_t u = vertices[first + k];
      if (u < known) set_mark(erased, u);
    });
  }
};

/// Body: counts the self loops of erased vertices, whose marks stand in a stretch of words.
template <class Bits>
struct count_loops {
  static constexpr std::size_t stretch = 32;

  adjacency_view<Bits> graph;
  const std::uint32_t* erased;
  std::size_t words;
  removal_totals* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    std::uint32_t loops = 0;
    tile.strided(words - first < stretch ? words - first : stretch, [&](std::size_t k) {
      for (std::uint32_t marks = erased[first + k]; marks != 0; marks &= marks - 1) {
        const std::uint32_t u = static_cast<std::uint32_t>(first + k) * 32 + lowest_bit(marks);
        loops += graph.contains(tile.solo(), u, u) ? 1 : 0;
      }
    });
    tile.add_sum(&totals->shares[i % removal_totals::share_count].loops, loops);
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
