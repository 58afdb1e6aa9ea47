#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "mangrove/core/bulk.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

namespace mangrove::test {

/// The bulk primitives against the standard library's. `R` makes resources: `R::make()`.
template <class R>
class bulk : public testing::Test {
 protected:
  /// Around where implementations change their ways.
  static std::vector<std::size_t> sizes() { return {0, 1, 2, 33, 1000, 32767, 32768, 32769, 150001}; }

  /// Arrays of one size: random, all equal, mostly equal, few values, ascending, descending.
  std::vector<std::vector<std::uint64_t>> shapes(std::size_t count) {
    std::vector<std::vector<std::uint64_t>> result(6, std::vector<std::uint64_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      result[0][i] = random_();
      result[1][i] = ~std::uint64_t{0};
      result[2][i] = random_.below(10) == 0 ? random_() : 42;
      result[3][i] = random_.below(7) << 61;
      result[4][i] = i;
      result[5][i] = count - i;
    }
    return result;
  }

  /// What a primitive that fills `outputs` elements from an array writes.
  template <class To, class From, class Call>
  std::vector<To> filled(const std::vector<From>& from, std::size_t outputs, const Call& call) {
    const auto input = upload(res_, from);
    buffer<typename backend_of<decltype(R::make())>::type, To> output(res_, outputs);
    call(input.data(), output.data());
    return download(res_, output);
  }

  seeded_random random_;
  decltype(R::make()) res_ = R::make();
};

TYPED_TEST_SUITE_P(bulk);

TYPED_TEST_P(bulk, sort_orders_keys) {
  for (const std::size_t count : this->sizes()) {
    for (std::vector<std::uint64_t>& keys : this->shapes(count)) {
      auto sorted = upload(this->res_, keys);
      sort(this->res_, sorted.data(), count);
      std::sort(keys.begin(), keys.end());
      ASSERT_EQ(download(this->res_, sorted), keys) << count << " keys";
    }
  }
}

TYPED_TEST_P(bulk, sort_of_some_bits_keeps_ascending_low_bits) {
  std::vector<std::uint64_t> keys(100000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = this->random_.below(50) << 32 | i;
  auto sorted = upload(this->res_, keys);
  sort(this->res_, sorted.data(), keys.size(), 32, 38);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(download(this->res_, sorted), keys);
}

TYPED_TEST_P(bulk, sort_of_any_number_of_bits) {
  for (const std::size_t count : this->sizes()) {
    for (const int bits : {1, 12, 13, 23, 24, 25}) {
      std::vector<std::uint64_t> keys(count);
      for (std::size_t i = 0; i < count; ++i) keys[i] = this->random_.below(std::uint64_t{1} << bits) << 20 | i;
      auto sorted = upload(this->res_, keys);
      sort(this->res_, sorted.data(), count, 20, 20 + bits);
      std::sort(keys.begin(), keys.end());
      ASSERT_EQ(download(this->res_, sorted), keys) << count << " keys, " << bits << " bits";
    }
  }
}

TYPED_TEST_P(bulk, sort_pairs_is_stable) {
  for (const std::size_t count : this->sizes()) {
    for (const int bits : {1, 8, 40, 64}) {
      std::vector<std::uint64_t> keys(count);
      std::vector<std::uint32_t> values(count);
      for (std::size_t i = 0; i < count; ++i) {
        keys[i] = this->random_() >> (64 - bits);
        values[i] = static_cast<std::uint32_t>(count - i);
      }
      auto sorted_keys = upload(this->res_, keys);
      auto sorted_values = upload(this->res_, values);
      sort_pairs(this->res_, sorted_keys.data(), sorted_values.data(), count, bits);
      std::vector<std::uint32_t> order(count);
      std::iota(order.begin(), order.end(), 0U);
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
      const auto got_keys = download(this->res_, sorted_keys);
      const auto got_values = download(this->res_, sorted_values);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(got_keys[i], keys[order[i]]) << i << " of " << count << ", " << bits << " bits";
        ASSERT_EQ(got_values[i], values[order[i]]) << i << " of " << count << ", " << bits << " bits";
      }
    }
  }
}

/// Values of several words hold the position, whose order is kept; single words are the same for equal keys.
template <class Value>
Value sorted_value(std::uint32_t key, std::size_t position) {
  if constexpr (std::is_same_v<Value, std::uint32_t>) {
    return ~key;
  } else {
    Value made{};
    made.words[0] = static_cast<std::uint32_t>(position);
    made.words[sizeof(Value) / sizeof(std::uint32_t) - 1] = static_cast<std::uint32_t>(position * 7);
    return made;
  }
}

template <class Value, class Resources>
void check_sorted_copy(const Resources& res, const std::vector<std::uint32_t>& keys, int bits) {
  using words = std::array<std::uint32_t, sizeof(Value) / sizeof(std::uint32_t)>;
  using B = typename backend_of<Resources>::type;
  std::vector<Value> values(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) values[i] = sorted_value<Value>(keys[i], i);
  const auto keys_from = upload(res, keys);
  const auto values_from = upload(res, values);
  buffer<B, std::uint32_t> keys_to(res, keys.size());
  buffer<B, Value> values_to(res, keys.size());
  sort_pairs(res, keys_from.data(), values_from.data(), keys_to.data(), values_to.data(), keys.size(), bits);
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  const auto got_keys = download(res, keys_to);
  const auto got_values = download(res, values_to);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(got_keys[i], keys[order[i]]) << i << " of " << keys.size() << ", " << bits << " bits";
    ASSERT_EQ(std::bit_cast<words>(got_values[i]), std::bit_cast<words>(values[order[i]])) << i << ", " << bits;
  }
  ASSERT_EQ(download(res, keys_from), keys) << "the keys that were given have changed";
}

