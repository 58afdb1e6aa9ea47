#pragma once

#include "blink_query_bodies.hpp"
#include "blink_range_bodies.hpp"
#include "blink_storage_impl.hpp"
#include "ordered_query_impl.hpp"

namespace mangrove::detail {

/// On a GPU parts of warps search together.
template <class Query>
requires std::is_same_v<decltype(Query::view), blink_view<typename Query::key_type>>
void search_for(const cuda_resources& res, std::size_t count, const Query& query) {
  for_each_tile<32>(res, (count + 31) / 32, search_by_warp<Query>{query, count});
}

/// Copies ranges of a tree on a GPU, each by `Lanes` lanes of a warp.
template <int Lanes, int Rows, class Query>
void copy_by_warps(const cuda_resources& res, const Query& query) {
  constexpr std::size_t together = 32 / Lanes;
  for_each_tile<32>(res, (query.ranges.count + together - 1) / together, copy_from_leaves<Lanes, Rows, Query>{query});
}

template <class Key, class Rooms>
void copy_ranges(const cuda_resources& res, const copy_range<blink_view<Key>, Rooms>& query) {
  if (query.rooms.largest() <= longest_short_range) {
    copy_by_warps<short_range_lanes, longest_short_range / short_range_lanes>(res, query);
  } else {
    constexpr int rows = 4;  // 32 keys at once
    copy_by_warps<range_lanes, rows>(res, query);
  }
}

template <backend B, class Key>
void blink_storage<B, Key>::find(const resources<B>& res, const void* keys, std::size_t count, void* values,
                                 std::uint8_t* found) const {
  find_keys(res, view(), keys, count, values, found);
}

template <backend B, class Key>
void blink_storage<B, Key>::count(const resources<B>& res, const key_ranges& ranges, std::uint64_t* counts) const {
  count_ranges(res, view(), ranges, counts);
}

template <backend B, class Key>
std::uint64_t blink_storage<B, Key>::range(const resources<B>& res, const key_ranges& ranges, std::uint64_t* offsets,
                                           void* keys, void* values, std::uint64_t capacity) const {
  return write_ranges<B>(res, view(), ranges, offsets, keys, values, capacity);
}

template <backend B, class Key>
void blink_storage<B, Key>::range_up_to(const resources<B>& res, const key_ranges& ranges, std::uint32_t limit,
                                        std::uint32_t* counts, void* keys, void* values) const {
  write_range_rows(res, view(), ranges, limit, counts, keys, values);
}

template <backend B, class Key>
void blink_storage<B, Key>::neighbor(const resources<B>& res, const void* keys, std::size_t count, neighbor_side side,
                                     void* neighbors, void* values, std::uint8_t* found) const {
  find_neighbors(res, view(), keys, count, side, neighbors, values, found);
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
