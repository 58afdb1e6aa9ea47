#pragma once

#include <cstdint>

#include "bin_format.hpp"
#include "gather_runs.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Calls `f(key)` for all keys of a bin, in memory, the lanes sharing them. Lanes read a few before they work on any.
template <class Tile, class F>
MANGROVE_HOST_DEVICE void for_each_key(const Tile& tile, const std::uint64_t* keys, std::uint32_t size, F f) {
  constexpr int together = 4;
  for (std::uint32_t base = tile.lane(); base < size; base += together * Tile::lanes) {
    std::uint64_t own[together];
    unrolled<together>([&](int k) {
      const std::uint32_t at = base + k * Tile::lanes;
      own[k] = at < size ? load_once(keys + at) : 0;
    });
    unrolled<together>([&](int k) {
      if (base + k * Tile::lanes < size) f(own[k]);
    });
  }
}

/// Keeps the largest key of each edge of a vertex of a bin, which is of its last update. @return how many edges, or one
/// more than a run has
[[nodiscard]] MANGROVE_HOST_DEVICE inline std::uint32_t keep_last(const bin_format& format, std::uint64_t* keys,
                                                                  std::uint32_t size) {
  std::uint32_t count = 0;
  target_filter seen;
  for (std::uint32_t k = 0; k < size && count <= vertex_run::max_updates; ++k) {
    const std::uint64_t key = keys[k];
    std::uint32_t at = seen.add(format.target(key)) ? 0 : count;
    while (at < count && !format.same_edge(keys[at], key)) ++at;
    if (at == count || keys[at] < key) keys[at] = key;
    if (at == count) ++count;
  }
  return count;
}

}  // namespace mangrove::detail
