#pragma once

#include <cstddef>
#include <cstdint>

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
    const std::uint32_t u = updates.batch.sources[i];
    const std::uint32_t v = updates.batch.targets[i];
    const bool counts = admit_edge(i, u, v);
    const auto at = static_cast<std::uint32_t>(i);
    if (updates.direction == edge_direction::directed) {
      chain(counts, u, at);
    } else {
      chain(counts, u, 2 * at);
      chain(counts && u != v, v, 2 * at + 1);
    }
    if (counts) note_ends(i, u, v);  // last: it waits for memory, and nothing waits for it
  }

 private:
  MANGROVE_HOST_DEVICE void chain(bool counts, std::uint32_t source, std::uint32_t at) const {
    next[at] = counts ? exchange(heads + source, at + 1) : not_chained;
  }
};

}  // namespace mangrove::detail
