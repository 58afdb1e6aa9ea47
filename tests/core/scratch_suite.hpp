#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mangrove/core/relaxed_atomic.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"

namespace mangrove::test {

/// What operation i reports: `words` words of its scratch were filled by some lanes and read by others.
struct scratch_report {
  std::uint64_t sum;
  std::uint32_t added;  ///< by all lanes, to one word of scratch
  std::uint32_t visits;
  std::uint32_t unaligned;  ///< bits of the scratch's address below its alignment
};

/// Fills the scratch with numbers that depend on the operation, then every lane reads what another one wrote.
template <std::size_t Bytes>
struct exercise_scratch {
  static constexpr std::size_t words = Bytes / sizeof(std::uint32_t) - 1;  ///< one more, the last, is added to

  const std::uint32_t* seeds;
  scratch_report* reports;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    auto* const own = reinterpret_cast<std::uint32_t*>(scratch);
    if (tile.lane() == 0) own[words] = 0;
    tile.strided(words, [&](std::size_t k) { own[k] = number(seeds[i], k); });
    tile.sync();
    std::uint64_t sum = 0;
    tile.strided(words, [&](std::size_t k) {
      sum += std::uint64_t{own[words - 1 - k]} * (k + 1);
      fetch_add(own + words, 1U);
    });
    const std::uint64_t all = tile.sum(sum);
    tile.sync();
    if (tile.lane() != 0) return;
    scratch_report& report = reports[i];
    report.sum = all;
    report.added = own[words];
    fetch_add(&report.visits, 1U);
    constexpr std::size_t alignment = (Bytes & (~Bytes + 1)) < 128 ? Bytes & (~Bytes + 1) : 128;
    report.unaligned = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(scratch) % alignment);
  }

  MANGROVE_HOST_DEVICE static std::uint32_t number(std::uint32_t seed, std::size_t k) {
    return seed * 2654435761U + static_cast<std::uint32_t>(k) * 40503U;
  }

  static std::uint64_t expected_sum(std::uint32_t seed) {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < words; ++k) sum += std::uint64_t{number(seed, words - 1 - k)} * (k + 1);
    return sum;
  }
};

/// Fills the scratch before the work that is queued before is done, with numbers that depend on the operation, and adds
/// them up to what that work wrote.
struct begin_in_scratch {
  static constexpr std::size_t words = 1000;

  const std::uint32_t* written;
  std::uint64_t* sums;

  template <class Tile>
  MANGROVE_HOST_DEVICE void prepare(const Tile& tile, std::size_t i, std::byte* scratch) const {
    tile.strided(words, [&](std::size_t k) { reinterpret_cast<std::uint32_t*>(scratch)[k] = number(i, k); });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    tile.sync();
    std::uint64_t own = 0;
    tile.strided(words, [&](std::size_t k) { own += reinterpret_cast<std::uint32_t*>(scratch)[words - 1 - k]; });
    const std::uint64_t all = tile.sum(own);
    if (tile.lane() == 0) sums[i] += all + written[i];
  }

  MANGROVE_HOST_DEVICE static std::uint32_t number(std::size_t i, std::size_t k) {
    return static_cast<std::uint32_t>(i * 2654435761U + k * 40503U);
  }

  static std::uint64_t expected(std::size_t i) {
    std::uint64_t sum = 7 * i + 1;
    for (std::size_t k = 0; k < words; ++k) sum += number(i, k);
    return sum;
  }
};

/// The work before, which takes a while.
struct write_late {
  std::uint32_t* written;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    for (std::uint32_t value = 0; value <= 7 * i + 1; ++value) store_relaxed(written + i, value);
  }
};

/// Each lane asks for the sum of what the lanes before it have, and all, of numbers that depend on operation and lane,
/// and whether some lane is one that does, and one that does not exist, twice.
struct ask_for_prefixes {
  std::uint32_t* wrong;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte*) const {
    for (std::uint64_t first = i; first < i + 2; ++first) {
      const auto lane = static_cast<std::uint64_t>(tile.lane());
      const std::uint64_t before = tile.prefix_sum(first + lane);
      const lane_sums<std::uint64_t> sums = tile.scan(first + lane);
      constexpr std::uint64_t lanes = Tile::lanes;
      const bool right = before == lane * first + lane * (lane - 1) / 2 && sums.before == before &&
                         sums.all == lanes * first + lanes * (lanes - 1) / 2;
      const bool any = tile.any(lane == first % lanes);
      const bool none = tile.any(lane == lanes);
      if (!right || !any || none) fetch_add(wrong, 1U);
    }
  }
};

