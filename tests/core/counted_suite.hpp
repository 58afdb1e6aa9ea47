#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/tile_part.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

namespace mangrove::test {

/// Counts the visits of every index.
struct count_visits {
  std::uint32_t* visits;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (tile.lane() == 0) fetch_add(visits + i, 1U);
  }
  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    auto* const word = reinterpret_cast<std::uint32_t*>(scratch);
    if (tile.lane() == 0) *word = static_cast<std::uint32_t>(i);
    tile.sync();
    if (tile.lane() == 0) fetch_add(visits + *word, 1U);
  }
};

/// Visits index i as often as i % 3 says and once more, in step with others.
struct visit_in_step {
  static constexpr bool in_step = true;
  std::uint32_t* visits;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, bool is_there = true) const {
    const auto goes_on = [&](std::uint32_t round) { return is_there && round <= i % 3; };
    for (std::uint32_t round = 0; any_in_step(tile, goes_on(round)); ++round) {
      const bool all_agree = tile.ballot(goes_on(round)) == tile.ballot(true);
      if (goes_on(round) && all_agree && tile.lane() == 0) fetch_add(visits + i, 1U);
    }
  }
};

/// Takes ranges of four counters and marks what it got.
struct take_ranges {
  const std::uint32_t* amounts;  ///< four an operation
  std::uint32_t* counters;       ///< four
  std::uint32_t* marks;          ///< `marks_each` a counter
  std::size_t marks_each;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    std::uint32_t* const of[4] = {counters, counters + 1, counters + 2, counters + 3};
    std::uint32_t first[4];
    for (int k = 0; k < 4; ++k) first[k] = amounts[4 * i + k];
    count_up_four(of, first);
    for (int k = 0; k < 4; ++k) {
      for (std::uint32_t n = 0; n < amounts[4 * i + k]; ++n) fetch_add(marks + k * marks_each + first[k] + n, 1U);
    }
  }
};

/// Adds values up, and how many are odd, through the sums of calls.
struct add_up {
  using sums_type = call_sums<2>;

  const std::uint32_t* values;
  std::uint32_t* totals;  ///< two

  template <class Tile>
  MANGROVE_HOST_DEVICE sums_type operator()(const Tile& tile, std::size_t i) const {
    return tile.lane() == 0 ? sums_type{{values[i], values[i] % 2}} : sums_type{};
  }
  template <class Tile>
  MANGROVE_HOST_DEVICE sums_type operator()(const Tile& tile, std::size_t i, std::byte*) const {
    return (*this)(tile, i);
  }
  MANGROVE_HOST_DEVICE void book(const sums_type& sums) const {
    fetch_add(totals, sums.of[0]);
    fetch_add(totals + 1, sums.of[1]);
  }
};

/// The same in step with others.
struct add_up_in_step : add_up {
  static constexpr bool in_step = true;

  template <class Tile>
  MANGROVE_HOST_DEVICE sums_type operator()(const Tile& tile, std::size_t i, bool is_there = true) const {
    return is_there && tile.lane() == 0 ? sums_type{{values[i], values[i] % 2}} : sums_type{};
  }
};

/// Adds a word to the counter whose number call i asks for.
struct add_where_asked {
  using asked_type = std::uint32_t;

  const std::uint32_t* numbers;
  const std::uint32_t* word;
  std::uint32_t* counters;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t ask(std::size_t i) const { return numbers[i]; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::uint32_t number) const {
    fetch_add(counters + number, load_relaxed(word));
  }
};

/// How gates stand: each by a word of memory.
enum class gate_state : std::uint32_t { undecided, open, closed };

/// A gate that other work decides.
struct word_gate {
  const std::uint32_t* state;
  bool late;
  bool early_counts;

  [[nodiscard]] MANGROVE_HOST_DEVICE bool lets_ask() const { return early_counts; }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_late() const { return late; }
  MANGROVE_HOST_DEVICE void wait() const {
    while (load_acquire(state) == static_cast<std::uint32_t>(gate_state::undecided)) {
    }
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_open() const {
    return load_relaxed(state) == static_cast<std::uint32_t>(gate_state::open);
  }
};

/// Takes its time; then sets a word to 1, and a count, and decides a gate.
struct decide_late {
  std::uint32_t* word;
  std::uint32_t* count;
  std::uint32_t counted;
  std::uint32_t* state;
  gate_state decision;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t) const {
    for (int k = 0; k < 10000; ++k) store_relaxed(word, load_relaxed(word));
    store_relaxed(word, 1U);
    store_relaxed(count, counted);
    store_release(state, static_cast<std::uint32_t>(decision));
  }
};

