#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>

#include "array_neighbors.hpp"
#include "lane_neighbors.hpp"
#include "mangrove/core/bits.hpp"
#include "support/random.hpp"

namespace mangrove::test {

namespace {

using detail::array_neighbors;
using detail::entry_layout;
using detail::entry_neighbors;
using detail::lane_neighbors;
using detail::neighbor_array;

/// What a vertex's neighbours must be, and the memory that they are in.
template <class Bits>
struct kept_neighbors {
  static constexpr std::uint32_t most = entry_layout<Bits>::table::slots;

  alignas(32) std::uint32_t keys[most + 8] = {};
  alignas(32) Bits weights[most + 8] = {};
  std::map<std::uint32_t, Bits> expected;

  [[nodiscard]] neighbor_array<Bits> memory() { return {keys, weights}; }

  /// What is beyond the last neighbour may be anything.
  void scribble(seeded_random& random) {
    for (std::size_t k = expected.size(); k < most; ++k) keys[k] = static_cast<std::uint32_t>(random.below(1000));
  }

  void expect_equal() {
    std::size_t k = 0;
    for (const auto& [v, weight] : expected) {
      ASSERT_EQ(keys[k], v) << "number " << k << " of " << expected.size();
      if constexpr (!is_none<Bits>) {
        ASSERT_EQ(weights[k], weight);
      }
      ++k;
    }
  }

  /// Puts a random neighbour in, or takes one out: half of the time one that is there.
  /// @return the number below which none has changed
  template <class Neighbors>
  std::uint32_t change(Neighbors& held, seeded_random& random, std::uint32_t capacity) {
    std::uint32_t v = static_cast<std::uint32_t>(random.below(1000));
    if (random() % 2 == 0 && !expected.empty()) {
      v = std::next(expected.begin(), static_cast<std::ptrdiff_t>(random.below(expected.size())))->first;
    }
    const auto below = static_cast<std::uint32_t>(std::distance(expected.begin(), expected.lower_bound(v)));
    const bool there = expected.count(v) != 0;
    const bool puts = there ? random() % 4 == 0 : expected.size() < capacity && random() % 4 != 0;
    Bits weight{};
    if constexpr (!is_none<Bits>) weight = static_cast<Bits>(random());
    const auto at = puts ? held.put(v, weight) : held.erase(v);
    EXPECT_EQ(at.present, there) << v;
    if (puts || there) {
      EXPECT_LE(at.from, below) << v;
    }
    if (puts) {
      expected[v] = weight;
    } else {
      expected.erase(v);
    }
    EXPECT_EQ(held.size(), expected.size());
    return at.from;
  }
};

template <class Bits>
class held_neighbors : public testing::Test {
 protected:
  static constexpr int rounds = 4000;
  static constexpr std::uint32_t inline_capacity = entry_layout<Bits>::inline_capacity;

  /// Loads an entry's neighbours, changes them a few times and writes them back, again and again.
  template <class Neighbors>
  void check_in_entry() {
    for (int i = 0; i < rounds && !this->HasFailure(); ++i) {
      Neighbors held;
      kept_.scribble(random_);
      held.load(kept_.memory(), static_cast<std::uint32_t>(kept_.expected.size()));
      for (int k = 0; k < i % 4; ++k) kept_.change(held, random_, inline_capacity);
      held.store(kept_.memory());
      kept_.expect_equal();
    }
  }

