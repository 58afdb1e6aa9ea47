#include <algorithm>

#include <cub/device/device_segmented_sort.cuh>

#include "mangrove/core/detail/cuda_check.hpp"
#include "mangrove/core/segmented_sort.hpp"

namespace mangrove {

namespace {

/// CUB's protocol: ask `call(nullptr, bytes)` how much scratch it wants, then run it.
template <class Call>
void with_scratch(const cuda_resources& res, const Call& call) {
  res.activate();
  std::size_t bytes = 0;
  detail::cuda_check(call(nullptr, bytes), "sort segments");
  buffer<cuda, std::byte> scratch(res, std::max<std::size_t>(bytes, 1));
  detail::cuda_check(call(scratch.data(), bytes), "sort segments");
}

/// Keeps the one of two buffers that CUB left the result in.
template <class T>
void keep_current(cub::DoubleBuffer<T>& both, buffer<cuda, T>& first, buffer<cuda, T>& second) {
  if (both.Current() == second.data()) first.swap(second);
}

template <class Value>
void sort_pairs_of(const cuda_resources& res, buffer<cuda, std::uint32_t>& keys, buffer<cuda, Value>& values,
                   const segments& within) {
  if (within.count == 0) return;
  buffer<cuda, std::uint32_t> other_keys(res, keys.size());
  buffer<cuda, Value> other_values(res, values.size());
  cub::DoubleBuffer<std::uint32_t> both_keys(keys.data(), other_keys.data());
  cub::DoubleBuffer<Value> both_values(values.data(), other_values.data());
  with_scratch(res, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortPairs(
        scratch, bytes, both_keys, both_values, static_cast<std::int64_t>(keys.size()),
        static_cast<std::int64_t>(within.count), within.begins, within.ends, res.stream());
  });
  keep_current(both_keys, keys, other_keys);
  keep_current(both_values, values, other_values);
}

}  // namespace

void sort_segments(const cuda_resources& res, buffer<cuda, std::uint32_t>& keys, const segments& within) {
  if (within.count == 0) return;
  buffer<cuda, std::uint32_t> other(res, keys.size());
  cub::DoubleBuffer<std::uint32_t> both(keys.data(), other.data());
  with_scratch(res, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, both, static_cast<std::int64_t>(keys.size()),
                                              static_cast<std::int64_t>(within.count), within.begins, within.ends,
                                              res.stream());
  });
  keep_current(both, keys, other);
}

void sort_segments(const cuda_resources& res, buffer<cuda, std::uint32_t>& keys, buffer<cuda, std::uint32_t>& values,
                   const segments& within) {
  sort_pairs_of(res, keys, values, within);
}

void sort_segments(const cuda_resources& res, buffer<cuda, std::uint32_t>& keys, buffer<cuda, std::uint64_t>& values,
                   const segments& within) {
  sort_pairs_of(res, keys, values, within);
}

}  // namespace mangrove
