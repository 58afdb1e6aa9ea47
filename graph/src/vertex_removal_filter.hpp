#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/bits.hpp"
#include "mangrove/core/unrolled.hpp"
#include "mangrove/graph/detail/key_quads.hpp"
#include "tree_removal.hpp"

/// @file
/// The second half of removing vertices: adjacencies lose the erased ones in place.

namespace mangrove::detail {

/// What the bodies of this file share: how a vertex gives its extent back and how few neighbours move into the entry.
template <class Bits>
struct removal_bodies {
  using layout = entry_layout<Bits>;
  using table = typename layout::table;
  using array = neighbor_array<Bits>;

  adjacency_view<Bits> graph;
  const std::uint32_t* erased;  ///< bitmap by index
  pool_ref pool;
  removal_totals* totals;

  /// For one lane.
  MANGROVE_HOST_DEVICE void give(const vertex_entry& old) const {
    const std::uint32_t size_class = size_class_of(old.granules());
    pool.give(size_class, count_up(&totals->given[size_class]), old.extent());
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE tree_filter<Bits> trees() const { return {erased, pool, totals}; }

  /// Gives all leaves of a tree back. Called by all lanes.
  template <class Tile>
  MANGROVE_HOST_DEVICE void give_all_leaves(const Tile& tile, const vertex_entry& old) const {
    trees().give_leaves(tile, graph.tree_of(old), 0, old.leaves());
  }

  /// Moves what is left in a table or tree, `degree` neighbours that fit into the entry, there. `old` is the entry with
  /// the table or tree. Called by all lanes.
  template <class Tile>
  MANGROVE_HOST_DEVICE void move_into_entry(const Tile& tile, vertex_entry& entry, const vertex_entry& old,
                                            std::uint32_t degree) const {
    tile.sync();
    tile.elect([&] { entry = vertex_entry{}; });
    tile.sync();
    const bool from_tree = layout::kind_of_extent(old) == adjacency_kind::tree;
    if (degree != 0 && from_tree) {
      graph.tree_of(old).for_each(tile, 0, old.leaves(),
                                  [&](std::uint32_t v, const Bits* weight) { add(entry, v, weight); });
    } else if (degree != 0) {
      collect(tile, entry, layout::table_of(graph.pool, old));
    }
    if (from_tree) give_all_leaves(tile, old);
    tile.sync();
    tile.elect([&] {
      if constexpr (is_none<Bits>) sort_words(entry.words, degree);
      give(old);
    });
  }

 private:
  /// Writes all keys of a table into an empty entry, which counts them in its degree.
  template <class Tile>
  MANGROVE_HOST_DEVICE static void collect(const Tile& tile, vertex_entry& entry, const table& from) {
    constexpr std::uint32_t slots = table::slots;
    tile.strided(static_cast<std::size_t>(from.buckets()) * slots, [&](std::size_t i) {
      const auto bucket = static_cast<std::uint32_t>(i / slots);
      const std::uint32_t v = from.keys(bucket)[i % slots];
      if (table::mark::storable(v)) add(entry, v, from.values(bucket) + i % slots);
    });
  }

  /// Appends to the neighbours in an entry, while other lanes do.
  MANGROVE_HOST_DEVICE static void add(vertex_entry& entry, std::uint32_t v, const Bits* weight) {
    const std::uint32_t at = fetch_add(&entry.degree, 1U);
    const array to = array::inlined(&entry);
    to.keys[at] = v;
    if constexpr (!is_none<Bits>) to.weights[at] = *weight;
  }

  MANGROVE_HOST_DEVICE static void sort_words(std::uint32_t* words, std::uint32_t count) {
    for (std::uint32_t i = 1; i < count; ++i) {
      for (std::uint32_t at = i; at > 0 && words[at] < words[at - 1]; --at) {
        const std::uint32_t word = words[at];
        words[at] = words[at - 1];
        words[at - 1] = word;
      }
    }
  }
};

/// Body for `balanced_walk`: takes the erased vertices out of a chunk, or the whole vertex away if it is one of them.
template <class Bits>
struct filter_adjacency : removal_bodies<Bits> {
  using base = removal_bodies<Bits>;
  using base::erased, base::graph, base::totals;
  using typename base::array, typename base::layout, typename base::table;
  using leftover = vertex_entry;

