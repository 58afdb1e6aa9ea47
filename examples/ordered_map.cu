// Tiles put keys into an ordered set, on a GPU, and look for neighbours at the same time.
//
// What an algorithm of your own looks like: a lambda over the tree's ref, run by for_each_tile.

#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "mangrove/adjacency/blink_tree.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/for_each.cuh"

using namespace mangrove;

using key_set = blink_tree<mangrove::cuda, std::uint64_t>;

/// Inserts count multiples of 10 and finds for each what comes after 5 less, at most itself once it is there.
/// @return how many were inserted by this, and how many found a key that cannot be
std::vector<std::uint32_t> insert_multiples(const cuda_resources& res, key_set& keys, std::size_t count) {
  buffer<mangrove::cuda, std::uint32_t> counters(res, 2);
  fill_bytes(res, counters.data(), 0, 2);
  for_each_tile<8>(
      res, count,
      [ref = keys.open(res, count), counters = counters.data()] __device__(const auto& tile, std::size_t i) {
        const bool inserted = ref.insert(tile, i * 10) == insert_result::inserted;
        const auto next = ref.successor(tile, i * 10 - (i == 0 ? 0 : 5));
        const bool wrong = i != 0 && (!next || (*next).key != i * 10);
        if (tile.lane() != 0) return;
        if (inserted) atomicAdd(counters, 1U);
        if (wrong) atomicAdd(counters + 1, 1U);
      });
  keys.settle(res);
  return to_host(res, counters.data(), 2);
}

int run() {
  const cuda_resources res;
  key_set keys(res);
  const auto counts = insert_multiples(res, keys, 100000);
  const std::uint64_t low[] = {1000, 999999};
  const std::uint64_t high[] = {2000, ~std::uint64_t{0}};
  const auto lows = make_buffer<mangrove::cuda>(res, low, 2);
  const auto highs = make_buffer<mangrove::cuda>(res, high, 2);
  buffer<mangrove::cuda, std::uint64_t> within(res, 2);
  keys.count(res, lows.data(), highs.data(), 2, within.data());
  const auto found = to_host(res, within.data(), 2);
  std::printf("%u keys inserted, %u surprises; from 1000 to 2000 there are %llu, after 999998 there are %llu\n",
              counts[0], counts[1], static_cast<unsigned long long>(found[0]),
              static_cast<unsigned long long>(found[1]));
  return counts[0] == 100000 && counts[1] == 0 && keys.size() == 100000 && found[0] == 101 && found[1] == 0 ? 0 : 1;
}

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ordered_map: %s\n", error.what());
    return 1;
  }
}
