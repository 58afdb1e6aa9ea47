#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "mangrove/adjacency/slab_hash_map.hpp"
#include "mangrove/adjacency/slab_hash_set.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// A combination of types to test with; the container is a set when `Value` is none.
template <backend B, class Key, class Value>
struct hash_types {
  using backend_type = B;
  using key = Key;
  using value = Value;
  using container = std::conditional_t<is_none<Value>, slab_hash_set<B, Key>, slab_hash_map<B, Key, Value>>;
  using ref = slab_hash_ref<Key, Value>;
};

template <backend B>
using hash_type_list = types_to_test<3, hash_types<B, std::uint32_t, none>, hash_types<B, std::uint32_t, std::uint32_t>,
                                     hash_types<B, std::uint64_t, std::uint64_t>, hash_types<B, std::uint64_t, none>,
                                     hash_types<B, std::uint32_t, double>, hash_types<B, std::uint64_t, float>>;

/// A value that only fits `key`, so that a value read with the wrong key is noticed. `salt` is below 256.
template <class Value, class Key>
MANGROVE_HOST_DEVICE Value value_for(Key key, std::uint32_t salt) {
  using bits = detail::value_bits<Value>;
  if constexpr (is_none<Value>) {
    return {};
  } else {
    return detail::from_bits<Value>((static_cast<bits>(mix(std::uint64_t{key})) & ~bits{0xff}) | (salt & 0xff));
  }
}

template <class Key, class Value>
MANGROVE_HOST_DEVICE bool fits_key(Key key, Value value) {
  if constexpr (is_none<Value>) {
    return true;
  } else {
    const auto bits = detail::to_bits(value);
    return bits == detail::to_bits(value_for<Value>(key, static_cast<std::uint32_t>(bits & 0xff)));
  }
}

/// Distinct keys, among them the least and the greatest ones.
template <class Key>
std::vector<Key> key_pool(seeded_random& random, std::size_t count) {
  constexpr Key greatest = std::numeric_limits<Key>::max();
  std::vector<Key> keys{0, 1, greatest, greatest - 1, greatest - 2, greatest - 3};
  for (Key dense = 2; keys.size() < count / 2; ++dense) keys.push_back(dense);
  while (keys.size() < 2 * count) keys.push_back(static_cast<Key>(random()));
  std::sort(keys.begin() + 6, keys.end());
  keys.erase(std::unique(keys.begin() + 6, keys.end()), keys.end());
  std::sort(keys.begin(), keys.begin() + 6);
  keys.erase(std::remove_if(keys.begin() + 6, keys.end(),
                            [&](Key key) { return std::binary_search(keys.begin(), keys.begin() + 6, key); }),
             keys.end());
  std::shuffle(keys.begin() + 6, keys.end(), random);
  keys.resize(std::max<std::size_t>(count, 6));
  return keys;
}

/// A container with its oracle. Batches go in by host vectors.
template <class Types>
class checked_hash {
 public:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using value = typename Types::value;
  using container = typename Types::container;
  using contents = std::map<key, value>;

  checked_hash(const resources<B>& res, std::size_t expected, const slab_hash_options& options = {})
      : res_(res), table_(res, expected, options) {}

  container& table() { return table_; }
  contents& oracle() { return oracle_; }

