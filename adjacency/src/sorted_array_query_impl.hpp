#pragma once

#include "ordered_query_impl.hpp"
#include "sorted_array_impl.hpp"

namespace mangrove::detail {

/// Body, once per chunk: copies all keys to where they are asked for.
template <class Key>
struct retrieve_chunk {
  sorted_array_view<Key> view;
  range_output<sorted_array_view<Key>> output;
  std::uint32_t chunk;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t first = i * chunk;
    output.write(tile, view, first, first, view.size - first < chunk ? view.size - first : chunk);
  }
};

template <backend B, class Key>
void sorted_array_storage<B, Key>::find(const resources<B>& res, const void* keys, std::size_t count, void* values,
                                        std::uint8_t* found) const {
  find_keys(res, view(), keys, count, values, found);
}

template <backend B, class Key>
void sorted_array_storage<B, Key>::count(const resources<B>& res, const key_ranges& ranges,
                                         std::uint64_t* counts) const {
  count_ranges(res, view(), ranges, counts);
}

template <backend B, class Key>
std::uint64_t sorted_array_storage<B, Key>::range(const resources<B>& res, const key_ranges& ranges,
                                                  std::uint64_t* offsets, void* keys, void* values,
                                                  std::uint64_t capacity) const {
  return write_ranges<B>(res, view(), ranges, offsets, keys, values, capacity);
}

template <backend B, class Key>
void sorted_array_storage<B, Key>::range_up_to(const resources<B>& res, const key_ranges& ranges, std::uint32_t limit,
                                               std::uint32_t* counts, void* keys, void* values) const {
  write_range_rows(res, view(), ranges, limit, counts, keys, values);
}

template <backend B, class Key>
void sorted_array_storage<B, Key>::neighbor(const resources<B>& res, const void* keys, std::size_t count,
                                            neighbor_side side, void* neighbors, void* values,
                                            std::uint8_t* found) const {
  find_neighbors(res, view(), keys, count, side, neighbors, values, found);
}

template <backend B, class Key>
std::size_t sorted_array_storage<B, Key>::retrieve_all(const resources<B>& res, void* keys, void* values) const {
  for_each_task<array_lanes>(res, array_chunks<B>(size_), retrieve_chunk<Key>{view(), {keys, values}, array_chunk<B>});
  res.synchronize();
  return size_;
}

}  // namespace mangrove::detail
