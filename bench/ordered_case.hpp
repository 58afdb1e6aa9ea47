#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/io/counter_random.hpp"

/// @file
/// What benchmarks of ordered containers work on.

namespace mangrove::bench {

/// The i-th of keys that are all different and in no order.
template <class Key>
Key random_key(std::uint64_t i) {
  if constexpr (sizeof(Key) == 8) {
    return static_cast<Key>(mix(i + 1));
  } else {
    static const io::random_permutation key(3, 0, std::uint64_t{1} << 32);
    return static_cast<Key>(key(i));
  }
}

/// Keys `first` to `first + count` of `random_key`.
template <class Key>
std::vector<Key> random_keys(std::uint64_t first, std::size_t count) {
  std::vector<Key> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = random_key<Key>(first + i);
  return keys;
}

/// A container, the keys that it holds, keys that it does not hold, and room for answers.
/// @tparam Container made from resources, an `ordered_container` of backend B
template <backend B, class Container>
struct ordered_case {
  using Key = typename Container::key_type;
  using Value = typename Container::mapped_type;
  static constexpr std::uint32_t longest_range = 32;

  resources<B> res;
  std::size_t count;
  buffer<B, Key> present, sorted, absent, tops;  ///< `tops` is the greatest key, again and again
  buffer<B, Value> values;
  buffer<B, std::uint8_t> outcomes;
  buffer<B, Key> found_keys;
  buffer<B, Value> found_values;
  buffer<B, std::uint32_t> counts;
  Container tree;

  ordered_case(const resources<B>& resource, std::size_t size) : res(resource), count(size), tree(res) {
    auto keys = random_keys<Key>(0, count);
    present = place(keys);
    std::sort(keys.begin(), keys.end());
    sorted = place(keys);
    absent = place(random_keys<Key>(count, count));
    std::fill(keys.begin(), keys.end(), std::numeric_limits<Key>::max());
    tops = place(keys);
    values = buffer<B, Value>(res, count);
    fill_bytes(res, values.data(), 1, count);
    outcomes = buffer<B, std::uint8_t>(res, count);
    counts = buffer<B, std::uint32_t>(res, count);
    found_keys = buffer<B, Key>(res, longest_range * count / 4);
    found_values = buffer<B, Value>(res, longest_range * count / 4);
    fill();
  }

  /// Makes the container hold `present`, as a bulk build does.
  void fill() { tree.bulk_build(res, sorted.data(), values.data(), count, key_sequence::sorted); }

  [[nodiscard]] buffer<B, Key> place(const std::vector<Key>& keys) const {
    auto placed = make_buffer<B>(res, keys.data(), keys.size());
    res.synchronize();
    return placed;
  }
};

}  // namespace mangrove::bench
