#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>

#include "mangrove/core/run_in_parts.hpp"
#include "mangrove/core/segmented_sort.hpp"

namespace mangrove {

namespace {

/// Calls `f(first, last)` for every segment.
template <class F>
void each_segment(const cpu_resources& res, const segments& within, const F& f) {
  const auto run = [&](std::size_t i) { f(within.begins[i], within.ends[i]); };
  if (res.threads() == 1 || within.count <= 1) {
    for (std::size_t i = 0; i < within.count; ++i) run(i);
  } else {
    detail::run_each(res, within.count, run);
  }
}

/// Keys go into the upper halves of 64-bit numbers that hold their places in the segment, then both follow those.
template <class Value>
void sort_pairs_of(const cpu_resources& res, buffer<cpu, std::uint32_t>& keys, buffer<cpu, Value>& values,
                   const segments& within) {
  buffer<cpu, std::uint64_t> placed(res, keys.size());
  buffer<cpu, Value> sorted(res, values.size());
  each_segment(res, within, [&](std::uint64_t first, std::uint64_t last) {
    std::uint64_t* const own = placed.data() + first;
    const std::uint64_t size = last - first;
    for (std::uint64_t i = 0; i < size; ++i) own[i] = std::uint64_t{keys.data()[first + i]} << 32 | i;
    hwy::Sorter()(own, size, hwy::SortAscending());
    for (std::uint64_t i = 0; i < size; ++i) {
      keys.data()[first + i] = static_cast<std::uint32_t>(own[i] >> 32);
      sorted.data()[first + i] = values.data()[first + (own[i] & 0xffffffff)];
    }
  });
  values = std::move(sorted);
}

}  // namespace

void sort_segments(const cpu_resources& res, buffer<cpu, std::uint32_t>& keys, const segments& within) {
  each_segment(res, within, [&](std::uint64_t first, std::uint64_t last) {
    hwy::Sorter()(keys.data() + first, last - first, hwy::SortAscending());
  });
}

void sort_segments(const cpu_resources& res, buffer<cpu, std::uint32_t>& keys, buffer<cpu, std::uint32_t>& values,
                   const segments& within) {
  sort_pairs_of(res, keys, values, within);
}

void sort_segments(const cpu_resources& res, buffer<cpu, std::uint32_t>& keys, buffer<cpu, std::uint64_t>& values,
                   const segments& within) {
  sort_pairs_of(res, keys, values, within);
}

}  // namespace mangrove
