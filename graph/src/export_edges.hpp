#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/graph/csr.hpp"
#include "mangrove/graph/detail/adjacency_view.hpp"

/// @file
/// All edges of a graph in sorted order.

namespace mangrove::detail {

/// Body: reads the degree of a vertex.
struct read_degree {
  const vertex_entry* entries;
  std::uint64_t* degrees;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t u) const {
    degrees[u] = entries[u].degree;
  }
};

/// Body: writes the edges of a vertex to its stretch, as sort keys.
template <class Bits>
struct list_edges {
  adjacency_view<Bits> graph;
  const std::uint64_t* offsets;
  std::uint32_t* cursors;  ///< edges of each vertex that have been written
  std::uint32_t index_bits;
  std::uint64_t* keys;
  Bits* weights;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t u) const {
    graph.for_each_neighbor(tile, static_cast<std::uint32_t>(u), [&](std::uint32_t v, const Bits* weight) {
      const std::uint64_t at = offsets[u] + fetch_add(cursors + u, 1U);
      keys[at] = static_cast<std::uint64_t>(u) << index_bits | v;
      if constexpr (!is_none<Bits>) weights[at] = *weight;
    });
  }
};

/// Body: splits sort keys into sources and targets, either of which may be null.
struct split_keys {
  const std::uint64_t* keys;
  std::uint32_t index_bits;
  std::uint32_t* sources;
  std::uint32_t* targets;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (sources != nullptr) sources[i] = static_cast<std::uint32_t>(keys[i] >> index_bits);
    targets[i] = static_cast<std::uint32_t>(keys[i] & ((std::uint64_t{1} << index_bits) - 1));
  }
};

/// Body: numbers elements.
struct number {
  std::uint32_t* numbers;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    numbers[i] = static_cast<std::uint32_t>(i);
  }
};

/// Body: `to[i] = from[order[i]]`.
template <class T>
struct permute {
  const std::uint32_t* order;
  const T* from;
  T* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    to[i] = from[order[i]];
  }
};

/// All edges, ascending, with where each vertex's start.
template <backend B, class Bits>
struct sorted_edges {
  buffer<B, std::uint64_t> offsets;
  buffer<B, std::uint64_t> keys;
  buffer<B, Bits> weights;
  std::uint32_t index_bits;
};

template <backend B, class Bits>
void sort_with_weights(const resources<B>& res, sorted_edges<B, Bits>& edges) {
  const std::size_t count = edges.keys.size();
  const int bits = static_cast<int>(2 * edges.index_bits);
  if constexpr (is_none<Bits>) {
    sort(res, edges.keys.data(), count, 0, bits);
  } else {
    buffer<B, std::uint32_t> order(res, count);
    for_each_tile<1>(res, count, number{order.data()});
    sort_pairs(res, edges.keys.data(), order.data(), count, bits);
    buffer<B, Bits> sorted(res, count);
    for_each_tile<1>(res, count, permute<Bits>{order.data(), edges.weights.data(), sorted.data()});
    edges.weights = std::move(sorted);
  }
}

template <backend B, class Bits>
sorted_edges<B, Bits> sort_edges(const resources<B>& res, const adjacency_view<Bits>& graph, std::uint64_t count,
                                 std::uint32_t index_count) {
  sorted_edges<B, Bits> edges;
  edges.index_bits = std::max<std::uint32_t>(1, std::bit_width(index_count));
  buffer<B, std::uint64_t> degrees(res, index_count);
  fill_bytes(res, degrees.data(), 0, index_count);
  for_each_tile<1>(res, graph.entry_count, read_degree{graph.entries, degrees.data()});
  edges.offsets = buffer<B, std::uint64_t>(res, index_count + std::size_t{1});
  exclusive_scan(res, degrees.data(), edges.offsets.data(), index_count);
  edges.keys = buffer<B, std::uint64_t>(res, count);
  if constexpr (!is_none<Bits>) edges.weights = buffer<B, Bits>(res, count);
  buffer<B, std::uint32_t> cursors(res, index_count);
  fill_bytes(res, cursors.data(), 0, index_count);
  for_each_tile<8>(res, graph.entry_count,
                   list_edges<Bits>{graph, edges.offsets.data(), cursors.data(), edges.index_bits, edges.keys.data(),
                                    edges.weights.data()});
  sort_with_weights<B, Bits>(res, edges);
  return edges;
}

}  // namespace mangrove::detail
