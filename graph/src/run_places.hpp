#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// Where the tiles that gather chains put the updates of their runs. In a small batch each has places of its own, twice
/// as many as it has chained updates, so that it need not wait for a counter; a tile whose chains have more gets places
/// behind all of those, by the counter.
struct run_places {
  static constexpr std::size_t most_spread = std::size_t{1} << 19;  ///< updates of a small batch
  static constexpr std::size_t most_of_tile = 512;                  ///< updates that a tile chains

  /// Places for a batch of so many updates.
  static constexpr std::size_t count_for(std::size_t updates) {
    return updates <= most_spread ? 3 * updates + 2 * most_of_tile : updates;
  }

  std::size_t updates;    ///< directed ones, of the batch
  std::uint32_t chained;  ///< of them by each tile

  /// Whether a tile has places of its own for so many updates.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool has_own(std::uint32_t count) const {
    return updates <= most_spread && count <= 2 * chained;
  }
  /// A tile's first place of its own. @param begin the first update that it chains
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t own(std::uint32_t begin) { return 2 * begin; }
  /// The first place behind those that tiles have of their own.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t shared() const {
    if (updates > most_spread) return 0;
    return 2 * static_cast<std::uint32_t>((updates + chained - 1) / chained * chained);
  }
};

}  // namespace mangrove::detail
