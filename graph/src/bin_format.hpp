#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"

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

/// Which vertices a bin is for, and how an update becomes a key in it.
struct bin_format {
  /// Bins at most: what scratch has room for.
  static constexpr std::uint32_t max_bins = 4096;
  /// Keys that a bin should get at most, on average. Sizes of bins of random updates differ by a few square roots.
  static constexpr std::uint32_t most_wanted_keys = 4096;
  /// With fewer, bins take more memory than the updates are worth.
  static constexpr std::uint32_t min_keys = 64;
  /// As `most_wanted_keys`, of bins whose vertices are ranked.
  static constexpr std::uint32_t most_wanted_ranked_keys = 2048;
  /// Vertices for each update from which on they are ranked, if there are too many of them for as many bins as are
  /// worked on at a time: counters of vertices that have no keys cost more then than going through the keys once more.
  static constexpr std::uint64_t many_vertices = 5;
  /// Bins that are worked on at a time, by three tiles on each of 132 multiprocessors.
  static constexpr std::uint32_t at_once = 3 * 132;

  /// Of vertices: `quotient` is exact below 2^30.
  static constexpr std::uint32_t most_index_bits = 30;
  /// Vertices that go to bins in turn go by lines of some neighbours; of so many at most, as a power of two.
  static constexpr std::uint32_t most_line_bits = 8;
  /// Lines of a bin at least; with fewer, bins would differ too much.
  static constexpr std::uint64_t least_lines = 32;

  /// Of bins for batches with hubs: neighbours of a line at most, as a power of two; keys that sparse ones should get
  /// at most, on average.
  static constexpr std::uint32_t most_line_bits_with_hubs = 2;
  static constexpr std::uint32_t most_wanted_sparse_keys = 1024;

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
    const bin_slots way = way_for(vertices, updates);
    const bin_limits limits = limits_of(way);
    const std::uint64_t least =
        std::max(divided(updates, wanted_keys(updates, way)), divided(vertices, limits.vertices));
    bin_format made{};
    made.way = way;
    made.spread = spread;
    made.deal_out(vertices, bins_for(vertices, least));
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
    const std::uint64_t dense = dense_bins_for(vertices, updates);
    const std::uint64_t sparse = sparse_bins_for(vertices, updates);
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

  /// Bins with room for hubs: as many as are worked on at a time, or a multiple, so that none are left for a round of
  /// their own.
  static std::uint64_t dense_bins_for(std::uint64_t vertices, std::size_t updates) {
    const std::uint64_t wanted = std::max<std::uint64_t>(256, wanted_keys(updates) / 2);
    const std::uint64_t fewest = divided(vertices, most_vertices_of(hub_bins::dense));
    const std::uint64_t least = std::max(divided(updates, wanted), fewest);
    const std::uint64_t whole = least / at_once * at_once;
    return whole != 0 && whole >= fewest ? whole : least;
  }
  static std::uint64_t sparse_bins_for(std::uint64_t vertices, std::size_t updates) {
    const std::uint64_t least =
        std::max(divided(vertices, most_vertices_of(hub_bins::sparse)), divided(updates, most_wanted_sparse_keys));
    return divided(least, at_once) * at_once;
  }

  /// More for larger batches, so that both a bin and what a stretch of updates has for it grow.
  static std::uint64_t wanted_keys(std::size_t updates) {
    std::uint64_t wanted = 256;
    while (wanted < most_wanted_keys && wanted * wanted < 4 * updates) wanted *= 2;
    return wanted;
  }

  /// The same by way: of a bin whose vertices are ranked fewer.
  static std::uint64_t wanted_keys(std::size_t updates, bin_slots way) {
    const std::uint64_t wanted = wanted_keys(updates);
    return way == bin_slots::by_number ? wanted : std::min<std::uint64_t>(wanted, most_wanted_ranked_keys);
  }

  /// Where keys are counted so that there are few bins, and few counters for each key.
  static bin_slots way_for(std::uint64_t vertices, std::size_t updates) {
    const bool few = divided(vertices, limits_of(bin_slots::by_number).vertices) <= at_once;
    if (few || vertices <= updates * many_vertices) return bin_slots::by_number;
    const std::uint64_t by_keys = divided(updates, wanted_keys(updates, bin_slots::by_rank));
    const bool few_bins = divided(vertices, limits_of(bin_slots::by_rank).vertices) <= by_keys;
    return few_bins ? bin_slots::by_rank : bin_slots::by_rank_of_many;
  }

  /// As few bins as will do; but where they are about as many as are worked on at a time, all of those, or twice as
  /// many, so that no multiprocessor is left without work while others have some.
  static std::uint64_t bins_for(std::uint64_t vertices, std::uint64_t least) {
    const bool rounds_up = least >= at_once / 2 && least <= 2 * at_once;
    return std::min(vertices, rounds_up ? divided(least, at_once) * at_once : least);
  }

  /// The quotient, or the next whole number.
  static constexpr std::uint64_t divided(std::uint64_t all, std::uint64_t by) { return (all + by - 1) / by; }

  /// Prepares for dividing numbers below 2^30, exactly, by a multiplication.
  void set_divisor(std::uint32_t by) {
    shift = static_cast<std::uint32_t>(std::bit_width(by)) - 1;
    const std::uint64_t scale = std::uint64_t{1} << (31 + shift);
    reciprocal = static_cast<std::uint32_t>(divided(scale, by));
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
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(most, ((2 * keys + min_keys) / line | 1) * line));
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
      vertices = static_cast<std::uint32_t>(divided(all, wanted));
      bins = static_cast<std::uint32_t>(divided(all, vertices));
      return set_divisor(vertices);
    }
    line_bits = longest_line;
    while (line_bits != 0 && all >> line_bits < least_lines * wanted) --line_bits;
    const std::uint64_t lines = divided(all, std::uint64_t{1} << line_bits);
    bins = static_cast<std::uint32_t>(std::min(lines, wanted));
    vertices = static_cast<std::uint32_t>(divided(lines, bins) << line_bits);
    set_divisor(bins);
  }

  /// Whether keys fit, and bins what scratch holds. @param keys of a bin, on average
  [[nodiscard]] bool holds(std::uint64_t keys) const {
    const auto vertex_bits = static_cast<std::uint32_t>(std::bit_width(vertices - 1));
    return index_bits <= most_index_bits && vertex_bits + index_bits + sequence_bits < 64 &&
           vertices <= limits_of(way).vertices && bins <= max_bins && keys >= min_keys && keys + keys / 8 <= capacity;
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