/// Each lane adds a number of its own to one of two words.
struct add_sums {
  std::uint32_t* words;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte*) const {
    tile.add_sum(words + i % 2, static_cast<std::uint32_t>(i + tile.lane()));
  }
};

/// Parts of tiles take numbers, some of which are more work than others, and visit them with words of their own.
struct take_numbers {
  static constexpr int part = 32;
  static constexpr std::uint32_t most_parts = 8;

  std::uint32_t count;  ///< of numbers
  std::uint32_t begun;  ///< by all tiles
  std::uint32_t* taken;
  std::uint32_t* visits;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    auto* const words = reinterpret_cast<std::uint32_t*>(scratch);
    constexpr std::uint32_t parts = Tile::template part_count<part>;
    static_assert(parts <= most_parts);
    tile.template for_each_part_taken<part>(
        static_cast<std::uint32_t>(i) * parts, count, [&] { return begun * parts + fetch_add(taken, 1U); },
        [&](const auto& lanes, std::uint32_t own, std::uint32_t k) {
          if (lanes.lane() == 0) {
            words[own] = 0;
            for (std::uint32_t turn = 0; turn < k % 50; ++turn) fetch_add(words + own, 1U);
          }
          lanes.sync();
          if (lanes.lane() == 0 && words[own] == k % 50) fetch_add(visits + k, 1U);
          lanes.sync();
        });
  }
};

/// Operations on words from all lanes, each on one of a few objects.
template <class T>
struct exercise_relaxed {
  const T* values;
  T* sum;
  T* largest;
  T* claimed;  ///< 64 slots, zero; value v is put into slot v % 64 unless that is taken

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    fetch_add(sum, values[i]);
    raise_to(largest, values[i]);
    T* const slot = claimed + values[i] % 64;
    if (relaxed_load(slot) == 0) relaxed_compare_exchange(slot, T{0}, values[i]);
  }
};

template <class B>
class scratch : public testing::Test {
 protected:
  template <int Width, int Bytes>
  void check(std::size_t count) {
    using body = exercise_scratch<Bytes>;
    std::vector<std::uint32_t> seeds(count);
    for (auto& seed : seeds) seed = static_cast<std::uint32_t>(random_());
    const auto device_seeds = upload(res_, seeds);
    buffer<B, scratch_report> reports(res_, count);
    fill_bytes(res_, reports.data(), 0, count);
    for_each_tile_with_scratch<Width, Bytes>(res_, count, body{device_seeds.data(), reports.data()});
    const std::vector<scratch_report> got = download(res_, reports);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_NO_FATAL_FAILURE(check_report<body>(seeds[i], got[i]))
          << "width " << Width << ", bytes " << Bytes << ", operation " << i;
    }
  }

  template <class Body>
  static void check_report(std::uint32_t seed, const scratch_report& got) {
    ASSERT_EQ(got.visits, 1U);
    ASSERT_EQ(got.sum, Body::expected_sum(seed));
    ASSERT_EQ(got.added, Body::words);
    ASSERT_EQ(got.unaligned, 0U);
  }

  template <int Width>
  void check_preparing(std::size_t count) {
    buffer<B, std::uint32_t> written(res_, count);
    buffer<B, std::uint64_t> sums(res_, count);
    fill_bytes(res_, written.data(), 0, count);
    fill_bytes(res_, sums.data(), 0, count);
    for_each_tile<1>(res_, count, write_late{written.data()});
    for_each_tile_with_scratch<Width, 4096>(res_, count, begin_in_scratch{written.data(), sums.data()});
    const std::vector<std::uint64_t> got = download(res_, sums);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(got[i], begin_in_scratch::expected(i)) << "width " << Width << ", operation " << i << " of " << count;
    }
  }

  template <int Width>
  void check_prefixes() {
    buffer<B, std::uint32_t> wrong(res_, 1);
    fill_bytes(res_, wrong.data(), 0, 1);
    for_each_tile_with_scratch<Width, 128>(res_, 300, ask_for_prefixes{wrong.data()});
    EXPECT_EQ(download(res_, wrong)[0], 0U) << "of " << Width << " lanes";
  }

  template <int Width>
  void check_sums() {
    constexpr std::uint32_t lanes = std::same_as<B, cpu> ? 1 : Width;
    constexpr std::uint32_t count = 200;
    buffer<B, std::uint32_t> words(res_, 2);
    fill_bytes(res_, words.data(), 0, 2);
    for_each_tile_with_scratch<Width, 128>(res_, count, add_sums{words.data()});
    const std::uint32_t of_lanes = count / 2 * (lanes * (lanes - 1) / 2);
    const std::uint32_t even = count / 2 * (count / 2 - 1);
    const std::vector<std::uint32_t> expected{lanes * even + of_lanes, lanes * (even + count / 2) + of_lanes};
    EXPECT_EQ(download(res_, words), expected) << "of " << Width << " lanes";
  }

  template <class T>
  void check_relaxed() {
    std::vector<T> values(5000);
    T sum = 0;
    T largest = 0;
    for (T& value : values) {
      value = static_cast<T>(random_() | 1);
      sum += value;
      largest = std::max(largest, value);
    }
    const auto device_values = upload(res_, values);
    buffer<B, T> got(res_, 66);
    fill_bytes(res_, got.data(), 0, 66);
    for_each_tile<1>(res_, values.size(),
                     exercise_relaxed<T>{device_values.data(), got.data(), got.data() + 1, got.data() + 2});
    const std::vector<T> words = download(res_, got);
    EXPECT_EQ(words[0], sum);
    EXPECT_EQ(words[1], largest);
    for (std::size_t slot = 1; slot < 64; slot += 2) {  // all values are odd
      EXPECT_EQ(words[2 + slot] % 64, slot);
      EXPECT_NE(std::find(values.begin(), values.end(), words[2 + slot]), values.end());
    }
  }

  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(scratch);

