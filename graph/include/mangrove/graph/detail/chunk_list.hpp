#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"

namespace mangrove::detail {

/// Chunks of large tables that wait for the second launch.
struct chunk_list {
  struct item {
    std::uint32_t vertex;
    std::uint32_t first_slab;
  };
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  item* items;
  std::uint32_t* count;  ///< may pass the capacity
  std::uint32_t capacity;
  std::uint32_t chunk_slabs;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t size() const { return *count < capacity ? *count : capacity; }

  /// Lists all chunks of a vertex. Called by all lanes of a tile. @return whether there was room
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool append(const Tile& tile, std::uint32_t vertex, std::uint32_t slabs) const {
    const std::uint32_t chunks = (slabs + chunk_slabs - 1) / chunk_slabs;
    const std::uint32_t at = tile.elect([&] { return fetch_add(count, chunks); });
    const std::uint32_t left = at < capacity ? capacity - at : 0;
    const bool fits = chunks <= left;
    tile.strided(fits ? chunks : left, [&](std::size_t k) {
      items[at + k] = {fits ? vertex : nobody, static_cast<std::uint32_t>(k) * chunk_slabs};
    });
    return fits;
  }
};

}  // namespace mangrove::detail
