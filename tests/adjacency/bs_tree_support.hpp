#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "mangrove/adjacency/bs_tree.hpp"
#include "mangrove/adjacency/cbs_tree.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// A tree to test with its instruction set.
template <class Container, bs_simd Simd>
struct bs_case {
  using container = Container;
  using key = typename Container::key_type;
  using value = typename Container::mapped_type;
  static bs_tree_options options(double fill = 0.75) { return {.fill = fill, .simd = Simd}; }
};

/// Whether this machine has a case's instruction set.
template <class Case>
bool has_simd() {
  try {
    typename Case::container(cpu_resources(1), Case::options());
    return true;
  } catch (const usage_error&) {
    return false;
  }
}

/// Keys by how they lie, distinct and ascending.
enum class key_pattern { dense, uniform, clustered, long_tailed, extreme };
inline constexpr key_pattern all_patterns[] = {key_pattern::dense, key_pattern::uniform, key_pattern::clustered,
                                               key_pattern::long_tailed, key_pattern::extreme};

/// A number as a key of the tested type: all of its bits for integers, a finite number for floating-point ones.
template <class Key>
Key key_from(std::uint64_t number) {
  if constexpr (std::is_floating_point_v<Key>) {
    return static_cast<Key>(static_cast<std::int64_t>(number)) / Key{3};
  } else {
    return static_cast<Key>(number);
  }
}

inline std::uint64_t number_of(seeded_random& random, key_pattern pattern) {
  switch (pattern) {
    case key_pattern::dense:
      return 1000000 + random.below(3000);
    case key_pattern::uniform:
      return random();
    case key_pattern::clustered:
      return (random.below(16) << 58 | random.below(16) << 24) + random.below(3000);
    case key_pattern::long_tailed:
      return random() >> random.below(64);
    default:
      return random.below(2) == 0 ? random.below(300) : ~std::uint64_t{0} - random.below(300);
  }
}

