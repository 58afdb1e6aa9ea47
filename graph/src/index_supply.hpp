#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// Indices that new ids get: free ones while there are any, the last one first, then those never used.
struct index_supply {
  const std::uint32_t* free;  ///< in the backend's memory
  std::uint32_t free_count;
  std::uint32_t next;

  /// The index of the new id number k.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t operator[](std::uint32_t k) const {
    return k < free_count ? free[free_count - 1 - k] : next + (k - free_count);
  }
};

}  // namespace mangrove::detail
