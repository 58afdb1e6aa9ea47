#pragma once

#include <type_traits>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"
#include "ordered_range_bodies.hpp"

/// @file
/// Batches of queries to any view that `ordered_query_bodies.hpp` describes. Sources include `core/for_each.hpp` or
/// `core/for_each.cuh` as well. All but `search_each` wait for the answers.

namespace mangrove::detail {

/// Lanes that search for one key; that read one range; that read a range of which few keys are wanted.
inline constexpr int search_lanes = 1;
inline constexpr int range_lanes = 8;
inline constexpr int short_range_lanes = 4;
inline constexpr std::uint32_t longest_short_range = 8;

/// Runs queries: on CUDA one a tile, on the CPU in groups. Does not wait.
template <int Width, class Resources, class Query>
void search_each(const Resources& res, std::size_t count, const Query& query) {
  if constexpr (std::is_same_v<Resources, cpu_resources>) {
    constexpr std::size_t group = search_group<Query>::group;
    for_each_tile<Width>(res, (count + group - 1) / group, search_group<Query>{query, count});
  } else {
    for_each_tile<Width>(res, count, search_one<Query>{query});
  }
}

/// The same by few lanes each. A view may bring a way of its own, as an overload for its queries.
template <class Resources, class Query>
void search_for(const Resources& res, std::size_t count, const Query& query) {
  search_each<search_lanes>(res, count, query);
}

template <class View, class Resources>
void find_keys(const Resources& res, const View& view, const void* keys, std::size_t count, void* values,
               std::uint8_t* found) {
  search_for(res, count, find_ordered_key<View>{view, keys, values, found});
  res.synchronize();
}

template <class View, class Resources>
void count_ranges(const Resources& res, const View& view, const key_ranges& ranges, std::uint64_t* counts) {
  search_for(res, ranges.count, count_range<View>{{view, ranges}, counts});
  res.synchronize();
}

/// Copies ranges, each by a tile. A view may bring a way of its own, too.
template <class Resources, class Query>
void copy_ranges(const Resources& res, const Query& query) {
  if (query.rooms.largest() <= longest_short_range) {
    search_each<short_range_lanes>(res, query.ranges.count, query);
  } else {
    search_each<range_lanes>(res, query.ranges.count, query);
  }
}

/// @return the total
template <backend B, class View>
std::uint64_t write_ranges(const resources<B>& res, const View& view, const key_ranges& ranges, std::uint64_t* offsets,
                           void* keys, void* values, std::uint64_t capacity) {
  buffer<B, std::uint64_t> counts(res, ranges.count);
  search_for(res, ranges.count, count_range<View>{{view, ranges}, counts.data()});
  exclusive_scan(res, counts.data(), offsets, ranges.count);
  copy_ranges(res, copy_range<View, rooms_by_offset>{{view, ranges}, {offsets, capacity}, {keys, values}});
  return read_back(res, offsets + ranges.count);
}

template <class View, class Resources>
void write_range_rows(const Resources& res, const View& view, const key_ranges& ranges, std::uint32_t limit,
                      std::uint32_t* counts, void* keys, void* values) {
  copy_ranges(res, copy_range<View, equal_rooms>{{view, ranges}, {limit, counts}, {keys, values}});
  res.synchronize();
}

template <class View, class Resources>
void find_neighbors(const Resources& res, const View& view, const void* keys, std::size_t count, neighbor_side side,
                    void* neighbors, void* values, std::uint8_t* found) {
  search_for(res, count, find_neighbor<View>{view, keys, side, neighbors, values, found});
  res.synchronize();
}

}  // namespace mangrove::detail
