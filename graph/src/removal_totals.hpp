#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/slab_size.hpp"

namespace mangrove::detail {

/// What a removal counts, in the backend's memory.
struct removal_totals {
  /// What tiles of some vertices add to, in a sector of its own, so that they do not queue up.
  struct share {
    std::uint64_t vertices;  ///< that are erased
    std::uint64_t degrees;   ///< of them, added up
    std::uint64_t loops;     ///< self loops among their edges, where those are counted apart
    std::uint64_t lost;      ///< directed edges from vertices that stay

    MANGROVE_HOST_DEVICE share& operator+=(const share& other) {
      vertices += other.vertices;
      degrees += other.degrees;
      loops += other.loops;
      lost += other.lost;
      return *this;
    }
  };
  static constexpr std::uint32_t share_count = 64;

  share shares[share_count];
  std::uint32_t given[size_classes];  ///< extents by class that have come free

  [[nodiscard]] share sum() const {
    share all{};
    for (const share& each : shares) all += each;
    return all;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE share& share_of(std::size_t vertex) { return shares[vertex / 32 % share_count]; }
};

}  // namespace mangrove::detail
