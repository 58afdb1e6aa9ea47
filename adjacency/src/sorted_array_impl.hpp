#pragma once

#include <algorithm>
#include <type_traits>

#include "mangrove/adjacency/detail/grow_generously.hpp"
#include "mangrove/adjacency/detail/sorted_array_storage.hpp"
#include "ordered_build_impl.hpp"
#include "sorted_array_bodies.hpp"

/// @file
/// Memory and building of a sorted array. The definitions are for the libraries' sources, which include
/// `core/for_each.hpp` or `core/for_each.cuh` as well.

namespace mangrove::detail {

/// Lanes that write neighbouring places, and how many places they write one after the other: on a GPU enough to make up
/// for finding where to begin, on a CPU work for a task.
inline constexpr int array_lanes = 32;
template <backend B>
inline constexpr std::uint32_t array_chunk = std::is_same_v<B, cpu> ? 8192 : 512;

template <backend B>
constexpr std::size_t array_chunks(std::uint64_t places) {
  return (places + array_chunk<B> - 1) / array_chunk<B>;
}

template <backend B, class Key>
sorted_array_storage<B, Key>::sorted_array_storage(const resources<B>& res, key_order order, std::uint32_t value_bytes)
    : codec_{order},
      value_bytes_(value_bytes),
      entries_{entries(res, value_bytes), entries(res, value_bytes)},
      separators_(res, array_levels<Key>::above(most_keys).blocks() * view_type::slots),
      tally_(res) {
  secure(entries_[front_], 0);
  clear(res);
}

template <backend B, class Key>
auto sorted_array_storage<B, Key>::view() const -> view_type {
  const entries& front = entries_[front_];
  return {front.keys.data(),
          front.values.data(),
          separators_.data(),
          size_,
          value_bytes_,
          codec_,
          array_levels<Key>::above(size_)};
}

template <backend B, class Key>
std::size_t sorted_array_storage<B, Key>::bytes() const noexcept {
  std::size_t all = separators_.bytes();
  for (const entries& some : entries_) all += some.keys.bytes() + some.values.bytes();
  return all;
}

/// Makes sure that there is memory for `keys` keys. @throws memory_error with nothing changed
template <backend B, class Key>
void sorted_array_storage<B, Key>::secure(entries& in, std::size_t keys) {
  const std::size_t some = std::max<std::size_t>(keys, 1);
  grow_generously(in.keys, some);
  grow_generously(in.values, some * value_bytes_);
  grow_generously(separators_, array_levels<Key>::above(some).blocks() * view_type::slots);
}

/// Has the first `size` keys in front be all keys.
template <backend B, class Key>
void sorted_array_storage<B, Key>::become(const resources<B>& res, std::size_t size) {
  size_ = size;
  const auto levels = array_levels<Key>::above(size);
  const write_separator<Key> body{levels, size, entries_[front_].keys.data(), separators_.data()};
  for_each_tile<1>(res, (levels.blocks() + 1) * view_type::slots, body);
}

template <backend B, class Key>
void sorted_array_storage<B, Key>::clear(const resources<B>& res) {
  become(res, 0);
  res.synchronize();
}

template <backend B, class Key>
void sorted_array_storage<B, Key>::reserve(const resources<B>&, std::size_t keys) {
  secure(entries_[front_], keys);
  secure(back(), keys);
}

template <backend B, class Key>
void sorted_array_storage<B, Key>::bulk_build(const resources<B>& res, const void* keys, const void* values,
                                              std::size_t count, key_sequence sequence) {
  check_batch_size(count);
  if (count == 0) return clear(res);
  const auto build = [this, &res](const auto& source, std::size_t distinct) { build_from(res, source, distinct); };
  build_distinct(res, keys, values, count, codec_, sequence, tally_, build);
}

/// Replaces everything by `count` distinct ascending keys.
template <backend B, class Key>
template <class Source>
void sorted_array_storage<B, Key>::build_from(const resources<B>& res, const Source& source, std::size_t count) {
  entries& front = entries_[front_];
  secure(front, count);
  for_each_tile<1>(res, count, place_given<Key, Source>{source, front.keys.data(), front.values.data(), value_bytes_});
  become(res, count);
  res.synchronize();
}

}  // namespace mangrove::detail
