#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "bin_counts.hpp"
#include "bin_limits.hpp"
#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// Which vertices a bin is for, and how an update becomes a key in it.
struct bin_format {
  /// Bins at most: what scratch has room for.
  static constexpr std::uint32_t max_bins = 4096;
  /// Neighbours of a line at most, as a power of two, in bins with room for hubs.
  static constexpr std::uint32_t most_line_bits_with_hubs = 2;

  /// Of vertices: `quotient` is exact below 2^30.
  static constexpr std::uint32_t most_index_bits = 30;
  /// Vertices that go to bins in turn go by lines of some neighbours; of so many at most, as a power of two.
  static constexpr std::uint32_t most_line_bits = 8;
  /// Lines of a bin at least; with fewer, bins would differ too much.
  static constexpr std::uint64_t least_lines = 32;

  std::uint32_t vertices;  ///< of a bin at most
  bin_spread spread;
  std::uint32_t line_bits;   ///< in turn: vertices of a line, as a power of two
  std::uint32_t reciprocal;  ///< with `shift`, for dividing by a bin's vertices; in turn, by the number of bins
  std::uint32_t shift;
  std::uint32_t index_bits;
  std::uint32_t sequence_bits;
  std::uint32_t bins;
  bool suits;              ///< whether bins suit the batch
  std::uint32_t capacity;  ///< of a bin, keys
  bin_slots way;
  hub_bins kind;  ///< of bins for hubs

  /// @param updates directed ones
  /// @param positions of updates, if their order matters, else 0
  /// @param room for so many keys, those that bins could take but do not get included
  static bin_format for_batch(std::uint32_t index_count, std::size_t updates, std::size_t positions, std::size_t room,
                              bin_spread spread) {
    const std::uint64_t vertices = std::max<std::uint32_t>(1, index_count);
    const bin_slots way = bin_counts::way_for(vertices, updates);
    const bin_limits limits = limits_of(way);
    bin_format made{};
    made.way = way;
    made.spread = spread;
    made.deal_out(vertices, bin_counts::bins_for(vertices, updates, way));
    made.index_bits = static_cast<std::uint32_t>(std::bit_width(vertices));
    made.sequence_bits = static_cast<std::uint32_t>(std::bit_width(positions));
    const std::uint64_t keys = updates * std::min<std::uint64_t>(made.vertices, vertices) / vertices;
    made.capacity = capacity_for(keys, limits.keys);
    made.suits = made.holds(keys) && std::uint64_t{made.bins} * made.capacity <= room;
    return made;
  }

  /// For bins that get as much room as they need, one after the other, and are large enough for a few hubs each.
  /// Vertices go to them in turn, almost one by one, for hubs are neighbours more often than not.
  /// @param stretches of updates, each of which has a share of every bin @param room for so many of those
  static bin_format for_hubs(std::uint32_t index_count, std::size_t updates, std::size_t positions,
                             std::size_t stretches, std::size_t room) {
    const std::uint64_t vertices = std::max<std::uint32_t>(1, index_count);
    const std::uint64_t dense = bin_counts::dense_bins_for(vertices, updates);
    const std::uint64_t sparse = bin_counts::sparse_bins_for(vertices, updates);
    bin_format made{};
    made.way = bin_slots::by_number;
    made.spread = bin_spread::in_turn;
    made.kind = sparse + sparse / 4 <= dense ? hub_bins::sparse : hub_bins::dense;
    made.deal_out(vertices, made.kind == hub_bins::sparse ? sparse : dense, most_line_bits_with_hubs);
    made.index_bits = static_cast<std::uint32_t>(std::bit_width(vertices));
    made.sequence_bits = static_cast<std::uint32_t>(std::bit_width(positions));
    const auto vertex_bits = static_cast<std::uint32_t>(std::bit_width(made.vertices - 1));
    made.suits = made.index_bits <= most_index_bits && vertex_bits + made.index_bits + made.sequence_bits < 64 &&
                 made.vertices <= most_vertices_of(made.kind) && made.bins <= max_bins && made.bins * stretches <= room;
    return made;
  }