  void insert(const std::vector<key>& keys, const std::vector<value>& values) {
    const std::vector<std::uint8_t> inserted = run_insert(keys, values, false);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (inserted[i] == 0) continue;
      ++expected;
      EXPECT_TRUE(oracle_.emplace(keys[i], values[i]).second) << "inserted a key that was there: " << keys[i];
    }
    EXPECT_EQ(returned_, expected);
    for (const key k : keys) EXPECT_EQ(oracle_.count(k), 1U) << "did not insert " << k;
  }

  /// Inserts those of `keys` that are absent, each once.
  void insert_absent(const std::vector<key>& keys, const std::vector<value>& values) {
    std::vector<key> absent;
    std::vector<value> theirs;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!oracle_.emplace(keys[i], values[i]).second) continue;
      absent.push_back(keys[i]);
      theirs.push_back(values[i]);
    }
    const auto device_keys = upload(res_, absent);
    if constexpr (is_none<value>) {
      table_.insert_absent(res_, device_keys.data(), absent.size());
    } else {
      table_.insert_absent(res_, device_keys.data(), upload(res_, theirs).data(), absent.size());
    }
  }

  void insert_or_assign(const std::vector<key>& keys, const std::vector<value>& values) {
    const std::vector<std::uint8_t> inserted = run_insert(keys, values, true);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (inserted[i] == 0) continue;
      EXPECT_TRUE(oracle_.emplace(keys[i], values[i]).second) << "inserted a key that was there: " << keys[i];
    }
    const contents now = read();
    for (std::size_t i = 0; i < keys.size(); ++i) {  // of equal keys, any one's value may stay
      ASSERT_EQ(oracle_.count(keys[i]), 1U);
      const auto at = now.find(keys[i]);
      ASSERT_NE(at, now.end());
      bool offered = false;
      for (std::size_t j = 0; j < keys.size() && !offered; ++j)
        offered = keys[j] == keys[i] && same(values[j], at->second);
      EXPECT_TRUE(offered) << "a value that nobody gave to " << keys[i];
      oracle_[keys[i]] = at->second;
    }
  }

  void erase(const std::vector<key>& keys) {
    const auto device_keys = upload(res_, keys);
    buffer<B, std::uint8_t> erased(res_, keys.size());
    const std::size_t count = table_.erase(res_, device_keys.data(), keys.size(), erased.data());
    const auto flags = download(res_, erased);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (flags[i] == 0) continue;
      ++expected;
      EXPECT_EQ(oracle_.erase(keys[i]), 1U) << "erased a key that was not there: " << keys[i];
    }
    EXPECT_EQ(count, expected);
    for (const key k : keys) EXPECT_EQ(oracle_.count(k), 0U) << "did not erase " << k;
  }

  /// Searches for keys, and compares sizes and all contents.
  void check(const std::vector<key>& probes) {
    const contents now = read();
    ASSERT_EQ(now.size(), oracle_.size());
    ASSERT_TRUE(std::equal(now.begin(), now.end(), oracle_.begin(), [](const auto& a, const auto& b) {
      return a.first == b.first && same(a.second, b.second);
    })) << "contents differ";
    EXPECT_EQ(table_.size(res_), oracle_.size());
    EXPECT_LE(table_.load_factor(res_), 1.0);
    check_searches(probes);
  }

  /// All that the container holds. Fails when a key comes twice.
  contents read() {
    const std::size_t size = table_.size(res_);
    buffer<B, key> keys(res_, size);
    buffer<B, value> values(res_, size);
    if constexpr (is_none<value>) {
      EXPECT_EQ(table_.retrieve_all(res_, keys.data()), size);
      fill_bytes(res_, values.data(), 0, size);
    } else {
      EXPECT_EQ(table_.retrieve_all(res_, keys.data(), values.data()), size);
    }
    const auto host_keys = download(res_, keys);
    const auto host_values = download(res_, values);
    contents result;
    for (std::size_t i = 0; i < size; ++i)
      EXPECT_TRUE(result.emplace(host_keys[i], host_values[i]).second) << "a repeat";
    return result;
  }

  static bool same(const value& a, const value& b) {
    if constexpr (is_none<value>) {
      return true;
    } else {
      return detail::to_bits(a) == detail::to_bits(b);
    }
  }

 private:
  std::vector<std::uint8_t> run_insert(const std::vector<key>& keys, const std::vector<value>& values, bool assign) {
    const auto device_keys = upload(res_, keys);
    const auto device_values = upload(res_, values);
    buffer<B, std::uint8_t> inserted(res_, keys.size());
    if constexpr (is_none<value>) {
      returned_ = table_.insert(res_, device_keys.data(), keys.size(), inserted.data());
    } else if (assign) {
      returned_ = table_.insert_or_assign(res_, device_keys.data(), device_values.data(), keys.size(), inserted.data());
    } else {
      returned_ = table_.insert(res_, device_keys.data(), device_values.data(), keys.size(), inserted.data());
    }
    return download(res_, inserted);
  }

  void check_searches(const std::vector<key>& probes) {
    const auto keys = upload(res_, probes);
    buffer<B, std::uint8_t> found(res_, probes.size());
    table_.contains(res_, keys.data(), probes.size(), found.data());
    const auto flags = download(res_, found);
    std::size_t present = 0;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      present += oracle_.count(probes[i]);
      ASSERT_EQ(flags[i], oracle_.count(probes[i])) << "contains " << probes[i];
    }
    EXPECT_EQ(table_.count(res_, keys.data(), probes.size()), present);
    if constexpr (!is_none<value>) check_values(probes, keys);
  }

  void check_values(const std::vector<key>& probes, const buffer<B, key>& keys) {
    buffer<B, std::uint8_t> found(res_, probes.size());
    buffer<B, value> values(res_, probes.size());
    table_.find(res_, keys.data(), probes.size(), values.data(), found.data());
    const auto flags = download(res_, found);
    const auto read_values = download(res_, values);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const auto at = oracle_.find(probes[i]);
      ASSERT_EQ(flags[i] != 0, at != oracle_.end()) << "find " << probes[i];
      if (flags[i] == 0) continue;
      ASSERT_TRUE(same(read_values[i], at->second)) << "value of " << probes[i];
    }
  }

  resources<B> res_;
  container table_;
  contents oracle_;
  std::size_t returned_ = 0;
};

}  // namespace mangrove::test