  seeded_random random_;
  kept_neighbors<Bits> kept_;
};

using weights = testing::Types<none, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(held_neighbors, weights);

}  // namespace

TYPED_TEST(held_neighbors, of_a_lane_become_what_its_updates_say) {
  for (int i = 0; i < this->rounds && !this->HasFailure(); ++i) {
    lane_neighbors<TypeParam> held;
    this->kept_.scribble(this->random_);
    held.load_extent(this->kept_.memory(), static_cast<std::uint32_t>(this->kept_.expected.size()));
    std::uint32_t from = ~std::uint32_t{0};
    for (int k = 0; k < i % 4; ++k) {
      from = std::min(from, this->kept_.change(held, this->random_, kept_neighbors<TypeParam>::most));
    }
    held.store_extent(this->kept_.memory(), from);  // what is below is there
    this->kept_.expect_equal();
  }
}

TYPED_TEST(held_neighbors, of_a_lane_lose_those_that_are_named) {
  for (int i = 0; i < this->rounds && !this->HasFailure(); ++i) {
    lane_neighbors<TypeParam> held;
    auto& expected = this->kept_.expected;
    this->kept_.scribble(this->random_);
    held.load_extent(this->kept_.memory(), static_cast<std::uint32_t>(expected.size()));
    for (int k = 0; k < 8; ++k) this->kept_.change(held, this->random_, kept_neighbors<TypeParam>::most);
    const auto modulus = static_cast<std::uint32_t>(1 + this->random_.below(4));
    const std::uint32_t gone = held.match([&](std::uint32_t v) { return v % modulus == 0; });
    held.erase_all(gone);
    EXPECT_EQ(std::erase_if(expected, [&](const auto& edge) { return edge.first % modulus == 0; }), count_bits(gone));
    ASSERT_EQ(held.size(), expected.size());
    if (!expected.empty()) held.store_extent(this->kept_.memory(), 0);
    this->kept_.expect_equal();
  }
}

TYPED_TEST(held_neighbors, of_a_lane_come_from_an_entry_and_become_one) {
  constexpr std::uint32_t capacity = entry_layout<TypeParam>::inline_capacity;
  detail::vertex_entry entry{};
  for (int i = 0; i < this->rounds && !this->HasFailure(); ++i) {
    lane_neighbors<TypeParam> held;
    held.load(entry);
    this->kept_.change(held, this->random_, capacity);
    entry = held.to_entry();
    ASSERT_EQ(entry.degree, this->kept_.expected.size());
    const auto from = neighbor_array<TypeParam>::inlined(&entry);
    std::copy_n(from.keys, entry.degree, this->kept_.keys);
    if constexpr (!is_none<TypeParam>) std::memcpy(this->kept_.weights, from.weights, entry.degree * sizeof(TypeParam));
    this->kept_.expect_equal();
    for (std::uint32_t k = entry.degree; is_none<TypeParam> && k < capacity; ++k) EXPECT_EQ(entry.words[k], 0U);
  }
}

TYPED_TEST(held_neighbors, of_a_thread_become_what_its_updates_say) {
  for (int i = 0; i < this->rounds && !this->HasFailure(); ++i) {
    array_neighbors<TypeParam> held;
    this->kept_.scribble(this->random_);
    held.load(this->kept_.memory(), static_cast<std::uint32_t>(this->kept_.expected.size()));
    for (int k = 0; k < i % 4; ++k) this->kept_.change(held, this->random_, kept_neighbors<TypeParam>::most);
    this->kept_.expect_equal();
  }
}

TYPED_TEST(held_neighbors, of_an_entry_become_what_its_updates_say_by_a_lane) {
  this->template check_in_entry<lane_neighbors<TypeParam, entry_layout<TypeParam>::inline_capacity>>();
}

TYPED_TEST(held_neighbors, of_an_entry_become_what_its_updates_say_by_a_thread) {
  this->template check_in_entry<entry_neighbors<TypeParam>>();
}

TEST(few_keys, are_written_with_another_one_where_there_is_no_room) {
  constexpr std::uint32_t slots = entry_layout<none>::inline_capacity;
  for (std::uint32_t key = 0; key < 2 * slots + 2; key += 2) {
    std::uint32_t keys[slots + 1];
    for (std::uint32_t k = 0; k < slots; ++k) keys[k] = 2 * k + 1;
    detail::few_keys<slots> held;
    held.load(keys, slots);
    held.store_with(key, keys);
    for (std::uint32_t k = 0; k <= slots; ++k) {
      const std::uint32_t below = key / 2;
      EXPECT_EQ(keys[k], k < below ? 2 * k + 1 : k == below ? key : 2 * k - 1) << "with " << key;
    }
  }
}

}  // namespace mangrove::test