  /// Erased vertices are not filtered, so one lane is enough, unless there are leaves to give back.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool alone(std::uint32_t u) const {
    return marked(erased, u) && layout::kind(graph.entries[u]) != adjacency_kind::tree;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, const edge_chunk<Bits>& chunk) const {
    vertex_entry& entry = graph.entries[chunk.source()];
    const bool drops = marked(erased, chunk.source());
    if (!chunk.whole()) {
      filter_slabs(tile, chunk, entry);
    } else if (chunk.kind() == adjacency_kind::hash && !drops) {
      filter_table(tile, chunk, entry);
    } else if (chunk.kind() == adjacency_kind::tree && !drops) {
      filter_tree(tile, chunk, entry);
    } else {
      const vertex_entry left = leave(tile, chunk);
      tile.elect([&] { finish(left); });
    }
  }

  /// The first half, for a vertex that is erased or has an array: all but giving its extent back.
  /// @return the entry with the extent to give back; an empty one for none
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_entry leave(const Tile& tile, const edge_chunk<Bits>& chunk) const {
    const std::uint32_t u = chunk.source();
    vertex_entry& entry = graph.entries[u];
    if (marked(erased, u)) return drop(tile, entry);
    if (chunk.kind() == adjacency_kind::array) return filter_array(tile, u, entry);
    filter_inlined(tile, u, entry);
    return {};
  }

  /// The second half, by one lane. Lanes of a warp that come together share an atomic.
  MANGROVE_HOST_DEVICE void finish(const vertex_entry& left) const {
    if (left.degree != 0) this->give(left);
  }

