#pragma once

#include <cstddef>
#include <cstdint>

#include "filter_few.hpp"
#include "table_removal.hpp"

/// @file
/// The second half of removing vertices: adjacencies lose the erased ones in place.

namespace mangrove::detail {

/// Body for `balanced_walk`: takes the erased vertices out of a chunk, or the whole vertex away if it is one of them.
template <class Bits>
struct filter_adjacency : filter_few<Bits> {
  using base = filter_few<Bits>;
  using base::erased, base::graph, base::totals;
  using typename base::array, typename base::layout;
  using leftover = removal_leftover;

  /// Erased vertices are not filtered, so one lane is enough, unless there are leaves to give back.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool alone(std::uint32_t u) const {
    return marked(erased, u) && layout::kind(graph.entries[u]) != adjacency_kind::tree;
  }

  /// A lane's alone.
  MANGROVE_HOST_DEVICE void leave(std::uint32_t u, const vertex_entry& entry, int number, leftover& left) const {
    if (!this->template filter<layout::array_slots(1)>(u, entry, left)) return;
    if (entry.granules() == 1) {
      left.granules[number] = entry.extent();
    } else {
      this->give(entry);
    }
  }

  /// For a thread of the CPU: a vertex with its neighbours in the entry.
  void walk_inlined(std::uint32_t u, leftover& left) const {
    const vertex_entry old = graph.entries[u];
    static_cast<void>(this->template filter<layout::inline_capacity>(u, old, left));  // it had no extent
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const edge_chunk<Bits>& chunk) const {
    leftover left;
    walk(tile, chunk, left);
    this->finish(tile, chunk.source(), left);
  }

  /// @param left where a lane of the tile counts
  template <class Tile>
  MANGROVE_HOST_DEVICE void walk(const Tile& tile, const edge_chunk<Bits>& chunk, leftover& left) const {
    const std::uint32_t u = chunk.source();
    if (!chunk.whole()) return filter_stretch(tile, chunk, left);
    const vertex_entry old = graph.entries[u];
    if (marked(erased, u)) {
      drop(tile, chunk, old, left);
    } else if (chunk.kind() == adjacency_kind::array) {
      filter_array(tile, u, old, left);
    } else {
      filter_slabs(tile, chunk, old, left);
    }
  }

 private:
  /// A stretch of a large table or tree. Other tiles work on the others, and change the entry; `settle_split` follows.
  template <class Tile>
  MANGROVE_HOST_DEVICE void filter_stretch(const Tile& tile, const edge_chunk<Bits>& chunk, leftover& left) const {
    if (marked(erased, chunk.source())) {  // a tree: a table would be one lane's
      this->trees().give_leaves(tile, chunk.tree(), chunk.first_slab(), chunk.last_slab());
      return;
    }
    const table_loss lost = erase_from(tile, chunk);
    if (lost.keys == 0) return;
    tile.elect([&] {
      vertex_entry& entry = graph.entries[chunk.source()];
      fetch_add(&entry.degree, 0 - lost.keys);
      if (lost.tombstones != 0) fetch_add(&entry.words[2], lost.tombstones);
      left.lost += lost.keys;
    });
  }

  /// An erased vertex.
  template <class Tile>
  MANGROVE_HOST_DEVICE void drop(const Tile& tile, const edge_chunk<Bits>& chunk, const vertex_entry& old,
                                 leftover& left) const {
    if (chunk.kind() == adjacency_kind::tree) {
      this->give_all_leaves(tile, old);
      tile.sync();
    }
    tile.elect([&] { this->drop_alone(chunk.source(), old, left); });
  }

