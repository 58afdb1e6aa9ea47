#pragma once

#include <cstdint>

#include "bin_keys.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/lane_share.hpp"

/// @file
/// Where the keys of a bin's vertices are counted, in a tile's scratch: a slot for each vertex, or for each that has
/// keys.

namespace mangrove::detail {

/// Slots for the vertices of a bin that have keys: as many as there are of those before, which is found out by a bit
/// for each vertex of the bin. All lanes call `clear`, sync, call `prepare` and sync; then `of` tells a vertex's slot.
template <bin_slots Way>
class vertex_slots {
 public:
  static constexpr std::uint32_t most = limits_of(Way).keys;

  /// How many are in use for so many keys.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t used(const bin_format&, std::uint32_t keys) { return keys; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void clear(const Tile& tile, const bin_format& format) {
    tile.strided(counted * groups_of(format), [&](std::size_t w) { bits_[w] = 0; });
  }

  /// @param found called with the number in the bin of the vertex of each key
  template <class Tile, class Found>
  MANGROVE_HOST_DEVICE void prepare(const Tile& tile, const bin_format& format, const kept_keys& keys, Found found) {
    keys.read(tile, [&](std::uint64_t key) {
      const std::uint32_t vertex = format.local(key);
      found(vertex);
      fetch_or(bits_ + vertex / 32, 1U << vertex % 32);
    });
    tile.sync();
    number(tile, groups_of(format));
  }

  /// @pre it has keys
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t of(std::uint32_t vertex) const {
    const std::uint32_t word = vertex / 32;
    const std::uint32_t below = (1U << vertex % 32) - 1;
    std::uint32_t before = before_[word / counted];
    for (std::uint32_t w = word / counted * counted; w < word; ++w) before += count_bits(bits_[w]);
    return before + count_bits(bits_[word] & below);
  }

 private:
  static constexpr std::uint32_t words = limits_of(Way).vertices / 32;
  static constexpr std::uint32_t counted = Way == bin_slots::by_rank ? 1 : 4;  ///< words that are counted together

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t groups_of(const bin_format& format) {
    return (format.vertices + 32 * counted - 1) / (32 * counted);
  }

  /// Finds out how many vertices there are before the first one of each group of words. Each lane has a few
  /// neighbouring groups.
  template <class Tile>
  MANGROVE_HOST_DEVICE void number(const Tile& tile, std::uint32_t groups) {
    const lane_share mine = lane_share::of(tile, groups);
    const auto size = [&](std::uint32_t g) {
      std::uint32_t all = 0;
      unrolled<counted>([&](int w) { all += count_bits(bits_[counted * g + w]); });
      return all;
    };
    std::uint32_t own = 0;
    mine.for_each([&](std::uint32_t g) { own += size(g); });
    std::uint32_t before = tile.prefix_sum(own);
    mine.for_each([&](std::uint32_t g) {
      before_[g] = static_cast<std::uint16_t>(before);
      before += size(g);
    });
  }

  std::uint32_t bits_[words];
  std::uint16_t before_[words / counted];  ///< vertices that have keys
};

/// A slot for each vertex of the bin.
template <>
class vertex_slots<bin_slots::by_number> {
 public:
  static constexpr std::uint32_t most = limits_of(bin_slots::by_number).vertices;

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t used(const bin_format& format, std::uint32_t) {
    return format.vertices;
  }
  template <class Tile>
  MANGROVE_HOST_DEVICE void clear(const Tile&, const bin_format&) {}
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t of(std::uint32_t vertex) const { return vertex; }
};

}  // namespace mangrove::detail
