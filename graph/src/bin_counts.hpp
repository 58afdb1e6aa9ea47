#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bin_limits.hpp"

namespace mangrove::detail {

/// How many bins a batch is dealt out to, and of which kind: on the host.
class bin_counts {
 public:
  /// With fewer keys in a bin, bins take more memory than the updates are worth.
  static constexpr std::uint32_t min_keys = 64;
  /// Bins that are worked on at a time, by three tiles on each of 132 multiprocessors.
  static constexpr std::uint32_t at_once = 3 * 132;

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
  static std::uint64_t bins_for(std::uint64_t vertices, std::size_t updates, bin_slots way) {
    const std::uint64_t by_vertices = divided(vertices, limits_of(way).vertices);
    const std::uint64_t least = std::max(divided(updates, wanted_keys(updates, way)), by_vertices);
    const bool rounds_up = least >= at_once / 2 && least <= 2 * at_once;
    return std::min(vertices, rounds_up ? divided(least, at_once) * at_once : least);
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

  /// The quotient, or the next whole number.
  static constexpr std::uint64_t divided(std::uint64_t all, std::uint64_t by) { return (all + by - 1) / by; }

 private:
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

  /// Keys that a bin should get at most, on average. Sizes of bins of random updates differ by a few square roots.
  static constexpr std::uint32_t most_wanted_keys = 4096;
  /// The same of bins whose vertices are ranked, and of sparse ones with room for hubs.
  static constexpr std::uint32_t most_wanted_ranked_keys = 2048;
  static constexpr std::uint32_t most_wanted_sparse_keys = 1024;
  /// Vertices for each update from which on they are ranked, if there are too many of them for as many bins as are
  /// worked on at a time: counters of vertices that have no keys cost more then than going through the keys once more.
  static constexpr std::uint64_t many_vertices = 5;
};

}  // namespace mangrove::detail
