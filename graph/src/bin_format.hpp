#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// Which vertices a bin is for, and how an update becomes a key in it.
struct bin_format {
  /// Vertices of a bin at most, keys of a bin at most, bins at most: what scratch has room for.
  static constexpr std::uint32_t max_vertex_bits = 12;
  static constexpr std::uint32_t max_keys = 5008;
  static constexpr std::uint32_t max_bins = 4096;
  /// Keys that a bin should get at most, on average. Sizes of bins of random updates differ by a few square roots.
  static constexpr std::uint32_t most_wanted_keys = 4096;
  /// With fewer, bins take more memory than the updates are worth.
  static constexpr std::uint32_t min_keys = 64;

  std::uint32_t vertex_bits;
  std::uint32_t index_bits;
  std::uint32_t sequence_bits;
  std::uint32_t bins;      ///< 0 where bins do not suit the batch
  std::uint32_t capacity;  ///< of a bin, keys

  /// @param updates directed ones
  /// @param positions of updates, if their order matters, else 0
  /// @param room for so many keys, those that bins could take but do not get included
  static bin_format for_batch(std::uint32_t index_count, std::size_t updates, std::size_t positions, std::size_t room) {
    bin_format made{};
    const std::uint64_t vertices = std::max<std::uint32_t>(1, index_count);
    const std::uint64_t wanted = wanted_keys(updates);
    while (made.vertex_bits < max_vertex_bits && updates << (made.vertex_bits + 1) <= wanted * vertices) {
      ++made.vertex_bits;
    }
    made.index_bits = static_cast<std::uint32_t>(std::bit_width(vertices));
    made.sequence_bits = static_cast<std::uint32_t>(std::bit_width(positions));
    const std::uint64_t keys = (updates << made.vertex_bits) / vertices;
    const std::uint64_t bins = ((vertices - 1) >> made.vertex_bits) + 1;
    made.capacity = capacity_for(keys);
    const bool fits = made.vertex_bits + made.index_bits + made.sequence_bits < 64;
    const bool suits = keys >= min_keys && keys <= wanted && bins <= max_bins && bins * made.capacity <= room;
    made.bins = fits && suits ? static_cast<std::uint32_t>(bins) : 0;
    return made;
  }

  /// More for larger batches, so that both a bin and what a stretch of updates has for it grow.
  static std::uint64_t wanted_keys(std::size_t updates) {
    std::uint64_t wanted = 256;
    while (wanted < most_wanted_keys && wanted * wanted < 4 * updates) wanted *= 2;
    return wanted;
  }

  /// An odd number of cache lines, so that bins that are written at the same place are in different sets of the cache.
  static std::uint32_t capacity_for(std::uint64_t keys) {
    constexpr std::uint64_t line = 16;  // keys
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(max_keys, ((2 * keys + min_keys) / line | 1) * line));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t bin(std::uint32_t u) const { return u >> vertex_bits; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t first_vertex(std::uint32_t bin) const { return bin << vertex_bits; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t vertices() const { return std::uint32_t{1} << vertex_bits; }

  /// @param sequence the update's position, 0 where order does not matter
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t key(std::uint32_t u, std::uint32_t v, std::uint32_t sequence) const {
    const std::uint64_t local = u & (vertices() - 1);
    return (local << index_bits | v) << sequence_bits | sequence;
  }
  /// Number of the source within the bin.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t local(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key >> (index_bits + sequence_bits));
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key >> sequence_bits & ((std::uint64_t{1} << index_bits) - 1));
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t sequence(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << sequence_bits) - 1));
  }
  /// Whether two keys of one bin are of the same edge.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool same_edge(std::uint64_t a, std::uint64_t b) const {
    return (a ^ b) >> sequence_bits == 0;
  }
};

/// Updates in bins; in the backend's memory.
struct update_bins {
  bin_format format;
  std::uint64_t* keys;   ///< those of bin b begin at b * capacity
  std::uint32_t* sizes;  ///< by bin, zero between batches
};

}  // namespace mangrove::detail
