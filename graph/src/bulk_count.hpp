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
  static constexpr int words = 8;  ///< of 32 entries each

  adjacency_view<Bits> graph;
  bool find_loops;
  std::uint32_t* present;  ///< one bit an index; null if nobody asks
  build_counts* counts;

  static std::size_t calls_for(std::size_t entries) { return (entries + 32 * words - 1) / (32 * words); }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto first = static_cast<std::uint32_t>(i * words);
    build_counts own;
    std::uint32_t with_edges[words];  // all entries are read before any bits are written
    unrolled<words>([&](int k) { with_edges[k] = count(tile, first + static_cast<std::uint32_t>(k), own); });
    if (present != nullptr) {
      unrolled<words>([&](int k) { note(tile, first + static_cast<std::uint32_t>(k), with_edges[k], own); });
    }
    const std::uint64_t directed = tile.sum(own.directed);
    const std::uint64_t loops = tile.sum(own.loops);
    if (tile.lane() != 0) return;
    if (directed != 0) fetch_add(&counts->directed, directed);
    if (loops != 0) fetch_add(&counts->loops, loops);
    if (own.absent != 0) fetch_add(&counts->absent, own.absent);
  }

 private:
  /// Counts the edges of 32 entries. @return a bit for each that has some
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count(const Tile& tile, std::uint32_t word,
                                                         build_counts& own) const {
    return tile.template match<32>([&](int slot) {
      const std::uint32_t u = 32 * word + static_cast<std::uint32_t>(slot);
      const std::uint32_t degree = u < graph.entry_count ? graph.entries[u].degree : 0;
      own.directed += degree;
      if (find_loops && degree != 0 && graph.contains(tile.solo(), u, u)) ++own.loops;
      return degree != 0;
    });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void note(const Tile& tile, std::uint32_t word, std::uint32_t with_edges,
                                 build_counts& own) const {
    if (32 * word >= graph.entry_count) return;
    const std::uint32_t left = graph.entry_count - 32 * word;
    const std::uint32_t all = (left < 32 ? (1U << left) - 1 : ~0U) & (word == 0 ? ~1U : ~0U);
    const std::uint32_t before = present[word];
    own.absent += count_bits(all & ~(with_edges | before));
    if (tile.lane() == 0 && (with_edges & ~before) != 0) present[word] = before | with_edges;
  }
};

/// Body: sets the bits of the targets of a stretch of inserts, once those of sources are set. Most often there is
/// nothing to be done, because no index is left.
struct set_targets {
  static constexpr std::size_t stretch = 1024;
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
        if (first_alone && v[k] != 0) v[k] = nobody;
      });
      if (loops == self_loops::drop) drop_loops<Tile>(base, v);
      set(v);
    }
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void drop_loops(std::size_t base, std::uint32_t (&v)[together]) const {
    unrolled<together>([&](int k) {
      const std::size_t at = base + static_cast<std::size_t>(k) * Tile::lanes;
      if (v[k] != nobody && load_once(updates.sources + at) == v[k]) v[k] = nobody;
    });
  }

  /// Looks at all bits in caches, then again at those that were not set there, and sets what is left.
  MANGROVE_HOST_DEVICE void set(std::uint32_t (&v)[together]) const {
    unrolled<together>([&](int k) {
      if (v[k] != nobody && is_set(load_maybe_old(present + v[k] / 32), v[k])) v[k] = nobody;
    });
    unrolled<together>([&](int k) {
      if (v[k] != nobody && is_set(load_relaxed(present + v[k] / 32), v[k])) v[k] = nobody;
    });
    unrolled<together>([&](int k) {
      if (v[k] != nobody) fetch_or(present + v[k] / 32, std::uint32_t{1} << v[k] % 32);
    });
  }

  MANGROVE_HOST_DEVICE static bool is_set(std::uint32_t word, std::uint32_t v) { return (word >> v % 32 & 1) != 0; }
};

}  // namespace mangrove::detail
