#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/slab_pool.hpp"

namespace mangrove::detail {

/// How many of the first `count` values of a row are below v. Same result in every lane.
/// @param row aligned to 16 bytes. @param count at most 32, a multiple of 4
template <class Tile>
[[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_below(const Tile& tile, const std::uint32_t* row,
                                                             std::uint32_t count, std::uint32_t v) {
  constexpr int together = 4;
  std::uint32_t below = 0;
  if constexpr (Tile::simd) {
    for (std::uint32_t i = 0; i < count; ++i) below += row[i] < v ? 1 : 0;
    return below;
  } else {
    for (std::uint32_t first = together * tile.lane(); first < count; first += together * Tile::lanes) {
      std::uint32_t seen[together];
      load_row<access::plain>(row + first, seen);
      unrolled<together>([&](int k) { below += seen[k] < v ? 1 : 0; });
    }
    return tile.sum(below);
  }
}

/// All inner nodes of a vertex's B-tree, in one extent: for each leaf its bound, which is the largest key that it may
/// hold, and the slab it is.
///
/// Level 0 holds the bounds of all leaves, ascending, and the numbers of their slabs beside them. Level k + 1 holds
/// every 32nd bound of level k, up to a level of at most 32. So a search reads one line of 128 bytes a level, counts
/// the bounds below its key, and computes where the next line is. The last bound of every level, and what pads a level
/// to whole lines, is above all keys.
class tree_directory {
 public:
  /// Bounds of a line, hence children of an inner node.
  static constexpr std::uint32_t fan_out = 32;
  /// Bound of the last leaf.
  static constexpr std::uint32_t no_bound = ~std::uint32_t{0};

  MANGROVE_HOST_DEVICE tree_directory(std::uint32_t* words, std::uint32_t leaves)
      : words_(words), leaves_(leaves), width_(padded(leaves)) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t leaves() const { return leaves_; }
  /// By leaf; writable, as `slabs` is. Whoever changes them calls `index`.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t* bounds() const { return words_; }
  /// By leaf.
  [[nodiscard]] MANGROVE_HOST_DEVICE slab_index* slabs() const { return words_ + width_; }

  /// Granules of the extent for so many leaves: a quarter of one for each leaf, and a thirtieth as much again from 33
  /// leaves on.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t granules_for(std::uint32_t leaves) {
    constexpr std::uint32_t words_of_granule = granule_bytes / sizeof(std::uint32_t);
    return (start_of(leaves, levels_for(leaves)) + words_of_granule - 1) / words_of_granule;
  }

  /// Number of the leaf that holds v if any does. Same result in every lane. Cost: a line a level.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t find(const Tile& tile, std::uint32_t v) const {
    std::uint32_t at = 0;
    for (std::uint32_t level = levels_for(leaves_); level-- > 0;) {
      const std::uint32_t* const line = words_ + start_of(leaves_, level) + at * fan_out;
      at = at * fan_out + count_below(tile, line, width_ < fan_out ? width_ : fan_out, v);
    }
    return at;
  }

  /// Chunks of leaves that `index` is called for.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t chunks_for(std::uint32_t leaves) {
    return (leaves + fan_out - 1) / fan_out;
  }

  /// Writes what follows from the bounds of a chunk of `fan_out` leaves, which are there: the bounds of the levels
  /// above, and with the last chunk the padding. The last leaf's bound may be anything; it becomes `no_bound`.
  template <class Tile>
  MANGROVE_HOST_DEVICE void index(const Tile& tile, std::uint32_t chunk) const {
    const bool last = chunk + 1 == chunks_for(leaves_);
    const std::uint32_t bound = last ? no_bound : words_[chunk * fan_out + fan_out - 1];
    if (last) tile.strided(width_ - leaves_ + 1, [&](std::size_t k) { words_[leaves_ - 1 + k] = no_bound; });
    std::uint32_t number = chunk;
    for (std::uint32_t level = 1; level < levels_for(leaves_); ++level) {
      std::uint32_t* const bounds = words_ + start_of(leaves_, level);
      tile.elect([&] { bounds[number] = bound; });
      const std::uint32_t end = (number + fan_out) / fan_out * fan_out;
      if (last) tile.strided(end - number - 1, [&](std::size_t k) { bounds[number + 1 + k] = no_bound; });
      if (!last && number % fan_out != fan_out - 1) return;  // a later chunk ends the group
      number /= fan_out;
    }
  }

 private:
  /// Bounds of a level as stored: of a single line only what 16 bytes hold.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t padded(std::uint32_t count) {
    const std::uint32_t unit = count <= fan_out ? 4 : fan_out;
    return (count + unit - 1) / unit * unit;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t levels_for(std::uint32_t leaves) {
    std::uint32_t levels = 1;
    for (std::uint32_t count = leaves; count > fan_out; count = chunks_for(count)) ++levels;
    return levels;
  }

  /// Words in front of a level: level 0 comes first, then the slabs, then the upper levels in whole lines.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t start_of(std::uint32_t leaves, std::uint32_t level) {
    if (level == 0) return 0;
    std::uint32_t start = 2 * padded(leaves);
    std::uint32_t count = leaves;
    for (std::uint32_t below = 1; below < level; ++below) {
      count = chunks_for(count);
      start += chunks_for(count) * fan_out;
    }
    return start;
  }

  std::uint32_t* words_;
  std::uint32_t leaves_;
  std::uint32_t width_;  ///< of level 0, and of the slabs
};

}  // namespace mangrove::detail
