#pragma once

#include <algorithm>
#include <cstddef>

#include "mangrove/core/growable_array.hpp"

namespace mangrove::detail {

/// Grows by an eighth at least, so that many small batches map memory seldom; by less where that is refused.
/// @throws memory_error with the array as it was
template <backend B, class T>
void grow_generously(growable_array<B, T>& array, std::size_t size) {
  if (size <= array.size()) return;
  const std::size_t generous = std::max(size, std::min(array.capacity(), array.size() + array.size() / 8));
  try {
    array.grow(generous);
  } catch (const memory_error&) {
    array.grow(size);
  }
}

}  // namespace mangrove::detail
