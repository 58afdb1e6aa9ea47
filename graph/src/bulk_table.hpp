#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_edges.hpp"
#include "mangrove/adjacency/detail/table_filling.hpp"
#include "mangrove/core/atomic.hpp"

namespace mangrove::detail {

/// A slab table while it is built: lanes insert keys, equal ones too, all at the same time. In scratch or in the pool.
///
/// With weights, a value first is the largest number of its key's edges, until `settle_weights` puts the weight of that
/// edge into its place.
template <class Bits>
class bulk_table {
  using table = slab_table<std::uint32_t, Bits>;
  using mark = slot_mark<std::uint32_t>;

 public:
  MANGROVE_HOST_DEVICE explicit bulk_table(const table& slabs) : slabs_(slabs) {}

  /// Empties buckets [first, last).
  template <class Tile>
  MANGROVE_HOST_DEVICE void clear(const Tile& tile, std::uint32_t first, std::uint32_t last) const {
    constexpr std::uint32_t words = slab_bytes / sizeof(std::uint32_t);
    std::uint32_t* const all = slabs_.keys(first);
    tile.strided(static_cast<std::size_t>(last - first) * words,
                 [&](std::size_t k) { all[k] = k % words < table::slots ? mark::empty : 0; });
  }

  /// Inserts the key of edge `number` unless it is there. There must be room for all keys.
  /// @tparam Access `plain` where the table is in scratch
  /// @return whether it was not
  template <access Access>
  MANGROVE_HOST_DEVICE bool insert(std::uint32_t key, std::uint32_t number) const {
    const auto placed = table_filling(slabs_).template insert<Access>(key);
    if constexpr (!is_none<Bits>) {
      raise_to(slabs_.values(placed.at.bucket) + placed.at.slot, static_cast<Bits>(number));
    }
    return !placed.present;
  }

  /// Turns numbers into weights in buckets [first, last), once all keys are in. @param edges by number
  template <class Tile>
  MANGROVE_HOST_DEVICE void settle_weights(const Tile& tile, std::uint32_t first, std::uint32_t last,
                                           const edge_values<Bits>& edges) const {
    tile.strided(static_cast<std::size_t>(last - first) * table::slots, [&](std::size_t k) {
      const auto bucket = first + static_cast<std::uint32_t>(k / table::slots);
      const auto slot = k % table::slots;
      if (!mark::storable(slabs_.keys(bucket)[slot])) return;
      Bits* const value = slabs_.values(bucket) + slot;
      *value = edges.weight(*value);
    });
  }

 private:
  table slabs_;
};

}  // namespace mangrove::detail
