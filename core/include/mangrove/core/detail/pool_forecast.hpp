#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "mangrove/core/detail/class_counts.hpp"
#include "mangrove/core/detail/recut.hpp"
#include "mangrove/core/pool_ref.hpp"

/// @file
/// What a pool is likely to be asked for next, and to be given. These are guesses, found by replaying what batches
/// demanded: one that fails costs time, nothing else.

namespace mangrove::detail {

/// A demand with what there shall be besides.
struct ample_demand {
  pool_demand demand;   ///< with more of each class
  std::uint64_t fresh;  ///< granules that were never handed out
};

/// How full a pool is, in granules.
struct pool_use {
  std::uint64_t mapped;           ///< that there is memory for
  std::uint64_t in_use;           ///< in extents
  std::uint64_t in_use_when_cut;  ///< at most, when extents were cut for a demand
};

/// Extents that should be free for the demand and, since cutting has its price, for some batches after it:
/// 32, unless those take more than an eighth of the granules that are mapped.
[[nodiscard]] inline class_counts wanted(const pool_demand& demand, std::uint64_t mapped) {
  constexpr std::uint64_t batches_ahead = 32;
  constexpr std::uint64_t ahead_share = 8;
  const std::uint64_t granules = std::max<std::uint64_t>(granules_of(demand.taken), 1);
  const std::uint64_t batches = std::clamp<std::uint64_t>(mapped / ahead_share / granules, 1, batches_ahead);
  class_counts all = demand.taken;
  for (std::uint32_t& count : all) count = static_cast<std::uint32_t>(count * batches);
  return all;
}

/// An expected demand with what there shall be to spare, since the next one will ask for other classes. In a pool
/// that grows, that is more of each class, which what is free serves, too: memory beyond it would stay unused. Where
/// hardly more is in use than there was when extents were cut, it is memory: else they would be cut for each other
/// for ever.
[[nodiscard]] inline ample_demand with_spare(const pool_demand& demand, const pool_use& use) {
  // What does not matter beside most graphs, in bytes: two of the pages that a device maps.
  constexpr std::size_t little = std::size_t{4} << 20;
  constexpr std::uint64_t eighths_of_demand = 3;
  constexpr std::uint64_t share_of_pool = 14;
  constexpr std::uint64_t growing_share = 8;
  const std::uint64_t most = std::max<std::uint64_t>(use.mapped / share_of_pool, little / granule_bytes);
  const std::uint64_t granules = std::max<std::uint64_t>(granules_of(demand.taken), 1);
  const std::uint64_t spare = std::min(granules / 8 * eighths_of_demand, most);
  if (use.in_use < use.in_use_when_cut + granules / growing_share) return {demand, spare};
  ample_demand ample{demand, 0};
  for (std::uint32_t& count : ample.demand.taken) {
    count += static_cast<std::uint32_t>((count * spare + granules - 1) / granules);
  }
  return ample;
}

/// Extents that are likely to be given back where a demand like this one is met: as many of each class, and of some
/// classes more. Of each those in use at most, and as many as are taken of it or of one up to half as large, for
/// vertices of like degrees outgrow their classes together.
/// @param batches like this one, for which lists get pages besides
[[nodiscard]] inline gifts likely_gifts(const class_counts& in_use, const pool_demand& demand, std::uint64_t batches) {
  constexpr std::uint32_t classes_to_a_half = 8;
  constexpr std::uint64_t few = 3 << 15;  // may be twice as many with the next batch
  constexpr std::uint64_t most_ahead = std::uint64_t{1} << 19;
  constexpr std::uint64_t more_share = 4;
  const std::uint64_t all = std::accumulate(demand.given.begin(), demand.given.end(), std::uint64_t{0});
  const std::uint64_t likely = std::max(all / more_share, std::min(all, few));
  const auto ahead = static_cast<std::uint32_t>(std::min<std::uint64_t>(batches, most_ahead / (all + 1)));
  gifts made{demand.given, in_use, std::max(likely, 2 * ahead * all), std::max(ahead, gifts().ahead)};
  for (std::uint32_t c = 0; c < size_classes; ++c) {
    const auto* const first = demand.taken.data() + (c < classes_to_a_half ? 0 : c - classes_to_a_half);
    made.possible[c] += *std::max_element(first, demand.taken.data() + c + 1);
  }
  return made;
}

/// The same where nothing is known of the demand but the bytes that it takes: all in use, and some of what is taken;
/// of each class as many as take a share of the bytes, a larger one of arrays.
[[nodiscard]] inline gifts any_gifts(const class_counts& in_use, std::size_t bytes, std::size_t extents) {
  gifts made{.expected = in_use, .more = extents};
  for (std::uint32_t c = 0; c < size_classes; ++c) {
    const std::uint64_t share = size_class_granules(c) <= granules_per_slab ? 4 : 16;
    made.possible[c] += static_cast<std::uint32_t>(bytes / granule_bytes / size_class_granules(c) / share);
  }
  return made;
}

}  // namespace mangrove::detail
