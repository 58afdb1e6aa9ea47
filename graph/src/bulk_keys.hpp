#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "mangrove/core/none.hpp"
#include "mangrove/core/prefetch.hpp"

/// @file
/// Bodies of the first half of a bulk build: edges become sort keys, and sorted keys rows.

namespace mangrove::detail {

/// Elements that a lane works on, far apart from each other: so many loads are under way together.
inline constexpr std::size_t bulk_lane_edges = 4;

/// How a vertex's row will be kept, and by which launch it is filled.
enum class bulk_bin : std::uint32_t {
  none,    ///< no edges
  tiny,    ///< at most 4 edges, sorted by a lane
  small,   ///< at most 32 edges, sorted by a tile of 8
  table,   ///< a hash table of at most 4 KiB, built in the scratch of a warp
  large,   ///< a hash table of at most 32 KiB, built in the scratch of a block
  larger,  ///< a hash table of at most 192 KiB, built in most of an SM's shared memory
  hub,     ///< a larger one, built in place by many tiles
  tree     ///< a B-tree, whose leaves are dealt out by many tiles
};
inline constexpr std::uint32_t bulk_bins = 8;

/// The edges of one vertex: [begin, end) of the arrays of targets and weights. Repeats are possible.
struct alignas(16) bulk_row {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t request;  ///< number of its request to the pool, within the size class
  bulk_bin bin;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t size() const { return end - begin; }
};

/// Sort keys of a bulk build: the source above, and below it the target, or, where edges have weights, the number of
/// the directed edge, from which target and weight are found. Only the source has to be sorted by, and stably.
struct bulk_key_format {
  std::uint32_t index_bits;
  std::uint32_t low_bits;

  static bulk_key_format make(std::uint32_t index_count, std::size_t directed, bool weighted) {
    const auto index_bits = std::max<std::uint32_t>(1, std::bit_width(index_count));
    return {index_bits, weighted ? static_cast<std::uint32_t>(std::bit_width(directed)) : index_bits};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t key(std::uint32_t source, std::uint32_t low) const {
    return static_cast<std::uint64_t>(source) << low_bits | low;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key >> low_bits);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t low(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << low_bits) - 1));
  }
  /// The source of keys that stand for no edge. It sorts last: no index has all bits set.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t no_source() const { return ~std::uint32_t{0} >> (32 - index_bits); }
};

/// Body: every directed edge of the batch becomes a sort key. Call i takes the updates i, i + stride and so on.
template <class Bits>
struct make_bulk_keys {
  struct alignas(16) key_pair {
    std::uint64_t keys[2];
  };

