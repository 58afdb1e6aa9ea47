#pragma once

#include "ordered_support.hpp"

namespace mangrove::test {

/// An ordered container with its oracle. Batches go in by host vectors; every change is checked by its counts.
template <class Types>
class checked_ordered {
 public:
  using B = typename Types::backend_type;
  using key = typename Types::key;
  using value = typename Types::value;
  using container = typename Types::container;
  using contents = std::map<key, value>;
  using keys_type = std::vector<key>;

  explicit checked_ordered(const resources<B>& res) : res_(res), tree_(Types::make(res)) {}

  container& tree() { return tree_; }
  contents& oracle() { return oracle_; }
  const resources<B>& res() const { return res_; }

  /// Values for keys; equal keys get different ones.
  std::vector<value> values_for(const keys_type& keys) {
    std::vector<value> values;
    for (const key k : keys) values.push_back(ordered_value<value>(k, ++salt_));
    return values;
  }

  void bulk_build(const keys_type& keys, key_sequence sequence = key_sequence::unsorted) {
    const auto values = values_for(keys);
    tree_.bulk_build(res_, upload(res_, keys).data(), upload(res_, values).data(), keys.size(), sequence);
    oracle_.clear();
    for (std::size_t i = 0; i < keys.size(); ++i) oracle_[keys[i]] = values[i];
  }

  void insert(const keys_type& keys) {
    const auto values = values_for(keys);
    buffer<B, std::uint8_t> outcome(res_, keys.size());
    const std::size_t count =
        tree_.insert(res_, upload(res_, keys).data(), upload(res_, values).data(), keys.size(), outcome.data());
    const auto inserted = download(res_, outcome);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (inserted[i] == 0) continue;
      ++expected;
      EXPECT_TRUE(oracle_.emplace(keys[i], values[i]).second) << "inserted a key that was there: " << shown(keys[i]);
    }
    EXPECT_EQ(count, expected);
    for (const key k : keys) EXPECT_EQ(oracle_.count(k), 1U) << "did not insert " << shown(k);
  }

  void insert_or_assign(const keys_type& keys) {
    const auto values = values_for(keys);
    const std::size_t count =
        tree_.insert_or_assign(res_, upload(res_, keys).data(), upload(res_, values).data(), keys.size());
    const std::size_t before = oracle_.size();
    for (std::size_t i = 0; i < keys.size(); ++i) oracle_[keys[i]] = values[i];
    EXPECT_EQ(count, oracle_.size() - before);
  }

