#pragma once

#include <array>
#include <cstdint>

#include "mangrove/core/slab_size.hpp"

namespace mangrove::detail {

/// How many extents of each size class.
using class_counts = std::array<std::uint32_t, size_classes>;

/// The same of more than there can be at a time.
using wide_class_counts = std::array<std::uint64_t, size_classes>;

/// Granules in so many extents of each class.
[[nodiscard]] constexpr std::uint64_t granules_of(const class_counts& counts) noexcept {
  constexpr class_counts each = [] {  // computed ahead: this is between a small batch's end and the next one
    class_counts granules{};
    for (std::uint32_t c = 0; c < size_classes; ++c) granules[c] = size_class_granules(c);
    return granules;
  }();
  std::uint64_t granules = 0;
  for (std::uint32_t c = 0; c < size_classes; ++c) granules += std::uint64_t{counts[c]} * each[c];
  return granules;
}

}  // namespace mangrove::detail
