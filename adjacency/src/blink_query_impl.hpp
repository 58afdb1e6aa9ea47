#pragma once

#include "blink_query_bodies.hpp"
#include "blink_storage_impl.hpp"

namespace mangrove::detail {

/// Lanes that read one range, and a range of which few keys are wanted.
inline constexpr int range_lanes = 8;
inline constexpr int short_range_lanes = 4;
inline constexpr std::uint32_t longest_short_range = 8;

template <backend B, class Key>
void blink_storage<B, Key>::find(const resources<B>& res, const void* keys, std::size_t count, void* values,
                                 std::uint8_t* found) const {
  const find_key<Key> one{view(), keys, values, found};
  if constexpr (std::is_same_v<B, cpu>) {
    constexpr std::size_t group = find_key_group<Key>::group;
    for_each_tile<search_lanes>(res, (count + group - 1) / group, find_key_group<Key>{one, count});
  } else {
    for_each_tile<search_lanes>(res, count, one);
  }
  res.synchronize();
}

template <backend B, class Key>
void blink_storage<B, Key>::count(const resources<B>& res, const key_ranges& ranges, std::uint64_t* counts) const {
  for_each_tile<search_lanes>(res, ranges.count, count_range<Key>{{view(), ranges}, counts});
  res.synchronize();
}

template <backend B, class Key>
std::uint64_t blink_storage<B, Key>::range(const resources<B>& res, const key_ranges& ranges, std::uint64_t* offsets,
                                           void* keys, void* values, std::uint64_t capacity) const {
  buffer<B, std::uint64_t> counts(res, ranges.count);
  for_each_tile<search_lanes>(res, ranges.count, count_range<Key>{{view(), ranges}, counts.data()});
  exclusive_scan(res, counts.data(), offsets, ranges.count);
  for_each_tile<range_lanes>(res, ranges.count, write_range<Key>{{view(), ranges}, offsets, capacity, {keys, values}});
  return read_back(res, offsets + ranges.count);
}

template <backend B, class Key>
void blink_storage<B, Key>::range_up_to(const resources<B>& res, const key_ranges& ranges, std::uint32_t limit,
                                        std::uint32_t* counts, void* keys, void* values) const {
  const write_range_row<Key> body{{view(), ranges}, limit, counts, {keys, values}};
  if (limit <= longest_short_range) {
    for_each_tile<short_range_lanes>(res, ranges.count, body);
  } else {
    for_each_tile<range_lanes>(res, ranges.count, body);
  }
  res.synchronize();
}

template <backend B, class Key>
void blink_storage<B, Key>::neighbor(const resources<B>& res, const void* keys, std::size_t count, neighbor_side side,
                                     void* neighbors, void* values, std::uint8_t* found) const {
  for_each_tile<search_lanes>(res, count, find_neighbor<Key>{view(), keys, side, neighbors, values, found});
  res.synchronize();
}

template <backend B, class Key>
std::size_t blink_storage<B, Key>::retrieve_all(const resources<B>& res, void* keys, void* values) const {
  const view_type tree = view();
  buffer<B, std::uint64_t> counts(res, leaves_);
  buffer<B, std::uint64_t> offsets(res, leaves_ + std::size_t{1});
  for_each_tile<1>(res, leaves_, count_leaf<Key>{tree.nodes, tree.order, counts.data()});
  exclusive_scan(res, counts.data(), offsets.data(), leaves_);
  for_each_tile<leaf_lanes>(res, leaves_, retrieve_leaf<Key>{tree, offsets.data(), {keys, values}});
  res.synchronize();
  return size_;
}

}  // namespace mangrove::detail