  void erase(const keys_type& keys) {
    buffer<B, std::uint8_t> outcome(res_, keys.size());
    const std::size_t count = tree_.erase(res_, upload(res_, keys).data(), keys.size(), outcome.data());
    const auto erased = download(res_, outcome);
    std::size_t expected = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (erased[i] == 0) continue;
      ++expected;
      EXPECT_EQ(oracle_.erase(keys[i]), 1U) << "erased a key that was not there: " << shown(keys[i]);
    }
    EXPECT_EQ(count, expected);
    for (const key k : keys) EXPECT_EQ(oracle_.count(k), 0U) << "did not erase " << shown(k);
  }

  void clear() {
    tree_.clear(res_);
    oracle_.clear();
  }

  /// Compares structure, size and all contents.
  void check() {
    ASSERT_EQ(tree_.check(res_), "");
    ASSERT_EQ(tree_.size(), oracle_.size());
    buffer<B, key> keys(res_, oracle_.size());
    buffer<B, value> values(res_, oracle_.size());
    ASSERT_EQ(tree_.retrieve_all(res_, keys.data(), values.data()), oracle_.size());
    const auto host_keys = download(res_, keys);
    const auto host_values = download(res_, values);
    std::size_t i = 0;
    for (const auto& [k, v] : oracle_) {
      ASSERT_TRUE(host_keys[i] == k) << shown(host_keys[i]) << ", not " << shown(k) << ", at " << i;
      ASSERT_TRUE(same_value(host_values[i], v)) << "value of " << shown(k);
      ++i;
    }
  }

  /// Asks for keys, and for what is next to them.
  void check_queries(const keys_type& probes) {
    const auto keys = upload(res_, probes);
    check_found(probes, keys);
    check_neighbors(probes, keys, true);
    check_neighbors(probes, keys, false);
  }

  /// Asks for ranges by all means there are.
  void check_ranges(const keys_type& lows, const keys_type& highs, std::uint32_t limit) {
    const auto low = upload(res_, lows);
    const auto high = upload(res_, highs);
    std::vector<std::uint64_t> expected_offsets{0};
    for (std::size_t i = 0; i < lows.size(); ++i)
      expected_offsets.push_back(expected_offsets.back() + expected_range(lows[i], highs[i]).size());
    check_counts(low, high, expected_offsets);
    const std::uint64_t total = expected_offsets.back();
    check_written(lows, highs, low, high, expected_offsets, total);
    check_written(lows, highs, low, high, expected_offsets, total / 2);
    for (const std::uint32_t most : {limit, 3U, 8U}) {
      check_rows(lows, highs, low, high, most, asked_for::keys_and_values);
      check_rows(lows, highs, low, high, most, asked_for::keys);
    }
  }

 private:
  using entries = std::vector<std::pair<key, value>>;
  enum class asked_for { keys, keys_and_values };

  entries expected_range(key low, key high) const {
    if (high < low) return {};
    return entries(oracle_.lower_bound(low), oracle_.upper_bound(high));
  }

  void check_found(const keys_type& probes, const buffer<B, key>& keys) {
    buffer<B, std::uint8_t> found(res_, probes.size());
    buffer<B, std::uint8_t> contained(res_, probes.size());
    buffer<B, value> values(res_, probes.size());
    tree_.find(res_, keys.data(), probes.size(), values.data(), found.data());
    tree_.contains(res_, keys.data(), probes.size(), contained.data());
    const auto flags = download(res_, found);
    const auto contains = download(res_, contained);
    const auto read = download(res_, values);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      const auto at = oracle_.find(probes[i]);
      ASSERT_EQ(flags[i], at != oracle_.end() ? 1 : 0) << "find " << shown(probes[i]);
      ASSERT_EQ(contains[i], flags[i]) << "contains " << shown(probes[i]);
      if (flags[i] == 0) continue;
      ASSERT_TRUE(same_value(read[i], at->second)) << "value of " << shown(probes[i]);
    }
  }

  void check_neighbors(const keys_type& probes, const buffer<B, key>& keys, bool after) {
    buffer<B, std::uint8_t> found(res_, probes.size());
    buffer<B, key> neighbors(res_, probes.size());
    buffer<B, value> values(res_, probes.size());
    if (after) {
      tree_.successor(res_, keys.data(), probes.size(), neighbors.data(), values.data(), found.data());
    } else {
      tree_.predecessor(res_, keys.data(), probes.size(), neighbors.data(), values.data(), found.data());
    }
    const auto flags = download(res_, found);
    const auto read_keys = download(res_, neighbors);
    const auto read_values = download(res_, values);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      auto at = after ? oracle_.upper_bound(probes[i]) : oracle_.lower_bound(probes[i]);
      const bool exists = after ? at != oracle_.end() : at != oracle_.begin();
      ASSERT_EQ(flags[i], exists ? 1 : 0) << (after ? "after " : "before ") << shown(probes[i]);
      if (!exists) continue;
      if (!after) --at;
      ASSERT_TRUE(read_keys[i] == at->first) << shown(read_keys[i]) << ", not " << shown(at->first) << ", "
                                             << (after ? "after " : "before ") << shown(probes[i]);
      ASSERT_TRUE(same_value(read_values[i], at->second)) << "value of " << shown(at->first);
    }
  }

  void check_counts(const buffer<B, key>& low, const buffer<B, key>& high,
                    const std::vector<std::uint64_t>& expected_offsets) {
    buffer<B, std::uint64_t> counts(res_, low.size());
    tree_.count(res_, low.data(), high.data(), low.size(), counts.data());
    const auto read = download(res_, counts);
    for (std::size_t i = 0; i < read.size(); ++i) {
      ASSERT_EQ(read[i], expected_offsets[i + 1] - expected_offsets[i]) << "count " << i;
    }
  }

  /// A range query with room for `capacity` results, followed by some that must stay as they are.
  void check_written(const keys_type& lows, const keys_type& highs, const buffer<B, key>& low,
                     const buffer<B, key>& high, const std::vector<std::uint64_t>& expected_offsets,
                     std::uint64_t capacity) {
    constexpr std::size_t beyond = 64;
    buffer<B, std::uint64_t> offsets(res_, lows.size() + 1);
    buffer<B, key> keys(res_, capacity + beyond);
    buffer<B, value> values(res_, capacity + beyond);
    fill_bytes(res_, keys.data(), 0x5a, keys.size());
    const std::uint64_t total =
        tree_.range(res_, low.data(), high.data(), lows.size(), offsets.data(), keys.data(), values.data(), capacity);
    ASSERT_EQ(total, expected_offsets.back());
    ASSERT_EQ(download(res_, offsets), expected_offsets);
    const auto read_keys = download(res_, keys);
    const auto read_values = download(res_, values);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < lows.size(); ++i) {
      for (const auto& [k, v] : expected_range(lows[i], highs[i])) {
        if (at == capacity) break;
        ASSERT_TRUE(read_keys[at] == k) << shown(read_keys[at]) << ", not " << shown(k) << ", range " << i;
        ASSERT_TRUE(same_value(read_values[at], v)) << "range " << i;
        ++at;
      }
    }
    for (std::size_t k = 0; k < beyond; ++k) {
      ASSERT_EQ(std::bit_cast<detail::key_bits<key>>(read_keys[capacity + k]),
                static_cast<detail::key_bits<key>>(0x5a5a5a5a5a5a5a5aULL))
          << "wrote beyond the end";
    }
  }

  void check_rows(const keys_type& lows, const keys_type& highs, const buffer<B, key>& low, const buffer<B, key>& high,
                  std::uint32_t limit, asked_for what) {
    buffer<B, std::uint32_t> counts(res_, lows.size());
    buffer<B, key> keys(res_, lows.size() * limit);
    buffer<B, value> values(res_, lows.size() * limit);
    const bool with_values = what == asked_for::keys_and_values;
    tree_.range_up_to(res_, low.data(), high.data(), lows.size(), limit, counts.data(), keys.data(),
                      with_values ? values.data() : nullptr);
    const auto read_counts = download(res_, counts);
    const auto read_keys = download(res_, keys);
    const auto read_values = download(res_, values);
    for (std::size_t i = 0; i < lows.size(); ++i) {
      const entries expected = expected_range(lows[i], highs[i]);
      ASSERT_EQ(read_counts[i], std::min<std::size_t>(expected.size(), limit)) << "range " << i;
      for (std::size_t k = 0; k < read_counts[i]; ++k) {
        ASSERT_TRUE(read_keys[i * limit + k] == expected[k].first)
            << shown(read_keys[i * limit + k]) << ", not " << shown(expected[k].first) << ", range " << i;
        if (!with_values) continue;
        ASSERT_TRUE(same_value(read_values[i * limit + k], expected[k].second)) << "range " << i;
      }
    }
  }

  resources<B> res_;
  container tree_;
  contents oracle_;
  std::uint32_t salt_ = 0;
};

}  // namespace mangrove::test
