#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "mangrove/core/unrolled.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"
#include "presence_bodies.hpp"

/// @file
/// What a bulk build has come to.

namespace mangrove::detail {

/// Counts of a bulk build; in the backend's memory while it goes on.
struct build_counts {
  std::uint64_t directed = 0;  ///< directed edges
  std::uint64_t loops = 0;     ///< self loops among them, where they matter
  std::uint64_t absent = 0;    ///< indices but 0 that no vertex with edges has, nor one that was there before
  presence_counts presence;
};

/// Body: adds a stretch of entries up, and notes which vertices have edges.
template <class Bits>
struct count_built {
  static constexpr std::size_t words = 8;  ///< of 32 entries each

  adjacency_view<Bits> graph;
  bool find_loops;
  std::uint32_t* present;  ///< one bit an index; null if nobody asks
  build_counts* counts;

  static std::size_t calls_for(std::size_t entries) { return (entries + words * 32 - 1) / (words * 32); }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    build_counts own;
    for (std::size_t k = 0; k < words && (i * words + k) * 32 < graph.entry_count; ++k) {
      count(tile, static_cast<std::uint32_t>(i * words + k), own);
    }
    const std::uint64_t directed = tile.sum(own.directed);
    const std::uint64_t loops = tile.sum(own.loops);
    if (tile.lane() != 0) return;
    if (directed != 0) relaxed_add(&counts->directed, directed);
    if (loops != 0) relaxed_add(&counts->loops, loops);
    if (own.absent != 0) relaxed_add(&counts->absent, own.absent);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void count(const Tile& tile, std::uint32_t word, build_counts& own) const {
    const std::uint32_t first = 32 * word;
    std::uint32_t with_edges = tile.template match<32>([&](int slot) {
      const std::uint32_t u = first + static_cast<std::uint32_t>(slot);
      const std::uint32_t degree = u < graph.entry_count ? graph.entries[u].degree : 0;
      own.directed += degree;
      if (find_loops && degree != 0 && graph.contains(tile.solo(), u, u)) ++own.loops;
      return degree != 0;
    });
    if (present == nullptr) return;
    const std::uint32_t left = graph.entry_count - first;
    const std::uint32_t all = (left < 32 ? (1U << left) - 1 : ~0U) & (word == 0 ? ~1U : ~0U);
    const std::uint32_t before = present[word];
    own.absent += count_bits(all & ~(with_edges | before));
    if (tile.lane() == 0 && (with_edges & ~before) != 0) present[word] = before | with_edges;
  }
};

/// Body: sets the bits of the targets of a stretch of inserts, once those of sources are set. Most often there is
/// nothing to be done, because no index is left.
struct set_targets {
  static constexpr std::size_t stretch = 2048;
  static constexpr int together = 8;
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  indexed_updates updates;
  self_loops loops;
  const build_counts* counts;
  std::uint32_t* present;

  static std::size_t calls_for(std::size_t size) { return (size + stretch - 1) / stretch; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const bool first_alone = counts->absent == 0;
    if (first_alone && bit_of(present, 0)) return;
    const std::size_t first = i * stretch;
    const std::size_t end = updates.size - first < stretch ? updates.size : first + stretch;
    for (std::size_t base = first + tile.lane(); base < end; base += together * Tile::lanes) {
      std::uint32_t v[together];
      unrolled<together>([&](int k) {
        const std::size_t at = base + static_cast<std::size_t>(k) * Tile::lanes;
        v[k] = at < end ? load_once(updates.targets + at) : nobody;
      });
      unrolled<together>([&](int k) {
        if (v[k] == nobody || (first_alone && v[k] != 0)) return;
        set(base + static_cast<std::size_t>(k) * Tile::lanes, v[k]);
      });
    }
  }

 private:
  MANGROVE_HOST_DEVICE void set(std::size_t at, std::uint32_t v) const {
    const std::uint32_t bit = std::uint32_t{1} << (v % 32);
    if ((load_maybe_old(present + v / 32) & bit) != 0) return;
    if (updates.sources[at] == v && loops == self_loops::drop) return;
    if ((load_relaxed(present + v / 32) & bit) == 0) fetch_or(present + v / 32, bit);
  }
};

}  // namespace mangrove::detail