  indexed_updates updates;
  bulk_key_format format;
  edge_direction direction;
  self_loops loops;
  std::uint32_t index_count;
  std::size_t stride;
  std::uint64_t* keys;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    std::uint32_t u[bulk_lane_edges];
    std::uint32_t v[bulk_lane_edges];
    for (std::size_t k = 0; k < bulk_lane_edges; ++k) {
      const std::size_t at = i + k * stride;
      u[k] = at < updates.size ? updates.sources[at] : 0;
      v[k] = at < updates.size ? updates.targets[at] : 0;
    }
    for (std::size_t k = 0; k < bulk_lane_edges; ++k) {
      if (i + k * stride < updates.size) put(i + k * stride, u[k], v[k]);
    }
  }

  MANGROVE_HOST_DEVICE void put(std::size_t at, std::uint32_t u, std::uint32_t v) const {
    const bool valid = u < index_count && v < index_count && (u != v || loops == self_loops::keep);
    if (direction == edge_direction::directed) {
      keys[at] = key(valid, u, v, at);
    } else {
      reinterpret_cast<key_pair*>(keys)[at] = {{key(valid, u, v, 2 * at), key(valid && u != v, v, u, 2 * at + 1)}};
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t key(bool valid, std::uint32_t source, std::uint32_t target,
                                                       std::size_t number) const {
    const std::uint32_t low = is_none<Bits> ? target : static_cast<std::uint32_t>(number);
    return format.key(valid ? source : format.no_source(), valid ? low : 0);
  }
};

/// Notes where rows begin and end. @param source of edge `at`, `before` of the one in front; `none` ends the last row
MANGROVE_HOST_DEVICE inline void note_row(bulk_row* rows, std::uint32_t source, std::uint32_t before,
                                          std::uint32_t none, std::size_t at, std::size_t count) {
  const auto position = static_cast<std::uint32_t>(at);
  if (source != before) {
    if (before != none) rows[before].end = position;
    if (source != none) rows[source].begin = position;
  }
  if (at + 1 == count && source != none) rows[source].end = position + 1;
}

/// Body: takes sorted keys apart into rows. Call i takes the keys i, i + stride and so on.
template <class Bits>
struct split_bulk_keys {
  static constexpr int prefetch_stages = 1;

  const std::uint64_t* keys;
  std::size_t count;
  std::size_t stride;
  bulk_key_format format;
  indexed_updates updates;
  const Bits* weights_from;  ///< the batch's; null for zeros
  edge_direction direction;
  bulk_row* rows;
  std::uint32_t* targets;
  Bits* weights;

  template <int Stage>
  void prefetch(std::size_t i) const {
    if constexpr (is_none<Bits>) return;
    for (std::size_t at = i; at < count; at += stride) {
      if (format.source(keys[at]) == format.no_source()) continue;
      const std::uint32_t number = format.low(keys[at]);
      mangrove::prefetch(ends(number) + update_of(number));
      if (weights_from != nullptr) mangrove::prefetch(weights_from + update_of(number));
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    std::uint64_t own[bulk_lane_edges];
    std::uint64_t before[bulk_lane_edges];
    const std::uint64_t none = format.key(format.no_source(), 0);
    for (std::size_t k = 0; k < bulk_lane_edges; ++k) {
      const std::size_t at = i + k * stride;
      own[k] = at < count ? keys[at] : none;
      before[k] = at < count && at != 0 ? keys[at - 1] : none;
    }
    for (std::size_t k = 0; k < bulk_lane_edges; ++k) {
      if (i + k * stride < count) split(i + k * stride, own[k], before[k]);
    }
  }

  MANGROVE_HOST_DEVICE void split(std::size_t at, std::uint64_t own, std::uint64_t before) const {
    const std::uint32_t source = format.source(own);
    note_row(rows, source, format.source(before), format.no_source(), at, count);
    if (source == format.no_source()) return;
    if constexpr (is_none<Bits>) {
      targets[at] = format.low(own);
    } else {
      const std::uint32_t number = format.low(own);
      targets[at] = ends(number)[update_of(number)];
      weights[at] = weights_from == nullptr ? Bits{} : weights_from[update_of(number)];
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t update_of(std::uint32_t number) const {
    return direction == edge_direction::directed ? number : number / 2;
  }
  /// Where the target of a directed edge stands: the second direction of an undirected one leads to the source.
  [[nodiscard]] MANGROVE_HOST_DEVICE const std::uint32_t* ends(std::uint32_t number) const {
    return direction == edge_direction::undirected && number % 2 != 0 ? updates.sources : updates.targets;
  }
};

/// Body: takes edges apart into rows that have been sorted by source and target and occur once.
template <class Bits>
struct split_sorted_edges {
  const std::uint64_t* edges;
  const std::uint32_t* sequences;
  std::size_t count;
  const Bits* weights_from;  ///< the batch's; null for zeros
  bulk_row* rows;
  std::uint32_t* targets;
  Bits* weights;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t at) const {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    note_row(rows, key_source(edges[at]), at == 0 ? none : key_source(edges[at - 1]), none, at, count);
    targets[at] = key_target(edges[at]);
    if constexpr (!is_none<Bits>) weights[at] = weights_from == nullptr ? Bits{} : weights_from[sequences[at]];
  }
};

}  // namespace mangrove::detail
