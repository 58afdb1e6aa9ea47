#pragma once

#include <cstddef>
#include <cstdint>

#include "tree_merge.hpp"

/// @file
/// Commit's work on the directories of trees that stay, once their leaves are changed, and on the dictionary.

namespace mangrove::detail {

/// Body: copies a chunk of an old directory, but for the leaves that do not stay, to where it belongs in the new one.
template <class Bits>
struct copy_directory : leaf_changes<Bits> {
  numbered_trees from;  ///< parts are chunks of old directories

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto part = from.of(i);
    const changed_tree tree = this->trees[part.tree];
    const vertex_plan& plan = this->plans[tree.plan];
    const tree_directory old = this->graph.tree_of(plan.old).directory();
    const tree_directory next = this->graph.tree_of(plan.next).directory();
    const std::uint32_t first = part.number * tree_directory::fan_out;
    const std::uint32_t left = old.leaves() - first;
    tile.strided(left < tree_directory::fan_out ? left : tree_directory::fan_out, [&](std::size_t k) {
      const std::uint32_t leaf = first + static_cast<std::uint32_t>(k);
      const std::uint32_t run = run_at(tree, leaf);
      if (run != tree.last_run && this->runs[run].leaf == leaf && !this->runs[run].stays()) return;
      const std::uint32_t place = leaf + this->growth_before(tree, run);
      next.slabs()[place] = old.slabs()[leaf];
      next.bounds()[place] = old.bounds()[leaf];
    });
  }

 private:
  /// The first run of a tree for a leaf or one behind it, the last_run if there is none.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t run_at(const changed_tree& tree, std::uint32_t leaf) const {
    std::uint32_t low = tree.first_run;
    std::uint32_t high = tree.last_run;
    while (low < high) {
      const std::uint32_t middle = low + (high - low) / 2;
      if (this->runs[middle].leaf < leaf) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Body: notes the entry of a tree, with its new directory if it has one.
struct settle_tree {
  const vertex_plan* plans;
  const changed_tree* trees;
  vertex_entry* entries;  ///< by tree

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    entries[i] = plans[trees[i].plan].next;
  }
};

/// Body: the dictionary gets the entries of vertices that have a tree.
template <class Bits>
struct publish_trees {
  const vertex_plan* plans;
  vertex_entry* entries;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (entry_layout<Bits>::kind(plans[i].next) == adjacency_kind::tree) entries[plans[i].vertex] = plans[i].next;
  }
};

/// Body: gives the slab of a leaf that does not stay back to the pool, one for each run.
template <class Bits>
struct give_leaf : leaf_changes<Bits> {
  pool_ref pool;
  std::uint32_t first_gift;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const leaf_run run = this->runs[i];
    if (run.stays()) return;
    const slab_index slab = this->graph.tree_of(this->plans[run.plan].old).directory().slabs()[run.leaf];
    pool.give(leaf_class, first_gift + leaf_counts{this->counts_before[i]}.given(), slab);
  }
};

}  // namespace mangrove::detail
