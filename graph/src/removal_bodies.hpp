#pragma once

#include <cstddef>
#include <cstdint>

#include "tree_removal.hpp"

namespace mangrove::detail {

/// What the bodies that filter share: how a vertex gives its extent back and how few neighbours move into the entry.
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

}  // namespace mangrove::detail
