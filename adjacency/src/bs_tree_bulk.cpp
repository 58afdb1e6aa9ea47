#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>

#include "mangrove/adjacency/detail/bs_tree_engine.hpp"
#include "mangrove/core/for_each.hpp"

namespace mangrove::detail {

namespace {

/// Operations that one thread takes at a time.
constexpr std::size_t share = 4096;

struct run_share {
  const std::function<void(std::size_t, std::size_t)>& f;
  std::size_t count;

  template <class Tile>
  void operator()(const Tile&, std::size_t i) const {
    f(i * share, std::min(count, (i + 1) * share));
  }
};

}  // namespace

void bs_tree_in_parallel(const cpu_resources& res, std::size_t count,
                         const std::function<void(std::size_t, std::size_t)>& f) {
  for_each_task<1>(res, (count + share - 1) / share, run_share{f, count});
}

template <class Key>
bool bs_tree_compresses(const Key* keys, std::size_t count) {
  // A leaf of 16 slots, three quarters full, and the key that separates it from the next one: as the paper has it.
  // 32-bit keys have twice the slots.
  constexpr std::size_t leaf = 8 / sizeof(Key) * 12 + 1;
  std::size_t leaves = 0;
  std::size_t zeros = 0;
  for (std::size_t first = 0; first < count; first += leaf) {
    const std::size_t last = std::min(first + leaf, count) - 1;
    zeros += static_cast<std::size_t>(std::countl_zero(static_cast<Key>(keys[last] - keys[first])));
    ++leaves;
  }
  return leaves != 0 && zeros >= leaves * std::numeric_limits<Key>::digits / 2;
}

template bool bs_tree_compresses(const std::uint32_t*, std::size_t);
template bool bs_tree_compresses(const std::uint64_t*, std::size_t);

}  // namespace mangrove::detail
