#include "bulk_suite.hpp"
#include "support/sanitizers.hpp"

namespace mangrove::test {

template <int Threads>
struct cpu_threads {
  static cpu_resources make() { return cpu_resources(Threads); }
};

using thread_counts = types_to_test<types_kept(2, 3), cpu_threads<2>, cpu_threads<7>, cpu_threads<1>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu, bulk, thread_counts);

/// Keys in random order, those of which are alike in the upper bits ascending in the lower ones.
std::vector<std::uint64_t> stable_keys(std::size_t count, int bits) {
  seeded_random random;
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = random.below(std::uint64_t{1} << bits) << 20 | i;
  return keys;
}

TEST(bulk_sort, works_in_memory_that_is_given) {
  const cpu_resources res(2);
  for (const std::size_t count : {0, 1, 1000, 100'000}) {
    for (const int bits : {9, 20, 40}) {
      std::vector<std::uint64_t> keys = stable_keys(count, bits);
      std::vector<std::uint64_t> sorted = keys;
      std::vector<std::uint64_t> spare(count);
      sort(res, sorted.data(), spare.data(), count, 20, 20 + bits);
      std::sort(keys.begin(), keys.end());
      ASSERT_EQ(sorted, keys) << count << " keys, " << bits << " bits";
    }
  }
}

/// More threads than there are buckets for eight each.
TEST(bulk_sort, is_shared_by_many_threads) {
  const cpu_resources res(40);
  for (const int bits : {2, 40}) {
    std::vector<std::uint64_t> keys = stable_keys(100'000, bits);
    std::vector<std::uint64_t> sorted = keys;
    sort(res, sorted.data(), sorted.size());
    std::sort(keys.begin(), keys.end());
    ASSERT_EQ(sorted, keys) << bits << " bits";
  }
}

}  // namespace mangrove::test
