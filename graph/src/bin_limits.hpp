#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

/// @file
/// Kinds of bins, and what each of them holds at most.

namespace mangrove::detail {

/// Where the keys of a vertex are counted while a bin is put in order: at its number in the bin, or, where bins have
/// far more vertices than keys, at its rank among those that have any; the last where they have very many.
enum class bin_slots : std::uint8_t { by_number, by_rank, by_rank_of_many };

/// Keys and vertices of a bin at most: what a tile's scratch has room for.
struct bin_limits {
  std::uint32_t keys;  ///< an odd number of cache lines, as `bin_format::capacity` is
  std::uint32_t vertices;
};

[[nodiscard]] MANGROVE_HOST_DEVICE constexpr bin_limits limits_of(bin_slots way) {
  if (way == bin_slots::by_number) return {5008, 4096};
  if (way == bin_slots::by_rank) return {2992, std::uint32_t{1} << 16};
  return {2320, std::uint32_t{1} << 18};
}

/// Which vertices go to one bin: a range of them, whose entries are read from neighbouring places; or some from all
/// over the dictionary, since vertices that a stream names more often than others, such as its newest ones, are
/// neighbours more often than not, and would fill one bin.
enum class bin_spread : std::uint8_t { ranges, in_turn };

/// What a bin with room for hubs holds at most: many keys, or many vertices, of which few have any.
enum class hub_bins : std::uint8_t { dense, sparse };

[[nodiscard]] constexpr std::uint32_t most_keys_of(hub_bins kind) {
  return kind == hub_bins::dense ? 4096 : 2048;
}
[[nodiscard]] constexpr std::uint32_t most_vertices_of(hub_bins kind) {
  return kind == hub_bins::dense ? 2048 : 5376;
}

}  // namespace mangrove::detail
