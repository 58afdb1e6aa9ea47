#pragma once

#include <cstddef>

#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// Index of the last of `count` ascending offsets that is at most `value`; offsets[0] is.
template <class Offset>
MANGROVE_HOST_DEVICE std::size_t row_of(const Offset* offsets, std::size_t count, Offset value) {
  std::size_t low = 0;
  std::size_t high = count;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (offsets[middle] <= value ? low : high) = middle;
  }
  return low;
}

}  // namespace mangrove::detail
