#pragma once

#include <absl/container/btree_map.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mangrove/adjacency/bs_tree.hpp"
#include "mangrove/adjacency/cbs_tree.hpp"

/// @file
/// Ordered maps with 64-bit values behind one face. `range` copies keys and values, as whoever reads them would.

namespace mangrove::bench {

using value_list = std::vector<std::uint64_t>;

template <class Key>
std::uint64_t value_of(Key key) {
  return ~static_cast<std::uint64_t>(key);
}

template <class Key>
value_list values_of(std::span<const Key> keys) {
  value_list values;
  for (const Key key : keys) values.push_back(value_of(key));
  return values;
}

/// Room for one range's result.
template <class Key>
struct range_result {
  std::vector<Key> keys = std::vector<Key>(512);
  value_list values = value_list(512);
};

/// `std::map` and what looks like it.
template <class Map>
class standard_map {
 public:
  using key_type = typename Map::key_type;

  void load(const std::vector<key_type>& keys) {
    for (const key_type key : keys) map_.emplace_hint(map_.end(), key, value_of(key));
  }
  std::uint64_t find(key_type key) const {
    const auto at = map_.find(key);
    return at == map_.end() ? 0 : at->second;
  }
  bool insert(key_type key) { return map_.emplace(key, value_of(key)).second; }
  bool erase(key_type key) { return map_.erase(key) != 0; }
  std::size_t range(key_type low, key_type high, range_result<key_type>& to) const {
    std::size_t count = 0;
    for (auto at = map_.lower_bound(low); at != map_.end() && at->first <= high && count < to.keys.size(); ++at) {
      to.keys[count] = at->first;
      to.values[count++] = at->second;
    }
    return count;
  }

 private:
  Map map_;
};

/// Two sorted arrays. Only searched: one insert moves half of them.
template <class Key>
class sorted_vector {
 public:
  using key_type = Key;

  void load(const std::vector<Key>& keys) {
    keys_ = keys;
    values_ = values_of(std::span<const Key>(keys));
  }
  std::uint64_t find(Key key) const {
    const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
    return at == keys_.end() || *at != key ? 0 : values_[static_cast<std::size_t>(at - keys_.begin())];
  }
  bool insert(Key) { return false; }
  bool erase(Key) { return false; }
  std::size_t range(Key low, Key high, range_result<Key>& to) const {
    auto i = static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), low) - keys_.begin());
    std::size_t count = 0;
    for (; i < keys_.size() && keys_[i] <= high && count < to.keys.size(); ++i, ++count) {
      to.keys[count] = keys_[i];
      to.values[count] = values_[i];
    }
    return count;
  }

 private:
  std::vector<Key> keys_;
  value_list values_;
};

template <class Tree>
class mangrove_tree {
 public:
  using key_type = typename Tree::key_type;

  void load(const std::vector<key_type>& keys) { tree_.bulk_load(keys, values_of(std::span<const key_type>(keys))); }
  std::uint64_t find(key_type key) const { return tree_.find(key).value_or(0); }
  bool insert(key_type key) { return tree_.insert(key, value_of(key)); }
  bool erase(key_type key) { return tree_.erase(key); }
  std::size_t range(key_type low, key_type high, range_result<key_type>& to) const {
    return tree_.range(low, high, to.keys, to.values);
  }
  void find_all(std::span<const key_type> keys, std::span<std::uint64_t> values, std::span<std::uint8_t> found) {
    tree_.find(res_, keys, values, found);
  }
  std::size_t insert_all(std::span<const key_type> keys, std::span<const std::uint64_t> values) {
    return tree_.insert(res_, keys, values);
  }
  const Tree& tree() const { return tree_; }

 private:
  cpu_resources res_{1};
  Tree tree_{res_};
};

}  // namespace mangrove::bench
