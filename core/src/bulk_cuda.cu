#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/detail/cuda_check.hpp"

namespace mangrove {

namespace {

/// CUB's protocol: ask `call(nullptr, bytes)` how much scratch it wants, then run it.
template <class Call>
void with_scratch(const cuda_resources& res, const char* doing, const Call& call) {
  res.activate();
  std::size_t bytes = 0;
  detail::cuda_check(call(nullptr, bytes), doing);
  buffer<cuda, std::byte> scratch(res, std::max<std::size_t>(bytes, 1));
  detail::cuda_check(call(scratch.data(), bytes), doing);
}

template <class T>
void scan(const cuda_resources& res, const T* from, T* to, std::size_t count) {
  fill_bytes(res, to, 0, 1);
  if (count == 0) return;
  with_scratch(res, "scan", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, from, to + 1, count, res.stream());
  });
}

/// Runs a reduction that writes one value, and reads it back.
template <class T, class Call>
T reduced(const cuda_resources& res, const Call& call) {
  buffer<cuda, T> result(res, 1);
  with_scratch(res, "reduce", [&](void* scratch, std::size_t& bytes) { return call(scratch, bytes, result.data()); });
  return read_back(res, result.data());
}

template <class T>
T largest(const cuda_resources& res, const T* values, std::size_t count) {
  if (count == 0) return 0;
  return reduced<T>(res, [&](void* scratch, std::size_t& bytes, T* to) {
    return cub::DeviceReduce::Max(scratch, bytes, values, to, count, res.stream());
  });
}

}  // namespace

void sort(const cuda_resources& res, std::uint64_t* keys, std::size_t count, int first_bit, int last_bit) {
  if (count == 0) return;
  buffer<cuda, std::uint64_t> other(res, count);
  cub::DoubleBuffer<std::uint64_t> both(keys, other.data());
  with_scratch(res, "sort", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, both, count, first_bit, last_bit, res.stream());
  });
  if (both.Current() != keys) copy(res, keys, both.Current(), count);
}

void sort_pairs(const cuda_resources& res, std::uint64_t* keys, std::uint32_t* values, std::size_t count,
                int last_bit) {
  if (count == 0) return;
  buffer<cuda, std::uint64_t> other_keys(res, count);
  buffer<cuda, std::uint32_t> other_values(res, count);
  cub::DoubleBuffer<std::uint64_t> both_keys(keys, other_keys.data());
  cub::DoubleBuffer<std::uint32_t> both_values(values, other_values.data());
  with_scratch(res, "sort pairs", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, both_keys, both_values, count, 0, last_bit, res.stream());
  });
  if (both_keys.Current() != keys) copy(res, keys, both_keys.Current(), count);
  if (both_values.Current() != values) copy(res, values, both_values.Current(), count);
}

template <class Value>
void sort_pairs(const cuda_resources& res, const std::uint32_t* keys, const Value* values, std::uint32_t* keys_to,
                Value* values_to, std::size_t count, int last_bit) {
  if (count == 0) return;
  with_scratch(res, "sort pairs", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, keys_to, values, values_to, count, 0, last_bit,
                                           res.stream());
  });
}

template void sort_pairs(const cuda_resources&, const std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                         std::uint32_t*, std::size_t, int);
template void sort_pairs(const cuda_resources&, const std::uint32_t*, const word_group<2>*, std::uint32_t*,
                         word_group<2>*, std::size_t, int);
template void sort_pairs(const cuda_resources&, const std::uint32_t*, const word_group<3>*, std::uint32_t*,
                         word_group<3>*, std::size_t, int);

void exclusive_scan(const cuda_resources& res, const std::uint32_t* from, std::uint32_t* to, std::size_t count) {
  scan(res, from, to, count);
}

void exclusive_scan(const cuda_resources& res, const std::uint64_t* from, std::uint64_t* to, std::size_t count) {
  scan(res, from, to, count);
}

std::size_t select(const cuda_resources& res, const std::uint8_t* flags, std::uint32_t* to, std::size_t count) {
  if (count == 0) return 0;
  buffer<cuda, std::uint64_t> selected(res, 1);
  select(res, flags, to, count, selected.data());
  return read_back(res, selected.data());
}

void select(const cuda_resources& res, const std::uint8_t* flags, std::uint32_t* to, std::size_t count,
            std::uint64_t* selected) {
  if (count == 0) return fill_bytes(res, selected, 0, 1);
  const thrust::counting_iterator<std::uint32_t> indices(0);
  with_scratch(res, "select", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(scratch, bytes, indices, flags, to, selected, count, res.stream());
  });
}

std::uint64_t max_value(const cuda_resources& res, const std::uint64_t* values, std::size_t count) {
  return largest(res, values, count);
}

std::uint32_t max_value(const cuda_resources& res, const std::uint32_t* values, std::size_t count) {
  return largest(res, values, count);
}

std::uint64_t sum(const cuda_resources& res, const std::uint64_t* values, std::size_t count) {
  if (count == 0) return 0;
  return reduced<std::uint64_t>(res, [&](void* scratch, std::size_t& bytes, std::uint64_t* to) {
    return cub::DeviceReduce::Sum(scratch, bytes, values, to, count, res.stream());
  });
}

}  // namespace mangrove