/// Moves rows of N values.
template <access Access, int N, class T>
struct move_rows {
  const T* from;
  T* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    T row[N];
    load_row<Access>(from + i * N, row);
    store_row(to + i * N, row);
  }
};

template <class B>
class counted_work : public testing::Test {
 protected:
  buffer<B, std::uint32_t> zeros(std::size_t count) {
    buffer<B, std::uint32_t> made(res_, count);
    fill_bytes(res_, made.data(), 0, count);
    return made;
  }

  /// The numbers below `count`, in any order.
  std::vector<std::uint32_t> shuffled(std::uint32_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0U);
    std::shuffle(numbers.begin(), numbers.end(), random_);
    return numbers;
  }

  /// What visits must be when the first `count` of `all` indices are visited once each.
  static std::vector<std::uint32_t> once(std::size_t count, std::size_t all) {
    std::vector<std::uint32_t> expected(all, 0);
    std::fill_n(expected.begin(), count, 1);
    return expected;
  }

  template <access Access, int N, class T>
  void check_rows() {
    std::vector<T> values(100 * N);
    for (T& value : values) value = static_cast<T>(random_());
    const auto from = upload(res_, values);
    buffer<B, T> to(res_, values.size());
    for_each_tile<1>(res_, 100, move_rows<Access, N, T>{from.data(), to.data()});
    EXPECT_EQ(download(res_, to), values) << N << " values of " << sizeof(T) << " bytes";
  }

  template <access Access, class T>
  void check_all_rows() {
    check_rows<Access, 1, T>();
    check_rows<Access, 2, T>();
    check_rows<Access, 3, T>();
    check_rows<Access, 4, T>();
    check_rows<Access, 8, T>();
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(counted_work);

TYPED_TEST_P(counted_work, parts_side_by_side_run_once_each_up_to_their_counts) {
  constexpr std::size_t all = 70000;
  for (const auto& sizes : {std::array<std::uint32_t, 3>{0, 1, 70000}, {3000, 0, 17}, {70000, 70000, 70000}}) {
    const auto counts = upload(this->res_, std::vector<std::uint32_t>(sizes.begin(), sizes.end()));
    auto first = this->zeros(all);
    auto second = this->zeros(all);
    auto third = this->zeros(all);
    for_each_counted_of(this->res_, counted_part<1, count_visits>{counts.data(), all, {first.data()}},
                        counted_part<8, count_visits>{counts.data() + 1, all, {second.data()}},
                        counted_part<32, count_visits>{counts.data() + 2, all, {third.data()}});
    EXPECT_EQ(download(this->res_, first), this->once(sizes[0], all));
    EXPECT_EQ(download(this->res_, second), this->once(sizes[1], all));
    EXPECT_EQ(download(this->res_, third), this->once(sizes[2], all));
  }
}

TYPED_TEST_P(counted_work, calls_are_made_if_the_gate_is_open) {
  constexpr std::uint32_t all = 70000;
  const auto counted = upload(this->res_, std::vector<std::uint32_t>{all});
  for (const gate_state state : {gate_state::open, gate_state::closed}) {
    const auto decided = upload(this->res_, std::vector<std::uint32_t>{static_cast<std::uint32_t>(state)});
    auto visits = this->zeros(all);
    auto others = this->zeros(all);
    for_each_counted_if(this->res_, word_gate{decided.data(), false, true},
                        counted_part<1, count_visits>{counted.data(), all, {visits.data()}},
                        counted_part<8, count_visits>{counted.data(), all, {others.data()}});
    const std::uint32_t made = state == gate_state::open ? all : 0;
    EXPECT_EQ(download(this->res_, visits), this->once(made, all));
    EXPECT_EQ(download(this->res_, others), this->once(made, all));
  }
}

TYPED_TEST_P(counted_work, calls_that_asked_wait_for_a_gate_that_is_decided_beside_them) {
  constexpr std::uint32_t all = 300'000;
  const auto numbers = upload(this->res_, this->shuffled(all));
  for (const bool early_counts : {true, false}) {
    for (const gate_state decision : {gate_state::open, gate_state::closed}) {
      const std::uint32_t count = all - 1;
      auto counted = upload(this->res_, std::vector<std::uint32_t>{early_counts ? count : 0});
      auto state = this->zeros(1);
      auto word = this->zeros(1);
      auto counters = this->zeros(all);
      auto visits = this->zeros(all);
      for_each_tile<1>(this->res_, 1, decide_late{word.data(), counted.data(), count, state.data(), decision});
      const independent_loops<TypeParam> loops(this->res_, kernel_start::beside_last);
      const add_where_asked asking{numbers.data(), word.data(), counters.data()};
      for_each_counted_if(loops.res(), word_gate{state.data(), true, early_counts},
                          counted_part<1, add_where_asked>{counted.data(), all, asking},
                          counted_part<2, count_visits>{counted.data(), all, {visits.data()}});
      std::vector<std::uint32_t> expected(all, 0);
      const bool open = decision == gate_state::open;
      const auto asked = download(this->res_, numbers);
      for (std::uint32_t i = 0; open && i < count; ++i) expected[asked[i]] = 1;
      EXPECT_EQ(download(this->res_, counters), expected);
      EXPECT_EQ(download(this->res_, visits), this->once(open ? count : 0, all));
    }
  }
}

TYPED_TEST_P(counted_work, calls_are_made_however_few_are_likely) {
  constexpr std::size_t all = 70000;
  const auto counted = upload(this->res_, std::vector<std::uint32_t>{70000});
  for (const std::size_t likely : {0, 1, 1000}) {
    auto visits = this->zeros(all);
    for_each_counted<1>(this->res_, counted.data(), all, count_visits{visits.data()}, likely);
    EXPECT_EQ(download(this->res_, visits), this->once(all, all)) << likely << " are likely";
  }
}

TYPED_TEST_P(counted_work, tiles_in_step_visit_what_is_there) {
  constexpr std::size_t all = 70001;
  for (const std::uint32_t count : {0U, 1U, 5U, 31U, 70000U, 70001U}) {
    const auto counted = upload(this->res_, std::vector<std::uint32_t>{count});
    std::vector<std::uint32_t> expected(all, 0);
    for (std::uint32_t i = 0; i < count; ++i) expected[i] = i % 3 + 1;
    auto by_eight = this->zeros(all);
    auto by_two = this->zeros(all);
    for_each_counted<8>(this->res_, counted.data(), all, visit_in_step{by_eight.data()});
    for_each_counted<2>(this->res_, counted.data(), all, visit_in_step{by_two.data()});
    EXPECT_EQ(download(this->res_, by_eight), expected) << "of " << count;
    EXPECT_EQ(download(this->res_, by_two), expected) << "of " << count;
  }
}

TYPED_TEST_P(counted_work, sums_of_all_calls_are_booked) {
  for (const std::uint32_t count : {0U, 1U, 77U, 500'000U}) {
    std::vector<std::uint32_t> values(count + 1);
    std::vector<std::uint32_t> expected(2);
    for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(this->random_() % 1000);
    for (std::uint32_t i = 0; i < count; ++i) {
      expected[0] += values[i];
      expected[1] += values[i] % 2;
    }
    const auto counted = upload(this->res_, std::vector<std::uint32_t>{count});
    const auto from = upload(this->res_, values);
    auto narrow = this->zeros(2);
    auto wide = this->zeros(2);
    auto in_step = this->zeros(2);
    const std::size_t most = count + std::size_t{1};
    for_each_counted_of(this->res_, counted_part<1, add_up>{counted.data(), most, {from.data(), narrow.data()}},
                        counted_part<8, add_up>{counted.data(), most, {from.data(), wide.data()}},
                        counted_part<1, add_up_in_step>{counted.data(), most, {{from.data(), in_step.data()}}});
    EXPECT_EQ(download(this->res_, narrow), expected);
    EXPECT_EQ(download(this->res_, wide), expected);
    EXPECT_EQ(download(this->res_, in_step), expected);
  }
}

TYPED_TEST_P(counted_work, with_scratch_stops_at_the_count_and_at_the_limit) {
  constexpr std::size_t all = 20000;
  for (const std::uint32_t count : {0U, 1U, 12345U, 20000U, 30000U}) {
    const auto counted = upload(this->res_, std::vector<std::uint32_t>{count});
    auto visits = this->zeros(all);
    for_each_counted_with_scratch<32, 128>(this->res_, counted.data(), all, count_visits{visits.data()});
    EXPECT_EQ(download(this->res_, visits), this->once(std::min<std::size_t>(count, all), all));
  }
}

TYPED_TEST_P(counted_work, sums_of_all_calls_with_scratch_are_booked) {
  constexpr std::size_t all = 20000;
  std::vector<std::uint32_t> values(all);
  for (std::uint32_t& value : values) value = static_cast<std::uint32_t>(this->random_() % 1000);
  const auto device_values = upload(this->res_, values);
  for (const std::uint32_t count : {0U, 1U, 12345U, 20000U}) {
    const auto counted = upload(this->res_, std::vector<std::uint32_t>{count});
    auto totals = this->zeros(4);
    const std::uint32_t* const from = device_values.data();
    for_each_counted_with_scratch<32, 128>(this->res_, counted.data(), all, add_up{from, totals.data()});
    for_each_tile_with_scratch<512, 128>(this->res_, count, add_up{from, totals.data() + 2});
    const std::uint32_t sum = std::accumulate(values.begin(), values.begin() + count, 0U);
    const auto odd = static_cast<std::uint32_t>(
        std::count_if(values.begin(), values.begin() + count, [](std::uint32_t value) { return value % 2 != 0; }));
    EXPECT_EQ(download(this->res_, totals), (std::vector<std::uint32_t>{sum, odd, sum, odd})) << "of " << count;
  }
}

TYPED_TEST_P(counted_work, four_counters_hand_out_every_number_once) {
  constexpr std::size_t operations = 5000;
  std::vector<std::uint32_t> amounts(4 * operations);
  std::array<std::uint32_t, 4> sums{};
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    amounts[i] = i % 4 == 3 ? 0 : static_cast<std::uint32_t>(this->random_() % 5);  // the last counter is left alone
    sums[i % 4] += amounts[i];
  }
  const std::size_t marks_each = *std::max_element(sums.begin(), sums.end()) + 1;
  const auto wanted = upload(this->res_, amounts);
  auto counters = this->zeros(4);
  auto marks = this->zeros(4 * marks_each);
  for_each_tile<1>(this->res_, operations, take_ranges{wanted.data(), counters.data(), marks.data(), marks_each});
  EXPECT_EQ(download(this->res_, counters), std::vector<std::uint32_t>(sums.begin(), sums.end()));
  const std::vector<std::uint32_t> got = download(this->res_, marks);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto begin = got.begin() + static_cast<std::ptrdiff_t>(k * marks_each);
    EXPECT_EQ(std::vector<std::uint32_t>(begin, begin + static_cast<std::ptrdiff_t>(marks_each)),
              this->once(sums[k], marks_each));
  }
}

TYPED_TEST_P(counted_work, rows_of_any_length_arrive_as_they_were) {
  this->template check_all_rows<access::plain, std::uint32_t>();
  this->template check_all_rows<access::relaxed, std::uint32_t>();
  this->template check_all_rows<access::plain, std::uint64_t>();
  this->template check_all_rows<access::relaxed, std::uint64_t>();
}

REGISTER_TYPED_TEST_SUITE_P(counted_work, parts_side_by_side_run_once_each_up_to_their_counts,
                            calls_are_made_if_the_gate_is_open,
                            calls_that_asked_wait_for_a_gate_that_is_decided_beside_them,
                            calls_are_made_however_few_are_likely, tiles_in_step_visit_what_is_there,
                            sums_of_all_calls_are_booked, sums_of_all_calls_with_scratch_are_booked,
                            with_scratch_stops_at_the_count_and_at_the_limit, four_counters_hand_out_every_number_once,
                            rows_of_any_length_arrive_as_they_were);

}  // namespace mangrove::test