  /// Prepares for dividing numbers below 2^30, exactly, by a multiplication.
  void set_divisor(std::uint32_t by) {
    shift = static_cast<std::uint32_t>(std::bit_width(by)) - 1;
    const std::uint64_t scale = std::uint64_t{1} << (31 + shift);
    reciprocal = static_cast<std::uint32_t>(bin_counts::divided(scale, by));
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t quotient(std::uint32_t number) const {
    return static_cast<std::uint32_t>(std::uint64_t{number} * reciprocal >> 31) >> shift;
  }

  static constexpr std::uint64_t line = 16;  ///< keys in a line of the cache
  static_assert(limits_of(bin_slots::by_number).keys / line % 2 == 1 &&
                limits_of(bin_slots::by_rank).keys / line % 2 == 1 &&
                limits_of(bin_slots::by_rank_of_many).keys / line % 2 == 1);

  /// An odd number of cache lines, so that bins that are written at the same place are in different sets of the cache.
  static std::uint32_t capacity_for(std::uint64_t keys, std::uint32_t most) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(most, ((2 * keys + bin_counts::min_keys) / line | 1) * line));
  }

  /// Where a vertex belongs: a bin, and a number within it.
  struct place {
    std::uint32_t bin;
    std::uint32_t local;
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE place place_of(std::uint32_t u) const {
    if (spread == bin_spread::ranges) {
      const std::uint32_t bin = quotient(u);
      return {bin, u - bin * vertices};
    }
    const std::uint32_t line = u >> line_bits;
    const std::uint32_t turn = quotient(line);
    return {line - turn * bins, turn << line_bits | (u & ((1U << line_bits) - 1))};
  }
  /// The vertex at a place.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t vertex(const place& at) const {
    if (spread == bin_spread::ranges) return at.bin * vertices + at.local;
    const std::uint32_t line = (at.local >> line_bits) * bins + at.bin;
    return line << line_bits | (at.local & ((1U << line_bits) - 1));
  }

  /// @param local the source's number in the bin
  /// @param sequence the update's position, 0 where order does not matter
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t key(std::uint32_t local, std::uint32_t v,
                                                       std::uint32_t sequence) const {
    return (std::uint64_t{local} << index_bits | v) << sequence_bits | sequence;
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

 private:
  /// Shares vertices out to about so many bins, each of which gets some.
  /// @param longest_line as a power of two
  void deal_out(std::uint64_t all, std::uint64_t wanted, std::uint32_t longest_line = most_line_bits) {
    if (spread == bin_spread::ranges) {
      vertices = static_cast<std::uint32_t>(bin_counts::divided(all, wanted));
      bins = static_cast<std::uint32_t>(bin_counts::divided(all, vertices));
      return set_divisor(vertices);
    }
    line_bits = longest_line;
    while (line_bits != 0 && all >> line_bits < least_lines * wanted) --line_bits;
    const std::uint64_t lines = bin_counts::divided(all, std::uint64_t{1} << line_bits);
    bins = static_cast<std::uint32_t>(std::min(lines, wanted));
    vertices = static_cast<std::uint32_t>(bin_counts::divided(lines, bins) << line_bits);
    set_divisor(bins);
  }

  /// Whether keys fit, and bins what scratch holds. @param keys of a bin, on average
  [[nodiscard]] bool holds(std::uint64_t keys) const {
    const auto vertex_bits = static_cast<std::uint32_t>(std::bit_width(vertices - 1));
    return index_bits <= most_index_bits && vertex_bits + index_bits + sequence_bits < 64 &&
           vertices <= limits_of(way).vertices && bins <= max_bins && keys >= bin_counts::min_keys &&
           keys + keys / 8 <= capacity;
  }
};

/// Updates in bins; in the backend's memory.
struct update_bins {
  bin_format format;
  std::uint64_t* keys;              ///< those of bin b begin at b * capacity
  std::uint32_t* sizes;             ///< by bin, zero between batches
  std::uint32_t* starts = nullptr;  ///< by bin, for those that stand close together: where its keys begin instead
};

}  // namespace mangrove::detail
