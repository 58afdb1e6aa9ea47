#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/load_row.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/graph/detail/array_search.hpp"
#include "mangrove/graph/detail/inlined_walk.hpp"
#include "mangrove/graph/detail/key_quads.hpp"
#include "mangrove/graph/detail/slab_walk.hpp"
#include "mangrove/graph/detail/tree_leaves.hpp"
#include "mangrove/graph/detail/vertex_entry.hpp"

namespace mangrove::detail {

/// The dictionary and the pool as bodies see them: all that there is to know about neighbours, by vertex index.
///
/// @tparam Weight the graph's, or bits of its size, which is how the graph's own bodies move weights
template <class Weight>
struct adjacency_view {
  using layout = entry_layout<Weight>;
  using table = typename layout::table;

  /// Where an edge was found; without weights the pointer means nothing.
  struct location {
    bool found;
    const Weight* weight;
  };

  vertex_entry* entries = nullptr;
  std::byte* pool = nullptr;
  std::uint32_t entry_count = 0;  ///< vertices beyond have no edges

  [[nodiscard]] MANGROVE_HOST_DEVICE table table_of(const vertex_entry& entry) const {
    return layout::table_of(pool, entry);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE tree_leaves<Weight> tree_of(const vertex_entry& entry) const {
    return {pool, entry};
  }

  /// @pre u < entry_count
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE location locate(const Tile& tile, std::uint32_t u, std::uint32_t v) const {
    const vertex_entry entry = entries[u];
    if (layout::kind(entry) == adjacency_kind::hash) {
      const table in = table_of(entry);
      const auto at = in.template find<access::plain>(tile, v);
      return at ? location{true, in.values(at.bucket) + at.slot} : location{false, nullptr};
    }
    if (layout::kind(entry) == adjacency_kind::tree) {
      const tree_leaves<Weight> in = tree_of(entry);
      const auto at = in.find(tile, v);
      return at.slot == no_slot ? location{false, nullptr} : location{true, in.leaf(at.leaf).weights + at.slot};
    }
    const bool inlined = layout::kind(entry) == adjacency_kind::inlined;
    const auto array = neighbor_array<Weight>::of(pool, &entries[u]);
    const std::uint32_t hit = inlined ? find_in_words<layout::inline_capacity>(entry.words, entry.degree, v)
                                      : find_in_array(tile, array.keys, entry.degree, v);
    return hit == no_slot ? location{false, nullptr} : location{true, array.weights + hit};
  }

  /// Whether the edge is there, for any u.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool contains(const Tile& tile, std::uint32_t u, std::uint32_t v) const {
    return u < entry_count && entries[u].degree != 0 && locate(tile, u, v).found;
  }

  /// Calls `f(v, weight)` for every neighbour of u, in the lane that read it; a lane's calls ascend, except for tables.
  /// @pre u < entry_count
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_neighbor(const Tile& tile, std::uint32_t u, F f) const {
    if constexpr (Tile::simd) return walk_by_thread(tile, u, f);
    const vertex_entry entry = entries[u];
    const adjacency_kind kind = layout::kind(entry);
    if (kind == adjacency_kind::tree) {
      const tree_leaves<Weight> in = tree_of(entry);
      in.for_each(tile, 0, in.leaves(), f);
      return;
    }
    if (kind == adjacency_kind::array) {
      const auto array = neighbor_array<Weight>::in_extent(pool, entry.extent(), entry.granules());
      for_few_keys<layout::slab::slab_slots>(tile, array.keys, entry.degree,
                                             [&](std::uint32_t i, std::uint32_t v) { f(v, array.weights + i); });
      return;
    }
    if (kind == adjacency_kind::inlined) {
      const auto array = neighbor_array<Weight>::inlined(&entries[u]);
      for_each_of_few(tile, entry.degree, [&](std::uint32_t i) { f(array.keys[i], array.weights + i); });
      return;
    }
    scan_slots(tile, table_of(entry), f);
  }

