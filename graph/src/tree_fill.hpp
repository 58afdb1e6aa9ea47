#pragma once

#include <cstddef>
#include <cstdint>

#include "layout_choice.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"
#include "vertex_plan.hpp"

/// @file
/// Making B-trees of sorted rows, and directories complete: what batches and the bulk build share.

namespace mangrove::detail {

/// Size class of a leaf.
inline constexpr std::uint32_t leaf_class = size_class_of(granules_per_slab);

/// Offsets from counts: entry i is the sum of the counts before i, the last one the total.
template <backend B, class Count>
buffer<B, Count> offsets_of(const resources<B>& res, const buffer<B, Count>& counts) {
  buffer<B, Count> offsets(res, counts.size() + 1);
  exclusive_scan(res, counts.data(), offsets.data(), counts.size());
  return offsets;
}

/// The trees that a batch makes or whose directories it makes anew, by number: their entries, with the extents of the
/// directories in them.
struct numbered_trees {
  std::byte* pool;
  const vertex_entry* entries;
  const std::uint64_t* offsets;  ///< of the parts that bodies are called for
  std::size_t count;

  struct part {
    std::uint32_t tree;
    std::uint32_t number;  ///< within the tree
  };
  [[nodiscard]] MANGROVE_HOST_DEVICE part of(std::size_t i) const {
    const std::size_t tree = row_of(offsets, count, std::uint64_t{i});
    return {static_cast<std::uint32_t>(tree), static_cast<std::uint32_t>(i - offsets[tree])};
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE tree_directory directory(std::uint32_t tree) const {
    const vertex_entry& entry = entries[tree];
    return {reinterpret_cast<std::uint32_t*>(pool + static_cast<std::size_t>(entry.extent()) * granule_bytes),
            entry.leaves()};
  }
};

/// Edges whose targets and weights are in arrays of their own.
template <class Bits>
struct parallel_edges {
  const std::uint32_t* targets;
  const Bits* weights;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::size_t at) const { return targets[at]; }
  [[nodiscard]] MANGROVE_HOST_DEVICE Bits weight(std::size_t at) const { return weights[at]; }
};

/// Body: makes one leaf of a sorted row, and notes it in the directory. Parts are leaves.
/// @tparam Edges tells `target(at)` and `weight(at)` of all rows' edges
template <class Bits, class Edges>
struct deal_leaf {
  using leaves = tree_leaves<Bits>;

  numbered_trees trees;
  pool_ref pool;
  std::uint32_t first_request;     ///< numbers of the leaves' requests to the pool are from here on
  const std::uint64_t* row_begin;  ///< by tree
  Edges edges;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto [tree, number] = trees.of(i);
    const vertex_entry entry = trees.entries[tree];
    const std::uint64_t first = std::uint64_t{entry.degree} * number / entry.leaves();
    const std::uint64_t last = std::uint64_t{entry.degree} * (number + std::uint64_t{1}) / entry.leaves();
    const std::uint64_t from = row_begin[tree] + first;
    const slab_index slab = pool.take(leaf_class, first_request + static_cast<std::uint32_t>(i));
    const auto to = leaves::in_slab(trees.pool, slab);
    tile.strided(leaves::slots, [&](std::size_t k) {
      to.keys[k] = first + k < last ? edges.target(from + k) : leaves::empty;
      if constexpr (!is_none<Bits>) {
        if (first + k < last) to.weights[k] = edges.weight(from + k);
      }
    });
    if (tile.lane() != 0) return;
    const tree_directory directory = trees.directory(tree);
    directory.slabs()[number] = slab;
    directory.bounds()[number] = edges.target(row_begin[tree] + last - 1);
  }
};

/// Body: completes a chunk of a directory whose leaves have been noted. Parts are chunks.
struct index_directory {
  numbered_trees trees;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto [tree, number] = trees.of(i);
    trees.directory(tree).index(tile, number);
  }
};

}  // namespace mangrove::detail