 private:
  /// @return what `leave` does
  template <class Tile>
  MANGROVE_HOST_DEVICE vertex_entry drop(const Tile& tile, vertex_entry& entry) const {
    const vertex_entry old = entry;
    if (layout::kind(old) == adjacency_kind::tree) this->give_all_leaves(tile, old);
    tile.sync();
    tile.elect([&] { entry = vertex_entry{}; });
    return layout::kind(old) == adjacency_kind::inlined ? vertex_entry{} : old;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void filter_tree(const Tile& tile, const edge_chunk<Bits>& chunk, vertex_entry& entry) const {
    const vertex_entry old = entry;
    const std::uint32_t lost = this->trees().erase_from(tile, chunk.tree(), 0, old.leaves());
    if (lost == 0) return;
    const std::uint32_t degree = old.degree - lost;
    if (degree <= layout::inline_capacity) {
      this->move_into_entry(tile, entry, old, degree);
    } else {
      tile.elect([&] { entry.degree = degree; });
    }
    tile.elect([&] { totals->add_lost(chunk.source(), lost); });
  }

  /// Neighbours in the entry, which is read and written in one piece.
  template <class Tile>
  MANGROVE_HOST_DEVICE void filter_inlined(const Tile& tile, std::uint32_t u, vertex_entry& entry) const {
    constexpr auto most = static_cast<int>(layout::inline_capacity);
    const vertex_entry old = entry;
    bool gone[most];
    unrolled<most>([&](int i) { gone[i] = i < static_cast<int>(old.degree) && marked(erased, old.words[i]); });
    vertex_entry left = old;
    unrolled<most>([&](int k) {  // from the last on, so that none that moves up is still to be looked at
      if (gone[most - 1 - k]) lose(left, most - 1 - k);
    });
    if (left.degree == old.degree) return;
    tile.elect([&] {
      entry = left.degree == 0 ? vertex_entry{} : left;
      totals->add_lost(u, old.degree - left.degree);
    });
  }

  /// Closes the gap of neighbour number `i` in an entry. Words are named by constants, so that they stay in registers.
  MANGROVE_HOST_DEVICE static void lose(vertex_entry& entry, int i) {
    --entry.degree;
    unrolled<static_cast<int>(layout::inline_capacity) - 1>([&](int k) {
      if (k >= i) entry.words[k] = entry.words[k + 1];
    });
  }

  /// A sorted array in an extent. @return what `leave` does
  template <class Tile>
  MANGROVE_HOST_DEVICE vertex_entry filter_array(const Tile& tile, std::uint32_t u, vertex_entry& entry) const {
    const vertex_entry old = entry;
    const array in = array::in_extent(graph.pool, old.extent(), old.granules());
    const std::uint32_t kept = kept_neighbors(tile, in, old.degree);
    const std::uint32_t degree = count_bits(kept);
    if (degree == old.degree) return {};
    const bool leaves_extent = degree <= layout::inline_capacity;
    if (leaves_extent) {
      tile.elect([&] { move_few(in, kept, entry); });
    } else {
      pack_neighbors<Bits>(tile, in, kept, old.degree);
      tile.elect([&] { entry.degree = degree; });
    }
    tile.elect([&] { totals->add_lost(u, old.degree - degree); });
    return vertex_entry::either(leaves_extent, old, {});
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

  /// How many keys left some slabs, and how many of them left tombstones.
  struct loss {
    std::uint32_t keys = 0;
    std::uint32_t tombstones = 0;

    MANGROVE_HOST_DEVICE loss& operator+=(const loss& other) {
      keys += other.keys;
      tombstones += other.tombstones;
      return *this;
    }
  };

  template <class Tile>
  MANGROVE_HOST_DEVICE void filter_table(const Tile& tile, const edge_chunk<Bits>& chunk, vertex_entry& entry) const {
    const vertex_entry old = entry;
    const loss lost = erase_from(tile, chunk);
    if (lost.keys == 0) return;
    const std::uint32_t degree = old.degree - lost.keys;
    if (degree <= layout::inline_capacity) {
      this->move_into_entry(tile, entry, old, degree);
    } else {
      tile.elect([&] {
        entry.degree = degree;
        entry.words[2] = old.words[2] + lost.tombstones;
      });
    }
    tile.elect([&] { totals->add_lost(chunk.source(), lost.keys); });
  }

  /// A stretch of a large table or tree. Other tiles work on the others; `settle_split` follows.
  template <class Tile>
  MANGROVE_HOST_DEVICE void filter_slabs(const Tile& tile, const edge_chunk<Bits>& chunk, vertex_entry& entry) const {
    if (marked(erased, chunk.source())) {  // a tree: a table would not be split
      this->trees().give_leaves(tile, chunk.tree(), chunk.first_slab(), chunk.last_slab());
      return;
    }
    const loss lost = chunk.kind() == adjacency_kind::tree
                          ? loss{this->trees().erase_from(tile, chunk.tree(), chunk.first_slab(), chunk.last_slab()), 0}
                          : erase_from(tile, chunk);
    if (lost.keys == 0) return;
    tile.elect([&] {
      fetch_add(&entry.degree, 0 - lost.keys);
      if (lost.tombstones != 0) fetch_add(&entry.words[2], lost.tombstones);
      totals->add_lost(chunk.source(), lost.keys);
    });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE loss erase_from(const Tile& tile, const edge_chunk<Bits>& chunk) const {
    const table in = chunk.slab_table();
    loss lost;
    if constexpr (Tile::simd || Tile::lanes * key_quad::size < table::slots) {
      for (std::uint32_t bucket = chunk.first_slab(); bucket < chunk.last_slab(); ++bucket) {
        lost += erase_from_bucket(tile, in.keys(bucket));
      }
    } else {
      for (std::uint32_t bucket = chunk.first_slab(); bucket < chunk.last_slab(); bucket += together) {
        lost += erase_from_some(tile, in, bucket, chunk.last_slab());
      }
    }
    return lost;
  }

  /// What the slots of a bucket hold, as far as it matters here, four bits a sector: how many keys go, and above them
  /// how many slots are empty. Those of several lanes add up.
  MANGROVE_HOST_DEVICE std::uint32_t seen_in(std::uint32_t slot, std::uint32_t key, bool is_erased) const {
    const std::uint32_t bit = bits_of_sector * table::sectors::of(slot);
    return is_erased ? 1U << bit : key == table::mark::empty ? 1U << (16 + bit) : 0U;
  }

  /// Empties the slots of erased vertices, by the rule of `slab_table::erase_at`: a sector that was full keeps
  /// tombstones, since searches went past it.
  template <class Tile>
  MANGROVE_HOST_DEVICE loss erase_from_bucket(const Tile& tile, std::uint32_t* keys) const {
    std::uint32_t seen = 0;
    for_each_key(tile, keys, table::slots,
                 [&](std::uint32_t slot, std::uint32_t key) { seen += seen_in(slot, key, goes(key)); });
    if (erased_of(seen) == 0) return {};
    for_each_key(tile, keys, table::slots, [&](std::uint32_t slot, std::uint32_t key) {
      if (goes(key)) keys[slot] = left_in(seen, slot);
    });
    return loss_of(seen);
  }

  /// The same for some buckets from `first` on, as far as they are below `last`, by enough lanes that each holds a
  /// quad of each.
  template <class Tile>
  MANGROVE_HOST_DEVICE loss erase_from_some(const Tile& tile, const table& in, std::uint32_t first,
                                            std::uint32_t last) const {
    constexpr std::uint32_t size = key_quad::size;
    const std::uint32_t slot = tile.lane() * size;
    key_quad read[together];
    unrolled<together>([&](int k) {
      read[k] = {table::mark::tombstone, table::mark::tombstone, table::mark::tombstone, table::mark::tombstone};
      if (first + k < last && slot < table::slots) read[k] = *reinterpret_cast<key_quad*>(in.keys(first + k) + slot);
    });
    std::uint32_t seen[together] = {};
    std::uint32_t gone = 0;
    unrolled<together>([&](int k) {
      unrolled<static_cast<int>(size)>([&](int j) {
        const bool is_erased = slot + j < table::slots && goes(read[k].keys[j]);
        gone |= is_erased ? 1U << (k * size + j) : 0U;
        if (slot + j < table::slots) seen[k] += seen_in(slot + j, read[k].keys[j], is_erased);
      });
    });
    loss lost;
    unrolled<together>([&](int k) {
      const std::uint32_t all = tile.sum(seen[k]);
      lost += loss_of(all);
      for (std::uint32_t here = gone >> (k * size) & ((1U << size) - 1); here != 0; here &= here - 1) {
        const std::uint32_t at = slot + lowest_bit(here);
        in.keys(first + k)[at] = left_in(all, at);
      }
    });
    return lost;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t erased_of(std::uint32_t seen) { return seen & 0xffff; }

  [[nodiscard]] MANGROVE_HOST_DEVICE static loss loss_of(std::uint32_t seen) {
    loss lost;
    for (std::uint32_t sector = 0; sector < table::sectors::count; ++sector) {
      const std::uint32_t erased_here = seen >> (bits_of_sector * sector) & 15;
      lost.keys += erased_here;
      lost.tombstones += has_empty(seen, sector) ? 0 : erased_here;
    }
    return lost;
  }

  /// What an erased slot holds from now on.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t left_in(std::uint32_t seen, std::uint32_t slot) {
    return has_empty(seen, table::sectors::of(slot)) ? table::mark::empty : table::mark::tombstone;
  }

  static constexpr int together = 2;  ///< buckets whose keys a tile has under way
  static constexpr std::uint32_t bits_of_sector = 4;
  static_assert(table::sectors::slots < 16 && table::sectors::count <= 4);

  [[nodiscard]] MANGROVE_HOST_DEVICE static bool has_empty(std::uint32_t seen, std::uint32_t sector) {
    return (seen >> (16 + bits_of_sector * sector) & 15) != 0;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool goes(std::uint32_t key) const {
    return table::mark::storable(key) && marked(erased, key);
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
      });
    } else if (old.degree <= layout::inline_capacity) {
      this->move_into_entry(tile, entry, old, old.degree);
    }
  }
};

/// Body: clears a word's bits of erased vertices.
struct clear_presence {
  const std::uint32_t* erased;
  std::uint32_t* present;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t word) const {
    if (erased[word] != 0) present[word] &= ~erased[word];
  }
};

}  // namespace mangrove::detail
