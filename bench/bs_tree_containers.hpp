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
/// Ordered maps of 64-bit keys and values behind one face. `range` copies keys and values, as whoever reads them would.

namespace mangrove::bench {

using key_list = std::vector<std::uint64_t>;

/// Room for one range's result.
struct range_result {
  std::vector<std::uint64_t> keys = std::vector<std::uint64_t>(512);
  std::vector<std::uint64_t> values = std::vector<std::uint64_t>(512);
};

/// `std::map` and what looks like it.
template <class Map>
class standard_map {
 public:
  void load(const key_list& keys) {
    for (const std::uint64_t key : keys) map_.emplace_hint(map_.end(), key, ~key);
  }
  std::uint64_t find(std::uint64_t key) const {
    const auto at = map_.find(key);
    return at == map_.end() ? 0 : at->second;
  }
  bool insert(std::uint64_t key) { return map_.emplace(key, ~key).second; }
  bool erase(std::uint64_t key) { return map_.erase(key) != 0; }
  std::size_t range(std::uint64_t low, std::uint64_t high, range_result& to) const {
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
class sorted_vector {
 public:
  static constexpr bool read_only = true;

  void load(const key_list& keys) {
    keys_ = keys;
    values_.clear();
    for (const std::uint64_t key : keys) values_.push_back(~key);
  }
  std::uint64_t find(std::uint64_t key) const {
    const auto at = std::lower_bound(keys_.begin(), keys_.end(), key);
    return at == keys_.end() || *at != key ? 0 : values_[static_cast<std::size_t>(at - keys_.begin())];
  }
  bool insert(std::uint64_t) { return false; }
  bool erase(std::uint64_t) { return false; }
  std::size_t range(std::uint64_t low, std::uint64_t high, range_result& to) const {
    auto i = static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), low) - keys_.begin());
    std::size_t count = 0;
    for (; i < keys_.size() && keys_[i] <= high && count < to.keys.size(); ++i, ++count) {
      to.keys[count] = keys_[i];
      to.values[count] = values_[i];
    }
    return count;
  }

 private:
  key_list keys_;
  key_list values_;
};

template <class Tree>
class mangrove_tree {
 public:
  static constexpr bool has_batches = true;

  void load(const key_list& keys) {
    key_list values;
    for (const std::uint64_t key : keys) values.push_back(~key);
    tree_.bulk_load(keys, values);
  }
  std::uint64_t find(std::uint64_t key) const { return tree_.find(key).value_or(0); }
  bool insert(std::uint64_t key) { return tree_.insert(key, ~key); }
  bool erase(std::uint64_t key) { return tree_.erase(key); }
  std::size_t range(std::uint64_t low, std::uint64_t high, range_result& to) const {
    return tree_.range(low, high, to.keys, to.values);
  }
  void find_all(std::span<const std::uint64_t> keys, std::span<std::uint64_t> values, std::span<std::uint8_t> found) {
    tree_.find(res_, keys, values, found);
  }
  std::size_t insert_all(std::span<const std::uint64_t> keys) { return tree_.insert(res_, keys, keys); }
  const Tree& tree() const { return tree_; }

 private:
  cpu_resources res_{1};
  Tree tree_{res_};
};

}  // namespace mangrove::bench
