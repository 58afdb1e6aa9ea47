#include <cmath>

#include "bs_tree_support.hpp"

namespace mangrove::test {

namespace {
using map = bs_tree<std::uint64_t, std::uint64_t>;
}

TEST(bs_tree_errors, bad_options_are_refused) {
  const cpu_resources res(1);
  for (const double fill : {0.0, 0.49, 1.01, std::nan("")}) EXPECT_THROW(map(res, {.fill = fill}), usage_error) << fill;
}

TEST(bs_tree_errors, a_load_of_unsorted_keys_changes_nothing) {
  map tree(cpu_resources(1));
  tree.insert(5, 50);
  for (const std::vector<std::uint64_t>& keys : {std::vector<std::uint64_t>{1, 3, 2}, {1, 1}, {2, 1}}) {
    EXPECT_THROW(tree.bulk_load(keys, keys), usage_error);
  }
  EXPECT_THROW(tree.bulk_load(std::vector<std::uint64_t>{1, 2}), usage_error) << "no values";
  EXPECT_EQ(tree.size(), 1U);
  EXPECT_EQ(tree.find(5), 50U);
}

TEST(bs_tree_errors, arrays_of_unequal_length_are_refused) {
  const cpu_resources res(1);
  map tree(res);
  std::vector<std::uint64_t> two(2);
  std::vector<std::uint64_t> three(3);
  std::vector<std::uint8_t> flags(3);
  EXPECT_THROW(tree.insert(res, three, two), usage_error);
  EXPECT_THROW(tree.insert(res, two, two, flags), usage_error);
  EXPECT_THROW(tree.find(res, two, three, std::span(flags).first(2)), usage_error);
  EXPECT_THROW(tree.find(res, two, two, flags), usage_error);
  EXPECT_THROW(tree.erase(res, two, flags), usage_error);
  EXPECT_THROW(tree.range(0, 9, three, two), usage_error);
  EXPECT_TRUE(tree.empty());
}

TEST(bs_tree_errors, nan_is_refused_and_the_zeros_are_one_key) {
  const cpu_resources res(1);
  bs_tree<double> tree(res);
  EXPECT_THROW(tree.insert(std::nan("")), usage_error);
  EXPECT_THROW(static_cast<void>(tree.contains(std::nan(""))), usage_error);
  EXPECT_THROW(tree.insert(res, std::vector<double>{1, 2, std::nan("")}), usage_error);
  EXPECT_THROW(tree.bulk_load(std::vector<double>{1, std::nan("")}), usage_error);
  EXPECT_TRUE(tree.empty());
  EXPECT_TRUE(tree.insert(-0.0));
  EXPECT_FALSE(tree.insert(0.0));
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double key : {infinity, -infinity, std::numeric_limits<double>::denorm_min(), -1.5}) {
    EXPECT_TRUE(tree.insert(key));
  }
  std::vector<double> keys(5);
  EXPECT_EQ(tree.retrieve_all(keys), 5U);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(keys.front(), -infinity);
  EXPECT_FALSE(std::signbit(keys[2]));
}

TEST(bs_tree_errors, the_data_choose_the_leaves) {
  const cpu_resources res(1);
  bs_tree<std::uint64_t> tree(res, {.leaves = bs_leaves::by_data});
  EXPECT_FALSE(tree.compressed());
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 50000; ++i) keys.push_back(i * 100);
  tree.bulk_load(keys);
  EXPECT_TRUE(tree.compressed());
  EXPECT_EQ(tree.check(), "");
  const bs_tree_statistics statistics = tree.statistics();
  EXPECT_EQ(statistics.leaves_16, statistics.leaves);
  EXPECT_LT(statistics.node_bytes, 6 * keys.size());
  for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = i << 40;
  tree.bulk_load(keys);
  EXPECT_FALSE(tree.compressed());
  EXPECT_EQ(tree.check(), "");
  EXPECT_EQ(tree.size(), keys.size());
}

template <class Tree>
void refuse_memory() {
  const auto memory = std::make_shared<limited_memory>(default_host_memory());
  const cpu_resources res(1, memory);
  {
    Tree tree(res);
    seeded_random random;
    std::map<std::uint64_t, std::uint64_t> oracle;
    int refusals = 0;
    for (int i = 0; i < 60000; ++i) {
      const std::uint64_t key = random() >> random.below(64);
      const bool is_new = oracle.emplace(key, key + 1).second;
      memory->refuse_after(0);
      try {
        ASSERT_EQ(tree.insert(key, key + 1), is_new);
      } catch (const memory_error&) {
        ++refusals;
        ASSERT_EQ(tree.size(), oracle.size() - 1);
        ASSERT_EQ(tree.find(key), std::nullopt);
        memory->refuse_after(limited_memory::unlimited);
        ASSERT_TRUE(tree.insert(key, key + 1));
      }
      memory->refuse_after(limited_memory::unlimited);
    }
    EXPECT_GT(refusals, 0);
    ASSERT_EQ(tree.check(), "");
    ASSERT_EQ(tree.size(), oracle.size());
    for (const auto& [key, value] : oracle) ASSERT_EQ(tree.find(key), value);
    std::vector<std::uint64_t> keys(200000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i << 20;
    refuse_every_request(
        *memory, [&] { tree.bulk_load(keys, keys); }, [&] { EXPECT_EQ(tree.size(), oracle.size()); });
    EXPECT_EQ(tree.size(), keys.size());
    EXPECT_LE(tree.bytes(), memory->bytes_in_use());
  }
  EXPECT_EQ(memory->bytes_in_use(), 0U);
}

TEST(bs_tree_errors, refused_memory_changes_nothing) {
  refuse_memory<map>();
}
TEST(bs_tree_errors, refused_memory_changes_nothing_in_compressed_trees) {
  refuse_memory<cbs_tree<std::uint64_t, std::uint64_t>>();
}

}  // namespace mangrove::test
