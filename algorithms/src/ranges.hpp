#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"

/// @file
/// Searches in sorted arrays, for bodies on both backends.

namespace mangrove::detail::triangles {

/// Position of the first element of the ascending `values[first .. last)` that is not less than `value`.
template <class T>
MANGROVE_HOST_DEVICE std::size_t lower_bound(const T* values, std::size_t first, std::size_t last, T value) {
  if (first >= last) return first;
  std::size_t count = last - first;
  for (; count > 1; count -= count / 2) {  // no branch to mispredict: the outcome only moves `first`
    first += values[first + count / 2 - 1] < value ? count / 2 : 0;
  }
  return first + (values[first] < value ? 1 : 0);
}

template <class T>
MANGROVE_HOST_DEVICE bool holds(const T* values, std::size_t first, std::size_t last, T value) {
  const std::size_t at = lower_bound(values, first, last, value);
  return at < last && values[at] == value;
}

/// The row that item `item` is in, when row r holds the items `offsets[r] .. offsets[r + 1])`. @pre there is one
MANGROVE_HOST_DEVICE inline std::size_t row_of(const std::uint64_t* offsets, std::size_t rows, std::uint64_t item) {
  return lower_bound(offsets, 0, rows + 1, item + 1) - 1;
}

/// Calls `f(row, first, last)` for each stretch of the items [first, last) that lies in one row, in order. Empty rows
/// cost nothing, so equal shares of the items are equal work, whatever the rows look like.
template <class F>
MANGROVE_HOST_DEVICE void for_each_row_part(const std::uint64_t* offsets, std::size_t rows, std::uint64_t first,
                                            std::uint64_t last, F f) {
  if (first >= last) return;
  std::size_t row = row_of(offsets, rows, first);
  while (true) {
    const std::uint64_t end = offsets[row + 1];
    const std::uint64_t stop = end < last ? end : last;
    f(row, first, stop);
    if (stop == last) return;
    first = stop;
    ++row;
    if (offsets[row + 1] == first) row = row_of(offsets, rows, first);
  }
}

/// An undirected edge as one number, the same from both ends.
MANGROVE_HOST_DEVICE constexpr std::uint64_t edge_key(std::uint32_t u, std::uint32_t v) {
  return u < v ? static_cast<std::uint64_t>(u) << 32 | v : static_cast<std::uint64_t>(v) << 32 | u;
}

MANGROVE_HOST_DEVICE constexpr std::uint32_t source_of(std::uint64_t edge) {
  return static_cast<std::uint32_t>(edge >> 32);
}

MANGROVE_HOST_DEVICE constexpr std::uint32_t target_of(std::uint64_t edge) {
  return static_cast<std::uint32_t>(edge);
}

}  // namespace mangrove::detail::triangles
