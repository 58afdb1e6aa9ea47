#pragma once

#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "outcome.hpp"

/// @file
/// Bodies that find out and note which vertices exist: one bit an index.

namespace mangrove::detail {

MANGROVE_HOST_DEVICE inline bool bit_of(const std::uint32_t* words, std::uint32_t index) {
  return (load_relaxed(words + index / 32) >> (index % 32) & 1) != 0;
}

/// Calls `f(vertex)` for the vertices that update i brings into being.
template <class F>
MANGROVE_HOST_DEVICE void for_each_created(const indexed_updates& updates, const vertex_erasures& erasures,
                                           self_loops loops, std::size_t i, F f) {
  const update_kind kind = updates.kind_of(i);
  if (!creates(kind)) return;
  const auto sequence = static_cast<std::uint32_t>(i);
  const std::uint32_t u = updates.sources[i];
  if (kind == update_kind::insert) {
    const std::uint32_t v = updates.targets[i];
    if (u == v && loops == self_loops::drop) return;
    if (!erasures.undo(sequence, v)) f(v);
  }
  if (!erasures.undo(sequence, u)) f(u);
}

/// Body: notes whether an update brings a vertex into being that is absent now.
struct find_created {
  indexed_updates updates;
  self_loops loops;
  const std::uint32_t* present;
  std::uint32_t present_count;  ///< indices that have a bit
  std::uint32_t* found;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    for_each_created(updates, {}, loops, i, [&](std::uint32_t vertex) {
      const bool absent = vertex >= present_count || !bit_of(present, vertex);
      if (absent && load_relaxed(found) == 0) store_relaxed(found, 1U);
    });
  }
};

/// Body: clears the bits of erased vertices.
struct clear_erased {
  indexed_updates updates;
  std::uint32_t count;
  std::uint32_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t vertex = updates.sources[i];
    if (updates.kind_of(i) != update_kind::erase_vertex || vertex >= count) return;
    fetch_and(present + vertex / 32, ~(std::uint32_t{1} << (vertex % 32)));
  }
};

/// Body: sets the bits of vertices that come to be.
struct set_created {
  indexed_updates updates;
  vertex_erasures erasures;
  self_loops loops;
  std::uint32_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    for_each_created(updates, erasures, loops, i, [&](std::uint32_t vertex) {
      if (!bit_of(present, vertex)) fetch_or(present + vertex / 32, std::uint32_t{1} << (vertex % 32));
    });
  }
};

/// Body: sets the bits of a word that stand for vertices 1 to `last`.
struct set_range {
  std::uint32_t last;
  std::uint32_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t word) const {
    const auto first_of_word = static_cast<std::uint32_t>(32 * word);
    const std::uint32_t ones = ~std::uint32_t{0};
    const std::uint32_t from = word == 0 ? ones << 1 : ones;
    const std::uint32_t to = last - first_of_word >= 31 ? ones : ones >> (31 - (last - first_of_word));
    present[word] |= from & to;
  }
};

struct presence_counts {
  std::uint64_t inserted = 0;
  std::uint64_t erased = 0;
};

/// Body: compares a stretch of words before and after.
struct compare_presence {
  static constexpr std::size_t stretch = 256;

  const std::uint32_t* before;
  std::size_t words_before;
  const std::uint32_t* after;
  std::size_t words;
  presence_counts* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t size = words - first < stretch ? words - first : stretch;
    std::uint32_t inserted = 0;
    std::uint32_t erased = 0;
    tile.strided(size, [&](std::size_t k) {
      const std::uint32_t was = first + k < words_before ? before[first + k] : 0;
      inserted += count_bits(after[first + k] & ~was);
      erased += count_bits(was & ~after[first + k]);
    });
    tile.add_sum(&totals->inserted, inserted);
    tile.add_sum(&totals->erased, erased);
  }
};

}  // namespace mangrove::detail
