#pragma once

#include "hub_list.hpp"
#include "mangrove/core/load_row.hpp"
#include "run_keys.hpp"
#include "update_admission.hpp"

/// @file
/// The way of batches with skew that bins do not suit, and on the CPU of most, from updates to runs: sort keys by
/// source, then gather runs of neighbouring keys; `gather_sorted.hpp` does that on CUDA, `gather_stretch.hpp` on the
/// CPU.

namespace mangrove::detail {

/// Body: turns update i, in both directions if it is undirected, into sort keys.
struct key_updates : update_admission {
  run_keys format;
  std::uint64_t* keys;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t u = load_once(updates.batch.sources + i);
    const std::uint32_t v = load_once(updates.batch.targets + i);
    put(i, u, v, admit(i, u, v));
  }

 protected:
  /// Writes the keys of update i, of (u, v). @param counts whether it may change an edge
  MANGROVE_HOST_DEVICE void put(std::size_t i, std::uint32_t u, std::uint32_t v, bool counts) const {
    const auto at = static_cast<std::uint32_t>(i);
    if (updates.direction == edge_direction::directed) {
      keys[i] = counts ? format.key(u, v, at, at) : format.dropped;
    } else {
      const std::uint64_t both[2] = {counts ? format.key(u, v, at, 2 * at) : format.dropped,
                                     counts && u != v ? format.key(v, u, at, 2 * at + 1) : format.dropped};
      store_row(keys + 2 * i, both);
    }
  }
};

/// Sorted keys. Sorting is stable, so of the updates on one edge the last one stands last.
struct sorted_keys {
  run_keys format;
  const std::uint64_t* keys;
  std::size_t count;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::size_t at) const { return format.source(keys[at]); }

  /// Whether key `at` is of a vertex.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_of(std::size_t at, std::uint32_t vertex) const {
    return at < count && format.source(keys[at]) == vertex;  // a dropped key's source is no vertex
  }

  /// One more than the last key of the vertex that key `at` is of. Cost: the logarithm of their number.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t end_of(std::size_t at, std::uint32_t vertex) const {
    std::size_t reach = 64;
    while (is_of(at + reach, vertex)) {
      at += reach;
      reach *= 2;
    }
    for (; reach != 0; reach /= 2) {  // key `at` is of the vertex, the one `reach` further is not
      if (is_of(at + reach / 2, vertex)) at += reach / 2;
    }
    return at + 1;
  }
};

}  // namespace mangrove::detail
