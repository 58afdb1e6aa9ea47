#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/buffer.hpp"

/// @file
/// Sorting stretches of an array, each for itself: on CUDA by CUB's segmented sort, on the CPU by Highway's VQSort, the
/// threads sharing the segments.

namespace mangrove {

/// Disjoint stretches [begins[i], ends[i]) of an array, in the backend's memory.
struct segments {
  const std::uint64_t* begins;
  const std::uint64_t* ends;
  std::size_t count;
};

/// Sorts the keys of each segment ascending. What lies outside of the segments may be lost, and the buffer may
/// be another one afterwards. @throws memory_error, with the keys as they were or partly permuted
void sort_segments(const cpu_resources& res, buffer<cpu, std::uint32_t>& keys, const segments& within);
void sort_segments(const cuda_resources& res, buffer<cuda, std::uint32_t>& keys, const segments& within);

/// The same for pairs of a key and a value; the buffers are of the same size. Pairs with equal keys are left in any
/// order.
void sort_segments(const cpu_resources& res, buffer<cpu, std::uint32_t>& keys, buffer<cpu, std::uint32_t>& values,
                   const segments& within);
void sort_segments(const cpu_resources& res, buffer<cpu, std::uint32_t>& keys, buffer<cpu, std::uint64_t>& values,
                   const segments& within);
void sort_segments(const cuda_resources& res, buffer<cuda, std::uint32_t>& keys, buffer<cuda, std::uint32_t>& values,
                   const segments& within);
void sort_segments(const cuda_resources& res, buffer<cuda, std::uint32_t>& keys, buffer<cuda, std::uint64_t>& values,
                   const segments& within);

}  // namespace mangrove
