#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/load_row.hpp"
#include "mangrove/core/prefetch.hpp"
#include "update_admission.hpp"

namespace mangrove::detail {

/// Body: chains update i, in both directions if it is undirected, to those of the same source.
struct chain_updates : update_admission {
  static constexpr int prefetch_stages = 1;

  std::uint32_t* heads;  ///< by vertex: the last update of its chain; `chain_end` without one
  std::uint32_t* next;   ///< by update: the update before it in its chain

  template <int Stage>
  void prefetch(std::size_t i) const {
    const std::uint32_t u = updates.batch.sources[i];
    if (u < index_count) mangrove::prefetch(heads + u);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    chain(i, [](std::uint32_t, bool, std::uint32_t, std::uint32_t) {});
  }

  /// The same. @param f is called with 0 and 1 for update i's directions, whether the direction began a chain, its
  /// source and its target
  template <class F>
  MANGROVE_HOST_DEVICE void chain(std::size_t i, F f) const {
    const std::uint32_t u = updates.batch.sources[i];
    const std::uint32_t v = updates.batch.targets[i];
    const bool counts = admit_edge(i, u, v);
    const auto at = static_cast<std::uint32_t>(i);
    if (updates.direction == edge_direction::directed) {
      const std::uint32_t before = chain_one(counts, u, at);
      next[at] = before;
      f(0, before == chain_end, u, v);
    } else {
      const std::uint32_t both[2] = {chain_one(counts, u, 2 * at), chain_one(counts && u != v, v, 2 * at + 1)};
      store_row(next + 2 * i, both);
      f(0, both[0] == chain_end, u, v);
      f(1, both[1] == chain_end, v, u);
    }
    if (counts) note_ends(i, u, v);  // last: it waits for memory, and nothing waits for it
  }

 private:
  /// @return the update before it
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t chain_one(bool counts, std::uint32_t source,
                                                             std::uint32_t at) const {
    return counts ? exchange(heads + source, at + 1) : not_chained;
  }
};

}  // namespace mangrove::detail
