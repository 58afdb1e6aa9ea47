#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/graph/detail/adjacency_view.hpp"
#include "tree_fill.hpp"

/// @file
/// Trees as rows: leaves are ascending, so where each one's keys go follows from how many the leaves before it hold.

namespace mangrove::detail {

/// Body: leaves of a listed vertex, none unless it has a tree.
template <class Bits>
struct count_leaves {
  const vertex_entry* entries;
  const std::uint32_t* vertices;
  std::uint64_t* leaves;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const vertex_entry& entry = entries[vertices[i]];
    leaves[i] = entry_layout<Bits>::kind(entry) == adjacency_kind::tree ? entry.leaves() : 0;
  }
};

/// The leaves of listed vertices, numbered one after the other.
template <class Bits>
struct listed_leaves {
  adjacency_view<Bits> graph;
  const std::uint32_t* vertices;
  const std::uint64_t* leaf_offsets;
  std::size_t count;

  /// Calls `f(u, first, leaf)` for leaf i of them all: of vertex u, whose leaves are those from number `first` on.
  template <class F>
  MANGROVE_HOST_DEVICE void with(std::size_t i, F f) const {
    const std::size_t at = row_of(leaf_offsets, count, std::uint64_t{i});
    const std::uint32_t u = vertices[at];
    const auto number = static_cast<std::uint32_t>(i - leaf_offsets[at]);
    f(u, leaf_offsets[at], graph.tree_of(graph.entries[u]).leaf(number));
  }
};

/// Body: counts the keys of a leaf.
template <class Bits>
struct count_leaf_keys {
  listed_leaves<Bits> leaves;
  std::uint64_t* sizes;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    leaves.with(i, [&](std::uint32_t, std::uint64_t, const neighbor_array<Bits>& leaf) {
      const std::uint32_t size = tree_leaves<Bits>::size(tile, leaf.keys);
      if (tile.lane() == 0) sizes[i] = size;
    });
  }
};

/// Body: copies a leaf to where it belongs. @tparam Rows has `offsets` of rows and `put(at, u, v, weight)`
template <class Bits, class Rows>
struct copy_leaf {
  listed_leaves<Bits> leaves;
  const std::uint64_t* keys_before;  ///< by leaf
  Rows rows;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    leaves.with(i, [&](std::uint32_t u, std::uint64_t first, const neighbor_array<Bits>& leaf) {
      const std::uint64_t to = rows.offsets[u] + keys_before[i] - keys_before[first];
      const auto size = static_cast<std::uint32_t>(keys_before[i + 1] - keys_before[i]);
      tile.strided(size, [&](std::size_t k) { rows.put(to + k, u, leaf.keys[k], leaf.weights + k); });
    });
  }
};

/// Writes the neighbours of those of the listed vertices that have trees to their rows.
/// Waits for the number of leaves. @throws memory_error
template <backend B, class Bits, class Rows>
void export_trees(const resources<B>& res, const adjacency_view<Bits>& graph, const std::uint32_t* vertices,
                  std::size_t count, const Rows& rows) {
  constexpr int width = 8;
  buffer<B, std::uint64_t> leaves(res, count);
  for_each_tile<1>(res, count, count_leaves<Bits>{graph.entries, vertices, leaves.data()});
  const buffer<B, std::uint64_t> leaf_offsets = offsets_of(res, leaves);
  const std::size_t leaf_count = read_back(res, leaf_offsets.data() + count);
  if (leaf_count == 0) return;
  const listed_leaves<Bits> listed{graph, vertices, leaf_offsets.data(), count};
  buffer<B, std::uint64_t> sizes(res, leaf_count);
  for_each_tile<width>(res, leaf_count, count_leaf_keys<Bits>{listed, sizes.data()});
  const buffer<B, std::uint64_t> keys_before = offsets_of(res, sizes);
  for_each_tile<width>(res, leaf_count, copy_leaf<Bits, Rows>{listed, keys_before.data(), rows});
}

}  // namespace mangrove::detail
