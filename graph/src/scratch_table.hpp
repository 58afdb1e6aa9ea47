#pragma once

#include "mangrove/core/load_row.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"

namespace mangrove::detail {

/// A hash table that a tile has in its scratch for a while. All lanes call together, and sync between calls.
template <class Bits>
class scratch_table {
 public:
  using layout = entry_layout<Bits>;
  using table = typename layout::table;

  /// @param scratch has room for its slabs
  MANGROVE_HOST_DEVICE scratch_table(std::byte* scratch, std::uint32_t slabs) : made_(scratch, slabs) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE const table& get() const { return made_; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void clear(const Tile& tile) const {
    tile.strided(made_.buckets() * table::slots,
                 [&](std::size_t i) { made_.keys(i / table::slots)[i % table::slots] = table::mark::empty; });
  }

  /// Puts all neighbours of a vertex into it, which must be empty and have room.
  template <class Tile>
  MANGROVE_HOST_DEVICE void fill(const Tile& tile, const adjacency_view<Bits>& graph, vertex_entry of) const {
    if (layout::kind(of) == adjacency_kind::hash) return rehash(tile, graph.table_of(of));
    const auto from = neighbor_array<Bits>::of(graph.pool, &of);
    tile.strided(of.degree, [&](std::size_t k) {
      const auto placed = made_.place_alone(from.keys[k]);
      if constexpr (!is_none<Bits>) made_.values(placed.bucket)[placed.slot] = from.weights[k];
    });
  }

  /// Makes it a copy of a table of the same size.
  template <class Tile>
  MANGROVE_HOST_DEVICE void read(const Tile& tile, const table& from) const {
    copy(tile, from, made_);
  }

  /// Makes a table of the same size a copy of it.
  template <class Tile>
  MANGROVE_HOST_DEVICE void write(const Tile& tile, const table& to) const {
    copy(tile, made_, to);
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE static void copy(const Tile& tile, const table& from, const table& to) {
    constexpr std::size_t pack = 16 / sizeof(std::uint32_t);
    tile.strided(from.buckets() * (slab_bytes / 16), [&](std::size_t k) {
      std::uint32_t words[pack];
      load_row<access::plain>(from.keys(0) + k * pack, words);
      store_row(to.keys(0) + k * pack, words);
    });
  }

  /// Lanes read a few slots each before they place any, so that all loads are under way together.
  template <class Tile>
  MANGROVE_HOST_DEVICE void rehash(const Tile& tile, const table& from) const {
    constexpr int ahead = 4;
    const std::uint32_t slots = from.buckets() * table::slots;
    for (std::uint32_t first = tile.lane(); first < slots; first += ahead * Tile::lanes) {
      std::uint32_t keys[ahead];
      unrolled<ahead>([&](int k) {
        const std::uint32_t i = first + k * Tile::lanes;
        keys[k] = i < slots ? from.keys(i / table::slots)[i % table::slots] : table::mark::empty;
      });
      unrolled<ahead>([&](int k) {
        if (!table::mark::storable(keys[k])) return;
        const auto placed = made_.place_alone(keys[k]);
        const std::uint32_t i = first + k * Tile::lanes;
        if constexpr (!is_none<Bits>) {
          made_.values(placed.bucket)[placed.slot] = from.values(i / table::slots)[i % table::slots];
        }
      });
    }
  }

  table made_;
};

}  // namespace mangrove::detail