template <class Key>
std::vector<Key> ascending_keys(seeded_random& random, key_pattern pattern, std::size_t tries) {
  std::vector<Key> keys;
  for (std::size_t i = 0; i < tries; ++i) keys.push_back(key_from<Key>(number_of(random, pattern)));
  if constexpr (!std::is_floating_point_v<Key>) {
    keys.push_back(std::numeric_limits<Key>::min());
    keys.push_back(std::numeric_limits<Key>::max());
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// A value that only fits `key`; of several, the `salt`-th.
template <class Value, class Key>
Value value_of(Key key, std::uint64_t salt = 0) {
  if constexpr (is_none<Value>) {
    return {};
  } else {
    const std::uint64_t bits = (detail::bs_encode_key(key) * 0x9e3779b97f4a7c15U & ~std::uint64_t{15}) | salt;
    if constexpr (std::is_floating_point_v<Value>) {
      return static_cast<Value>(bits >> 12);
    } else {
      return static_cast<Value>(bits);
    }
  }
}

/// A tree and its oracle, changed together.
template <class Case>
class checked_tree {
 public:
  using key = typename Case::key;
  using value = typename Case::value;
  using container = typename Case::container;

  explicit checked_tree(const cpu_resources& res, double fill = 0.75) : checked_tree(res, Case::options(fill)) {}
  checked_tree(const cpu_resources& res, const bs_tree_options& options) : tree(res, options) {}

  void load(const std::vector<key>& keys) {
    std::vector<value> values;
    oracle.clear();
    for (const key k : keys) values.push_back(oracle[k] = value_of<value>(k));
    tree.bulk_load(keys, values);
  }
  void insert(key k, std::uint64_t salt) {
    if constexpr (is_none<value>) {
      ASSERT_EQ(tree.insert(k), oracle.try_emplace(k).second) << k;
    } else {
      ASSERT_EQ(tree.insert(k, value_of<value>(k, salt)), oracle.try_emplace(k, value_of<value>(k, salt)).second) << k;
    }
  }
  void assign(key k, std::uint64_t salt) {
    if constexpr (!is_none<value>) {
      const value v = value_of<value>(k, salt);
      ASSERT_EQ(tree.insert_or_assign(k, v), oracle.insert_or_assign(k, v).second) << k;
    }
  }
  void erase(key k) { ASSERT_EQ(tree.erase(k), oracle.erase(k) != 0) << k; }

  /// Looks for `k` and for what is around it.
  void look(key k) const {
    const auto at = oracle.find(k);
    ASSERT_EQ(tree.contains(k), at != oracle.end()) << k;
    if constexpr (!is_none<value>) {
      const auto found = tree.find(k);
      ASSERT_EQ(found.has_value(), at != oracle.end()) << k;
      if (found) {
        ASSERT_EQ(*found, at->second) << k;
      }
    }
    const auto next = tree.successor(k);
    const auto after = oracle.upper_bound(k);
    ASSERT_EQ(next.has_value(), after != oracle.end()) << k;
    if (next) {
      ASSERT_EQ(next->key, after->first) << k;
      ASSERT_EQ(next->value, after->second) << k;
    }
    const auto previous = tree.predecessor(k);
    auto before = oracle.lower_bound(k);
    ASSERT_EQ(previous.has_value(), before != oracle.begin()) << k;
    if (previous) {
      --before;
      ASSERT_EQ(previous->key, before->first) << k;
      ASSERT_EQ(previous->value, before->second) << k;
    }
  }

  /// Asks for [low, high] with room for `room` keys, and looks whether anything beyond was written.
  void range(key low, key high, std::size_t room) const {
    constexpr std::size_t guard = 3;
    const auto canary = static_cast<key>(77);
    std::vector<key> keys(room + guard, canary);
    std::vector<value> values(room + guard, value_of<value>(canary));
    const std::vector<value> untouched = values;
    const std::size_t got = tree.range(low, high, std::span(keys).first(room), std::span(values).first(room));
    auto at = oracle.lower_bound(low);
    std::size_t wanted = 0;
    for (; low <= high && at != oracle.end() && at->first <= high; ++at, ++wanted) {
      if (wanted >= room) continue;
      ASSERT_EQ(keys[wanted], at->first);
      ASSERT_EQ(values[wanted], at->second);
    }
    ASSERT_EQ(got, std::min(room, wanted));
    ASSERT_EQ(tree.count(low, high), wanted);
    for (std::size_t i = 0; i < guard; ++i) {
      ASSERT_EQ(keys[room + i], canary);
      ASSERT_EQ(values[room + i], untouched[room + i]);
    }
  }

  /// The whole content and the structure.
  void check() const {
    ASSERT_EQ(tree.check(), "");
    ASSERT_EQ(tree.size(), oracle.size());
    auto at = oracle.begin();
    const auto expect = [&](key k, value v) {
      ASSERT_NE(at, oracle.end());
      ASSERT_EQ(k, at->first);
      ASSERT_EQ(v, at->second);
      ++at;
    };
    if constexpr (is_none<value>) {
      tree.for_each([&](key k) { expect(k, {}); });
    } else {
      tree.for_each(expect);
    }
    ASSERT_EQ(at, oracle.end());
    std::vector<key> keys(oracle.size());
    std::vector<value> values(oracle.size());
    ASSERT_EQ(tree.retrieve_all(keys, values), oracle.size());
    ASSERT_TRUE(std::equal(keys.begin(), keys.end(), oracle.begin(), [](key k, auto& e) { return k == e.first; }));
  }

  container tree;
  std::map<key, value> oracle;
};

/// What gtest calls a case.
struct bs_case_name {
  template <class Case>
  static std::string GetName(int i) {
    return std::to_string(i);
  }
};

template <class Container>
using bs_best = bs_case<Container, bs_simd::best>;

using bs_cases = types_to_test<
    types_kept(3, 9), bs_best<bs_tree<std::uint64_t, std::uint64_t, bs_writers::many>>,
    bs_best<cbs_tree<std::uint64_t, std::uint32_t, bs_writers::many>>, bs_best<bs_tree<std::uint64_t, none>>,
    bs_best<bs_tree<double, std::uint16_t>>, bs_best<cbs_tree<std::uint32_t, std::uint64_t>>,
    bs_case<bs_tree<std::uint32_t, double>, bs_simd::avx2>,
    bs_case<cbs_tree<std::uint64_t, std::uint64_t>, bs_simd::avx2>,
    bs_case<bs_tree<std::uint32_t, none>, bs_simd::portable>,
    bs_case<cbs_tree<std::uint64_t, std::uint32_t>, bs_simd::portable>, bs_best<bs_tree<std::uint64_t, std::uint64_t>>,
    bs_best<bs_tree<std::uint32_t, std::uint32_t>>, bs_best<bs_tree<std::uint32_t, double>>,
    bs_best<cbs_tree<std::uint64_t, none>>, bs_best<cbs_tree<std::uint64_t, std::uint64_t>>,
    bs_best<cbs_tree<std::int64_t, float>>, bs_best<cbs_tree<float, none>>,
    bs_case<bs_tree<std::uint64_t, std::uint64_t>, bs_simd::avx2>, bs_case<bs_tree<std::uint64_t, none>, bs_simd::avx2>,
    bs_case<cbs_tree<std::uint32_t, std::uint32_t, bs_writers::many>, bs_simd::avx2>,
    bs_case<bs_tree<std::uint64_t, none, bs_writers::many>, bs_simd::portable>>;

}  // namespace mangrove::test