TYPED_TEST_P(scratch, lanes_of_a_tile_share_what_no_other_tile_sees) {
  for (const std::size_t count : {0, 1, 2, 9, 700}) {
    this->template check<1, 36>(count);
    this->template check<8, 272>(count);
    this->template check<32, 4096>(count);
    this->template check<64, 128>(count);
    this->template check<256, 32768>(count);
  }
}

TYPED_TEST_P(scratch, a_block_can_have_most_of_what_there_is) {
  for (const std::size_t count : {1, 3, 300}) this->template check<1024, 196608>(count);
}

TYPED_TEST_P(scratch, more_operations_than_blocks_run_once_each) {
  this->template check<64, 8>((std::size_t{1} << 20) + 1000);
}

TYPED_TEST_P(scratch, bodies_that_prepare_still_find_what_was_done_before) {
  for (const std::size_t count : {0, 1, 3, 5000}) {
    this->template check_preparing<64>(count);
    this->template check_preparing<1024>(count);
  }
}

TYPED_TEST_P(scratch, blocks_know_what_the_lanes_before_have) {
  this->template check_prefixes<64>();
  this->template check_prefixes<512>();
  this->template check_prefixes<1024>();
}

TYPED_TEST_P(scratch, sums_of_all_lanes_are_added_to_words) {
  this->template check_sums<1>();
  this->template check_sums<32>();
  this->template check_sums<256>();
}

TYPED_TEST_P(scratch, parts_take_each_number_once) {
  for (const std::uint32_t count : {0U, 1U, 7U, 300U, 20'000U}) {
    constexpr std::uint32_t tiles = 5;
    auto taken = upload(this->res_, std::vector<std::uint32_t>{0});
    auto visits = upload(this->res_, std::vector<std::uint32_t>(count + 1, 0));
    for_each_tile_with_scratch<256, 128>(this->res_, tiles, take_numbers{count, tiles, taken.data(), visits.data()});
    std::vector<std::uint32_t> expected(count + 1, 1);
    expected[count] = 0;
    EXPECT_EQ(download(this->res_, visits), expected) << "of " << count;
  }
}

TYPED_TEST_P(scratch, relaxed_atomics_lose_nothing) {
  this->template check_relaxed<std::uint32_t>();
  this->template check_relaxed<std::uint64_t>();
}

REGISTER_TYPED_TEST_SUITE_P(scratch, lanes_of_a_tile_share_what_no_other_tile_sees,
                            a_block_can_have_most_of_what_there_is, more_operations_than_blocks_run_once_each,
                            bodies_that_prepare_still_find_what_was_done_before, blocks_know_what_the_lanes_before_have,
                            sums_of_all_lanes_are_added_to_words, parts_take_each_number_once,
                            relaxed_atomics_lose_nothing);

}  // namespace mangrove::test
