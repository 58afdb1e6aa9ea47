#pragma once

#include <cstdint>

#include "mangrove/graph/detail/vertex_entry.hpp"

/// @file
/// Reading the neighbours in an entry by a thread of the CPU.

namespace mangrove::detail {

/// Calls `f(v, weight)` for the neighbours in an entry. Not in a loop, for when it ends would be predicted wrong time
/// and again: all words are read first, so that of each condition is left what `f` does, which compilers can mostly do
/// without a branch.
/// @pre entry.degree is at most the inline capacity
template <class Weight, class F>
MANGROVE_HOST_DEVICE void walk_inlined(const vertex_entry& entry, F& f) {
  constexpr std::uint32_t capacity = entry_layout<Weight>::inline_capacity;
  const vertex_entry read = entry;
  const auto* const weights = reinterpret_cast<const Weight*>(entry.words + 1);
  const std::uint32_t present = (std::uint32_t{1} << read.degree) - 1;
  for (std::uint32_t i = 0; i < capacity; ++i) {
    if ((present >> i & 1) != 0) f(read.words[i], weights + i);
  }
}

}  // namespace mangrove::detail
