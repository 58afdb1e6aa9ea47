#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/mirrored.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "mangrove/core/work_aside.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

/// What kernels count, of odd size so that not all threads that bring it back have a word of it.
struct tally_of_words {
  std::array<std::uint32_t, 515> words;
};

/// Adds i to word i.
struct add_numbers {
  std::uint32_t* words;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    words[i] += static_cast<std::uint32_t>(i);
  }
};

/// Writes twice what another array has, element i by a call that takes the longer the larger i is.
struct write_doubled {
  const std::uint64_t* from;
  std::uint64_t* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    std::uint64_t sum = 0;
    for (std::size_t k = 0; k < i % 512; ++k) sum += relaxed_load(from + (i + k * 7919) % size) & 1;
    to[i] = 2 * from[i] + (sum > size ? 1 : 0);
  }
  static constexpr std::size_t size = 100'000;
};

/// Adds two arrays up into a third one.
struct add_up_arrays {
  const std::uint64_t* first;
  const std::uint64_t* second;
  std::uint64_t* sums;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    sums[i] = first[i] + second[i];
  }
};

/// What the host and the loops that it queues see of each other.
template <class B>
class ordering : public testing::Test {
 protected:
  seeded_random random_;
  resources<B> res_ = make_resources<B>();
};

TYPED_TEST_SUITE_P(ordering);

TYPED_TEST_P(ordering, objects_come_back_and_are_zero_once_they_are_taken) {
  mirrored<TypeParam, tally_of_words> tally(this->res_);
  tally.clear(this->res_);
  const auto expect_factor = [](const tally_of_words& seen, std::uint32_t factor) {
    for (std::uint32_t i = 0; i < seen.words.size(); ++i) ASSERT_EQ(seen.words[i], factor * i) << "word " << i;
  };
  const auto add = [&] { for_each_tile<1>(this->res_, 515, add_numbers{tally.data()->words.data()}); };
  for (std::uint32_t round = 0; round < 50; ++round) {
    add();
    expect_factor(tally.fetch(this->res_), 1);
    add();
    const tally_of_words taken = tally.take(this->res_);
    expect_factor(taken, 2);
    tally.clear(this->res_);
    expect_factor(tally.fetch(this->res_), 0);
    tally.put(this->res_, taken);
    add();
    expect_factor(tally.take(this->res_), 3);
  }
  tally.put(this->res_, {});
  add();
  tally.clear(this->res_);  // nobody has taken it since
  expect_factor(tally.fetch(this->res_), 0);
}

TYPED_TEST_P(ordering, objects_of_any_size_come_back) {
  const std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto uploaded = upload(this->res_, bytes);
  EXPECT_EQ(read_back(this->res_, uploaded.data() + 3), 4);
  using seven = std::array<std::uint8_t, 7>;
  EXPECT_EQ(read_back(this->res_, reinterpret_cast<const seven*>(uploaded.data() + 1)), (seven{2, 3, 4, 5, 6, 7, 8}));
  using four = std::array<std::uint8_t, 4>;
  EXPECT_EQ(read_back(this->res_, reinterpret_cast<const four*>(uploaded.data() + 1)), (four{2, 3, 4, 5}));
  std::vector<std::array<std::uint32_t, 2000>> large(1);
  for (std::uint32_t& word : large[0]) word = static_cast<std::uint32_t>(this->random_());
  EXPECT_EQ(read_back(this->res_, upload(this->res_, large).data()), large[0]);
}

TYPED_TEST_P(ordering, the_host_may_do_something_while_it_waits) {
  const int once_if_it_waits = std::is_same_v<TypeParam, cpu> ? 0 : 1;
  mirrored<TypeParam, std::uint32_t> word(this->res_);
  for (std::uint32_t i = 1; i < 20; ++i) {
    word.put(this->res_, i);
    int calls = 0;
    EXPECT_EQ(word.take(this->res_, [&] { ++calls; }), i);
    EXPECT_EQ(calls, once_if_it_waits);
  }
}

TYPED_TEST_P(ordering, independent_loops_see_all_before_them_and_are_done_before_the_next) {
  constexpr std::size_t size = write_doubled::size;
  const std::vector<std::uint64_t> start(size, 1);
  std::array<buffer<TypeParam, std::uint64_t>, 4> arrays;
  for (auto& array : arrays) array = buffer<TypeParam, std::uint64_t>(this->res_, size);
  copy(this->res_, arrays[0].data(), start.data(), size);
  const auto count = upload(this->res_, std::vector<std::uint32_t>{static_cast<std::uint32_t>(size)});
  constexpr int rounds = repetitions(20);
  for (int round = 0; round < rounds; ++round) {
    const auto double_into = [&](int k) { return write_doubled{arrays[0].data(), arrays[k].data()}; };
    const independent_loops<TypeParam> loops(this->res_);
    for_each_counted<1>(loops.res(), count.data(), 0, double_into(1));  // a loop of no calls is none
    for (const int k : {1, 2, 3}) for_each_counted<1>(loops.res(), count.data(), size, double_into(k));
    for_each_tile<1>(this->res_, size, add_up_arrays{arrays[2].data(), arrays[3].data(), arrays[0].data()});
  }
  const std::uint64_t expected = std::uint64_t{1} << (2 * rounds);
  EXPECT_EQ(download(this->res_, arrays[0]), std::vector<std::uint64_t>(size, expected));
}

TYPED_TEST_P(ordering, work_aside_sees_all_before_it_and_is_done_once_it_rejoins) {
  constexpr std::size_t size = write_doubled::size;
  std::array<buffer<TypeParam, std::uint64_t>, 3> arrays;
  for (auto& array : arrays) array = buffer<TypeParam, std::uint64_t>(this->res_, size);
  copy(this->res_, arrays[0].data(), std::vector<std::uint64_t>(size, 1).data(), size);
  constexpr int rounds = repetitions(20);
  const auto doubled = [&](int from, int to) { return write_doubled{arrays[from].data(), arrays[to].data()}; };
  for (int round = 0; round < rounds; ++round) {
    for_each_tile<1>(this->res_, size, doubled(0, 1));
    work_aside<TypeParam> aside(this->res_);
    for_each_tile<1>(aside.res(), size, doubled(1, 2));
    if (round % 3 == 0) {
      EXPECT_EQ(read_back(aside.res(), arrays[2].data()), std::uint64_t{4} << (2 * round));
    }
    aside.rejoin();
    copy(this->res_, arrays[0].data(), arrays[2].data(), size);
  }
  const std::uint64_t expected = std::uint64_t{1} << (2 * rounds);
  EXPECT_EQ(download(this->res_, arrays[0]), std::vector<std::uint64_t>(size, expected));
}

REGISTER_TYPED_TEST_SUITE_P(ordering, objects_come_back_and_are_zero_once_they_are_taken, objects_of_any_size_come_back,
                            the_host_may_do_something_while_it_waits,
                            independent_loops_see_all_before_them_and_are_done_before_the_next,
                            work_aside_sees_all_before_it_and_is_done_once_it_rejoins);

}  // namespace mangrove::test
