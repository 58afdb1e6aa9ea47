#pragma once

#include <cstdint>

#include "mangrove/core/atomic.hpp"

namespace mangrove::detail {

/// Counters of a bucket's sectors, two to a word, which many lanes count up.
template <std::uint32_t Sectors>
struct sector_counters {
  static constexpr std::uint32_t words = (Sectors + 1) / 2;

  /// Counts a sector up. @param counters the bucket's @return how often that was done before; right up to 2^16
  MANGROVE_HOST_DEVICE static std::uint32_t count_up(std::uint32_t* counters, std::uint32_t sector) {
    const std::uint32_t half = sector % 2 * 16;
    return fetch_add(counters + sector / 2, std::uint32_t{1} << half) >> half & 0xffff;
  }
};

}  // namespace mangrove::detail