  /// The same where much is done with each neighbour, such as another search: on a GPU the lanes that read an array
  /// have one neighbour each before any has a second one, not four at once.
  /// @pre u < entry_count
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_neighbor_in_turn(const Tile& tile, std::uint32_t u, F f) const {
    if constexpr (Tile::simd) return walk_by_thread(tile, u, f);
    const vertex_entry entry = entries[u];
    if (layout::kind(entry) != adjacency_kind::array) return for_each_neighbor(tile, u, f);
    const auto array = neighbor_array<Weight>::in_extent(pool, entry.extent(), entry.granules());
    tile.strided(entry.degree, [&](std::size_t i) { f(array.keys[i], array.weights + i); });
  }

  /// The same for the neighbours in [low, high). Only trees find them; other kinds look at all.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_neighbor_in(const Tile& tile, std::uint32_t u, std::uint32_t low,
                                                 std::uint32_t high, F f) const {
    if (layout::kind(entries[u]) == adjacency_kind::tree) {
      tree_of(entries[u]).for_each_in(tile, low, high, f);
      return;
    }
    for_each_neighbor(tile, u, [&](std::uint32_t v, const Weight* weight) {
      if (v >= low && v < high) f(v, weight);
    });
  }

  /// Stage 0 asks for u's entry, stage 1 for the memory where (u, v) is looked for. For any u.
  template <int Stage>
  void prefetch(std::uint32_t u, std::uint32_t v) const {
    if (u >= entry_count) return;
    if constexpr (Stage == 0) {
      mangrove::prefetch(&entries[u]);
    } else {
      const vertex_entry& entry = entries[u];
      const adjacency_kind kind = layout::kind(entry);
      if (kind == adjacency_kind::hash) table_of(entry).prefetch_home(v);
      if (kind == adjacency_kind::tree) mangrove::prefetch(layout::extent(pool, entry.extent()));
      if (kind == adjacency_kind::array) prefetch_array(entry);
    }
  }

  /// Asks for an array, in up to three cache lines; the first and the last are mostly all.
  void prefetch_array(const vertex_entry& entry) const {
    const std::byte* const extent = layout::extent(pool, entry.extent());
    mangrove::prefetch(extent);
    mangrove::prefetch(extent + entry.granules() * granule_bytes - 1);
  }

 private:
  /// Looks first for what most vertices have, and at the kind of an extent after that: each branch is on its own.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void walk_by_thread(const Tile& tile, std::uint32_t u, F& f) const {
    const vertex_entry& entry = entries[u];
    if (entry.degree <= layout::inline_capacity) return walk_inlined<Weight>(entry, f);
    const adjacency_kind kind = layout::kind_of_extent(entry);
    if (kind == adjacency_kind::array) {
      const auto array = neighbor_array<Weight>::in_extent(pool, entry.extent(), entry.granules());
      for_each_key(tile, array.keys, entry.degree, [&](std::uint32_t i, std::uint32_t v) { f(v, array.weights + i); });
    } else if (kind == adjacency_kind::hash) {
      const table in = table_of(entry);
      walk_slabs(tile, in, 0, in.buckets(), f);
    } else {
      const tree_leaves<Weight> in = tree_of(entry);
      in.for_each(tile, 0, in.leaves(), f);
    }
  }

  /// Calls `f` for the keys of a table. Each lane reads a few neighbouring slots before it looks at any.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE static void scan_slots(const Tile& tile, const table& in, F f) {
    constexpr std::uint32_t together = table::slots % 4 == 0 ? 4 : 2;
    static_assert(table::slots % together == 0);
    tile.strided(std::size_t{in.buckets()} * (table::slots / together), [&](std::size_t i) {
      const auto bucket = static_cast<std::uint32_t>(i * together / table::slots);
      const auto first = static_cast<std::uint32_t>(i * together % table::slots);
      std::uint32_t own[together];
      load_row<access::plain>(in.keys(bucket) + first, own);
      unrolled<together>([&](int k) {
        if (slot_mark<std::uint32_t>::storable(own[k])) f(own[k], in.values(bucket) + first + k);
      });
    });
  }
};

}  // namespace mangrove::detail
