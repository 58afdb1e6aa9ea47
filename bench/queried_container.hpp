#pragma once

#include "ordered_case.hpp"

namespace mangrove::bench {

/// A container of any size, and a number of queries that does not follow from it.
/// @tparam Container made from resources, an `ordered_container` of backend B
template <backend B, class Container>
struct queried_container {
  using Key = typename Container::key_type;
  using Value = typename Container::mapped_type;
  static constexpr std::uint32_t range_length = 8;

  resources<B> res;
  std::size_t count;
  std::size_t queries;
  buffer<B, Key> wanted, sorted, tops;  ///< keys that are there, in no order and in order; the greatest key
  buffer<B, Key> found_keys;
  buffer<B, Value> found_values;
  buffer<B, std::uint8_t> outcomes;
  buffer<B, std::uint32_t> counts;
  Container tree;

  queried_container(const resources<B>& resource, std::size_t size, std::size_t query_count)
      : res(resource), count(size), queries(query_count), tree(res) {
    build();
    std::vector<Key> keys(queries);
    for (std::size_t i = 0; i < queries; ++i) keys[i] = random_key<Key>(mix(i + 1) % count);
    wanted = make_buffer<B>(res, keys.data(), queries);
    res.synchronize();
    std::sort(keys.begin(), keys.end());
    sorted = make_buffer<B>(res, keys.data(), queries);
    res.synchronize();
    std::fill(keys.begin(), keys.end(), std::numeric_limits<Key>::max());
    tops = make_buffer<B>(res, keys.data(), queries);
    res.synchronize();
    found_keys = buffer<B, Key>(res, range_length * queries);
    found_values = buffer<B, Value>(res, range_length * queries);
    outcomes = buffer<B, std::uint8_t>(res, queries);
    counts = buffer<B, std::uint32_t>(res, queries);
  }

  void find(const buffer<B, Key>& keys) { tree.find(res, keys.data(), queries, found_values.data(), outcomes.data()); }

  void find_successors() {
    tree.successor(res, wanted.data(), queries, found_keys.data(), found_values.data(), outcomes.data());
  }

  void find_ranges() {
    tree.range_up_to(res, wanted.data(), tops.data(), queries, range_length, counts.data(), found_keys.data(),
                     found_values.data());
  }

 private:
  void build() {
    const std::vector<Key> keys = random_keys<Key>(0, count);
    const auto placed = make_buffer<B>(res, keys.data(), count);
    buffer<B, Value> values(res, count);
    fill_bytes(res, values.data(), 1, count);
    tree.bulk_build(res, placed.data(), values.data(), count);
  }
};

}  // namespace mangrove::bench