  /// A table or tree.
  template <class Tile>
  MANGROVE_HOST_DEVICE void filter_slabs(const Tile& tile, const edge_chunk<Bits>& chunk, const vertex_entry& old,
                                         leftover& left) const {
    const table_loss lost = erase_from(tile, chunk);
    if (lost.keys == 0) return;
    const std::uint32_t degree = old.degree - lost.keys;
    vertex_entry& entry = graph.entries[chunk.source()];
    if (degree <= layout::inline_capacity) this->move_into_entry(tile, entry, old, degree);
    tile.elect([&] {
      left.lost += lost.keys;
      if (degree <= layout::inline_capacity) return;
      entry.degree = degree;
      if (lost.tombstones != 0) entry.words[2] = old.words[2] + lost.tombstones;
    });
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE table_loss erase_from(const Tile& tile, const edge_chunk<Bits>& chunk) const {
    const std::uint32_t first = chunk.first_slab();
    const std::uint32_t last = chunk.last_slab();
    if (chunk.kind() != adjacency_kind::tree) return tables().erase_from(tile, chunk.slab_table(), first, last);
    return {this->trees().erase_from(tile, chunk.tree(), first, last), 0};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE table_filter<Bits> tables() const { return {erased}; }

  /// A sorted array in an extent. On CUDA one lane's alone, if that is a granule.
  template <class Tile>
  MANGROVE_HOST_DEVICE void filter_array(const Tile& tile, std::uint32_t u, const vertex_entry& old,
                                         leftover& left) const {
    vertex_entry& entry = graph.entries[u];
    const array in = array::in_extent(graph.pool, old.extent(), old.granules());
    const std::uint32_t kept = kept_neighbors(tile, in, old.degree);
    const std::uint32_t degree = count_bits(kept);
    if (degree == old.degree) return;
    const bool leaves_extent = degree <= layout::inline_capacity;
    if (!leaves_extent) pack_neighbors<Bits>(tile, in, kept, old.degree);
    tile.elect([&] {
      left.lost += old.degree - degree;
      if (leaves_extent) {
        move_few(in, kept, entry);
        this->give(old);
      } else {
        entry.degree = degree;
      }
    });
  }

  /// Bit i is whether neighbour number i stays.
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t kept_neighbors(const Tile& tile, const array& in, std::uint32_t degree) const {
    std::uint32_t mine = 0;
    for_few_keys<layout::slab::slab_slots>(
        tile, in.keys, degree, [&](std::uint32_t i, std::uint32_t v) { mine |= marked(erased, v) ? 0U : 1U << i; });
    return tile.sum(mine);  // lanes hold different bits
  }

  /// Moves the few neighbours that are left in an array into the entry.
  MANGROVE_HOST_DEVICE static void move_few(const array& in, std::uint32_t kept, vertex_entry& entry) {
    entry = vertex_entry{count_bits(kept), {0, 0, 0}};
    const array to = array::inlined(&entry);
    for (std::uint32_t at = 0; kept != 0; kept &= kept - 1, ++at) {
      const std::uint32_t i = lowest_bit(kept);
      to.keys[at] = in.keys[i];
      if constexpr (!is_none<Bits>) to.weights[at] = in.weights[i];
    }
  }
};

/// Body: brings a vertex whose table or tree was filtered in chunks into order, if hardly anything of it is left.
template <class Bits>
struct settle_split : removal_bodies<Bits> {
  using layout = entry_layout<Bits>;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::uint32_t u) const {
    vertex_entry& entry = this->graph.entries[u];
    const vertex_entry old = entry;
    if (marked(this->erased, u)) {  // a tree, whose leaves have been given back
      tile.sync();
      tile.elect([&] {
        this->give(old);
        entry = vertex_entry{};
        fetch_add(&this->totals->share_of(u).degrees, std::uint64_t{old.degree});
      });
    } else if (old.degree <= layout::inline_capacity) {
      this->move_into_entry(tile, entry, old, old.degree);
    }
  }
};

/// Body: takes the erased vertices' bits out of a stretch of words, and counts those that were vertices.
struct clear_presence {
  static constexpr std::size_t stretch = 128;

  const std::uint32_t* erased;
  std::size_t words;
  std::uint32_t* present;
  removal_totals* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    std::uint32_t gone = 0;
    tile.strided(words - first < stretch ? words - first : stretch, [&](std::size_t k) {
      const std::uint32_t there = present[first + k];
      const std::uint32_t goes = there & erased[first + k];
      if (goes != 0) present[first + k] = there & ~goes;
      gone += count_bits(goes);
    });
    tile.add_sum(&totals->shares[i % removal_totals::share_count].vertices, gone);
  }
};

}  // namespace mangrove::detail
