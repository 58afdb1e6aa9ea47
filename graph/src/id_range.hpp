#pragma once

#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/unrolled.hpp"

/// @file
/// Batches by vertex id, and what their ids are like.

namespace mangrove::detail {

/// A batch by id, in the backend's memory.
template <class Vertex>
struct id_updates {
  const Vertex* sources;
  const Vertex* targets;
  const update_kind* kinds;
  update_kind kind;
  std::size_t size;

  [[nodiscard]] MANGROVE_HOST_DEVICE update_kind kind_of(std::size_t i) const {
    return kinds == nullptr ? kind : kinds[i];
  }

  /// Ends of edges have numbers: 2 i is the source of update i, 2 i + 1 its target.
  [[nodiscard]] MANGROVE_HOST_DEVICE Vertex id_of_end(std::uint32_t number) const {
    const Vertex* const ends = number % 2 == 0 ? sources : targets;  // named, else g++ 12's UBSan reads another one
    return ends[number / 2];
  }

  /// Calls `f(source, target)` for the updates [first, first + size), of which a lane reads four at once; for the last
  /// ones of a few lanes more than once.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_read(const Tile& tile, std::size_t first, std::size_t size, F f) const {
    constexpr int together = 4;
    for (std::size_t base = tile.lane(); base < size; base += together * Tile::lanes) {
      Vertex u[together];
      Vertex v[together];
      unrolled<together>([&](int k) {  // beyond the last one, that again
        const std::size_t at = base + static_cast<std::size_t>(k) * Tile::lanes;
        u[k] = load_once(sources + first + (at < size ? at : size - 1));
        v[k] = load_once(targets + first + (at < size ? at : size - 1));
      });
      unrolled<together>([&](int k) { f(u[k], v[k]); });
    }
  }

  /// Asks for where a table has both ids of update i.
  template <class Table>
  void prefetch_in(const Table& table, std::size_t i) const {
    table.prefetch(sources[i]);
    table.prefetch(targets[i]);
  }
};

/// What the ids of a batch are like.
struct id_range {
  std::uint64_t limit = 0;  ///< one more than the largest id that the batch brings into being (saturating)
  std::uint64_t loops = 0;  ///< not 0: it names self loops
};

/// Body: finds out what the ids of a stretch of updates are like.
template <class Vertex>
struct find_id_range {
  static constexpr std::size_t stretch = 512;

  id_updates<Vertex> updates;
  id_range* range;

  static std::size_t calls_for(std::size_t size) { return (size + stretch - 1) / stretch; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t size = updates.size - first < stretch ? updates.size - first : stretch;
    found own;
    if (updates.kinds == nullptr) {
      look_at_all(tile, first, size, own);
    } else {
      tile.strided(size, [&](std::size_t k) { look(first + k, updates.kinds[first + k], own); });
    }
    if (!own.any) return;
    const std::uint64_t id = own.largest;
    const std::uint64_t limit = id + 1 == 0 ? id : id + 1;
    if (load_relaxed(&range->limit) < limit) raise_to(&range->limit, limit);
    if (own.loops && load_relaxed(&range->loops) == 0) store_relaxed(&range->loops, std::uint64_t{1});
  }

 private:
  struct found {
    Vertex largest = 0;
    bool any = false;
    bool loops = false;
  };

  MANGROVE_HOST_DEVICE void look(std::size_t at, update_kind kind, found& own) const {
    if (!creates(kind)) return;
    const Vertex u = updates.sources[at];
    const Vertex v = kind == update_kind::insert ? updates.targets[at] : u;
    own.any = true;
    own.largest = own.largest > u ? own.largest : u;
    own.largest = own.largest > v ? own.largest : v;
    own.loops = own.loops || (u == v && kind == update_kind::insert);
  }

  /// The same for updates of one kind.
  template <class Tile>
  MANGROVE_HOST_DEVICE void look_at_all(const Tile& tile, std::size_t first, std::size_t size, found& own) const {
    if (updates.kind != update_kind::insert) {
      return tile.strided(size, [&](std::size_t k) { look(first + k, updates.kind, own); });
    }
    own.any = size != 0;
    updates.for_each_read(tile, first, size, [&](Vertex u, Vertex v) {
      own.largest = own.largest > u ? own.largest : u;
      own.largest = own.largest > v ? own.largest : v;
      own.loops = own.loops | (u == v);
    });
  }
};

}  // namespace mangrove::detail
