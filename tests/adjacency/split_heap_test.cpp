#include "split_heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mangrove/core/tile.hpp"
#include "support/random.hpp"

namespace mangrove::test {
namespace {

/// Keys that ascend, neighbours sometimes equal.
std::vector<std::uint32_t> ascending_keys(seeded_random& random, std::uint32_t count) {
  std::vector<std::uint32_t> keys(count);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random.below(4 * count));
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// The last key is never below what is looked up, whatever it is.
std::size_t below_but_last(const std::vector<std::uint32_t>& keys, std::uint32_t key) {
  return static_cast<std::size_t>(std::lower_bound(keys.begin(), keys.end() - 1, key) - keys.begin());
}

TEST(split_heap, tells_as_many_keys_below_as_a_search) {
  seeded_random random;
  for (std::uint32_t count = 1; count <= 300; ++count) {
    const std::vector<std::uint32_t> keys = ascending_keys(random, count);
    std::vector<std::uint32_t> heap(detail::split_heap::room(count) + 1, 12345);
    const auto of = detail::split_heap::of(count);
    of.fill(cpu_tile<1>(), heap.data(), count, [&](std::uint32_t i) { return keys.at(i); });
    ASSERT_EQ(heap.back(), 12345U) << "wrote beyond its room for " << count << " keys";
    for (std::uint32_t key = 0; key <= keys.back(); ++key) {
      ASSERT_EQ(of.below(heap.data(), key), below_but_last(keys, key)) << key << " among " << count;
    }
  }
}

TEST(split_heap, has_room_for_any_count_up_to_the_largest) {
  for (const std::uint32_t largest : {1U, 2U, 3U, 1024U, 1344U, 2048U}) {
    for (std::uint32_t count = 1; count <= largest; ++count) {
      ASSERT_LE(std::uint32_t{1} << detail::split_heap::of(count).levels, detail::split_heap::room(largest));
    }
  }
}

}  // namespace
}  // namespace mangrove::test