TYPED_TEST_P(bulk, sort_pairs_to_other_arrays_keeps_the_order_of_equal_keys) {
  for (const std::size_t count : this->sizes()) {
    for (const int bits : {1, 11, 22, 23, 32}) {
      std::vector<std::uint32_t> keys(count);
      for (auto& key : keys) key = static_cast<std::uint32_t>(this->random_() >> (64 - bits));
      ASSERT_NO_FATAL_FAILURE(check_sorted_copy<std::uint32_t>(this->res_, keys, bits));
      ASSERT_NO_FATAL_FAILURE(check_sorted_copy<word_group<2>>(this->res_, keys, bits));
      ASSERT_NO_FATAL_FAILURE(check_sorted_copy<word_group<3>>(this->res_, keys, bits));
    }
  }
}

TYPED_TEST_P(bulk, exclusive_scan_sums_what_is_before) {
  for (const std::size_t count : this->sizes()) {
    std::vector<std::uint64_t> wide(count);
    for (auto& value : wide) value = this->random_() >> 20;
    const std::vector<std::uint32_t> narrow(wide.begin(), wide.end());
    std::vector<std::uint64_t> expected(count + 1, 0);
    std::partial_sum(wide.begin(), wide.end(), expected.begin() + 1);
    std::vector<std::uint32_t> expected_narrow(count + 1, 0);
    std::partial_sum(narrow.begin(), narrow.end(), expected_narrow.begin() + 1);
    const auto scan = [&](const auto* from, auto* to) { exclusive_scan(this->res_, from, to, count); };
    ASSERT_EQ((this->template filled<std::uint64_t>(wide, count + 1, scan)), expected) << count;
    ASSERT_EQ((this->template filled<std::uint32_t>(narrow, count + 1, scan)), expected_narrow) << count;
  }
}

TYPED_TEST_P(bulk, select_gives_the_flagged_indices) {
  for (const std::size_t count : this->sizes()) {
    for (const std::uint64_t one_in : {1, 2, 1000}) {
      std::vector<std::uint8_t> flags(count);
      std::vector<std::uint32_t> expected;
      for (std::size_t i = 0; i < count; ++i) {
        flags[i] = this->random_.below(one_in) == 0 ? static_cast<std::uint8_t>(1 + this->random_.below(255)) : 0;
        if (flags[i] != 0) expected.push_back(static_cast<std::uint32_t>(i));
      }
      std::size_t selected = 0;
      auto got = this->template filled<std::uint32_t>(
          flags, count, [&](const auto* from, auto* to) { selected = select(this->res_, from, to, count); });
      ASSERT_EQ(selected, expected.size());
      got.resize(selected);
      ASSERT_EQ(got, expected) << count;

      auto counted = upload(this->res_, std::vector<std::uint64_t>{~std::uint64_t{0}});
      got = this->template filled<std::uint32_t>(
          flags, count, [&](const auto* from, auto* to) { select(this->res_, from, to, count, counted.data()); });
      ASSERT_EQ(read_back(this->res_, counted.data()), expected.size());
      got.resize(expected.size());
      ASSERT_EQ(got, expected) << count;
    }
  }
}

TYPED_TEST_P(bulk, sum_and_max_reduce) {
  for (const std::size_t count : this->sizes()) {
    for (const std::vector<std::uint64_t>& values : this->shapes(count)) {
      const auto input = upload(this->res_, values);
      const std::vector<std::uint32_t> narrow(values.begin(), values.end());
      const auto narrow_input = upload(this->res_, narrow);
      ASSERT_EQ(sum(this->res_, input.data(), count), std::accumulate(values.begin(), values.end(), std::uint64_t{0}));
      ASSERT_EQ(max_value(this->res_, input.data(), count),
                count == 0 ? 0 : *std::max_element(values.begin(), values.end()));
      ASSERT_EQ(max_value(this->res_, narrow_input.data(), count),
                count == 0 ? 0 : *std::max_element(narrow.begin(), narrow.end()));
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(bulk, sort_orders_keys, sort_of_some_bits_keeps_ascending_low_bits,
                            sort_of_any_number_of_bits, sort_pairs_is_stable,
                            sort_pairs_to_other_arrays_keeps_the_order_of_equal_keys,
                            exclusive_scan_sums_what_is_before, select_gives_the_flagged_indices, sum_and_max_reduce);

}  // namespace mangrove::test
