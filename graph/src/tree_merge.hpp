#pragma once

#include <cstddef>
#include <cstdint>

#include "tree_plan.hpp"

/// @file
/// Commit's work on the leaves of trees that stay: each is merged with its changes.

namespace mangrove::detail {

/// The leaf runs of a batch and what they are planned to become.
template <class Bits>
struct leaf_changes {
  adjacency_view<Bits> graph;
  const vertex_plan* plans;
  vertex_changes<Bits> changes;  ///< of all vertices
  const std::uint64_t* changes_before;
  const leaf_run* runs;
  const std::uint64_t* counts_before;
  std::size_t run_count;
  const changed_tree* trees;

  /// The changes of a run.
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_changes<Bits> of(const leaf_run& run) const {
    return {changes.edges, changes.actions, changes.weights, run.first, run.last};
  }
  /// By how many leaves its tree grows in front of a run; modulo 2^32 where it shrinks.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t growth_before(const changed_tree& tree, std::size_t run) const {
    return leaf_counts{counts_before[run] - counts_before[tree.first_run]}.growth();
  }
};

/// Merges the keys of a leaf with the changes of its run. Every key finds its own place: how many there will be below
/// it follows from the counts of inserts and erases in front of each change.
template <class Bits>
struct leaf_merge {
  neighbor_array<Bits> from;
  std::uint32_t size;
  vertex_changes<Bits> changes;
  const std::uint64_t* changes_before;

  /// Writes those of the merged keys whose numbers are in [first, last) to `to`, from its start. `from` and `to` must
  /// not overlap.
  template <class Tile>
  MANGROVE_HOST_DEVICE void write(const Tile& tile, const neighbor_array<Bits>& to, std::uint32_t first,
                                  std::uint32_t last) const {
    tile.strided(size, [&](std::size_t k) {
      const std::size_t change = changes.lower_bound(from.keys[k]);
      const bool changed = change < changes.last && key_target(changes.edges[change]) == from.keys[k];
      if (changed && changes.actions[change] == edge_action::erase) return;
      const std::uint32_t number = static_cast<std::uint32_t>(k) + growth_before(change);
      if (number < first || number >= last) return;
      to.keys[number - first] = from.keys[k];
      if constexpr (!is_none<Bits>) {
        to.weights[number - first] = changed ? changes.weights[change] : from.weights[k];
      }
    });
    const std::size_t begin = first == 0 ? changes.first : first_at(first);
    tile.strided(first_at(last) - begin, [&](std::size_t k) {
      const std::size_t change = begin + k;
      if (changes.actions[change] != edge_action::insert) return;
      const std::uint32_t number = number_of(change);
      to.keys[number - first] = key_target(changes.edges[change]);
      if constexpr (!is_none<Bits>) to.weights[number - first] = changes.weights[change];
    });
  }

 private:
  /// Inserts less erases in front of a change; modulo 2^32.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t growth_before(std::size_t change) const {
    const std::uint64_t counts = changes_before[change] - changes_before[changes.first];
    return static_cast<std::uint32_t>(counts >> 32) - static_cast<std::uint32_t>(counts);
  }

  /// Merged keys below the target of a change.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t number_of(std::size_t change) const {
    const std::uint32_t target = key_target(changes.edges[change]);
    std::uint32_t low = 0;
    std::uint32_t high = size;
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      (from.keys[middle] < target ? low : high) = from.keys[middle] < target ? middle + 1 : middle;
    }
    return low + growth_before(change);
  }

  /// The first change with at least `number` merged keys below its target.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::size_t first_at(std::uint32_t number) const {
    std::size_t low = changes.first;
    std::size_t high = changes.last;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (number_of(middle) < number) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Marks the slots of a leaf from `size` on as empty.
template <class Bits, class Tile>
MANGROVE_HOST_DEVICE void clear_leaf_from(const Tile& tile, const neighbor_array<Bits>& leaf, std::uint32_t size) {
  using leaves = tree_leaves<Bits>;
  tile.strided(leaves::slots - size, [&](std::size_t k) { leaf.keys[size + k] = leaves::empty; });
}

/// Body: changes a leaf that stays, one for each run. Its scratch holds what the leaf was.
template <class Bits>
struct merge_leaf : leaf_changes<Bits> {
  using leaves = tree_leaves<Bits>;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    const leaf_run run = this->runs[i];
    if (!run.stays() || run.first == run.last) return;
    const slab_index slab = this->graph.tree_of(this->plans[run.plan].old).directory().slabs()[run.leaf];
    const auto to = leaves::in_slab(this->graph.pool, slab);
    auto* const copied = reinterpret_cast<std::uint32_t*>(scratch);
    tile.strided(slab_bytes / sizeof(std::uint32_t), [&](std::size_t k) { copied[k] = to.keys[k]; });
    tile.sync();
    const auto from = leaves::in_slab(scratch, 0);
    const leaf_merge<Bits> merge{from, leaves::size(tile, from.keys), this->of(run), this->changes_before};
    merge.write(tile, to, 0, run.size);
    clear_leaf_from<Bits>(tile, to, run.size);
  }
};

/// Body: makes one of the leaves that an overfull one is dealt out to, and notes it in the new directory.
template <class Bits>
struct write_piece : leaf_changes<Bits> {
  using leaves = tree_leaves<Bits>;

  pool_ref pool;
  std::uint32_t first_request;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t up_to = std::uint64_t{i} << 32 | ~std::uint32_t{0};
    const std::size_t at = row_of(this->counts_before, this->run_count, up_to);
    const leaf_run run = this->runs[at];
    const vertex_plan& plan = this->plans[run.plan];
    const auto number = static_cast<std::uint32_t>(i) - leaf_counts{this->counts_before[at]}.taken();
    const slab_index slab = pool.take(leaf_class, first_request + static_cast<std::uint32_t>(i));
    const auto to = leaves::in_slab(this->graph.pool, slab);
    const auto first = static_cast<std::uint32_t>(std::uint64_t{run.size} * number / run.pieces);
    const auto last = static_cast<std::uint32_t>(std::uint64_t{run.size} * (number + 1) / run.pieces);
    const tree_leaves<Bits> old = this->graph.tree_of(plan.old);
    const auto from = old.leaf(run.leaf);
    const leaf_merge<Bits> merge{from, leaves::size(tile, from.keys), this->of(run), this->changes_before};
    merge.write(tile, to, first, last);
    clear_leaf_from<Bits>(tile, to, last - first);
    tile.sync();
    if (tile.lane() != 0) return;
    const tree_directory directory = this->graph.tree_of(plan.next).directory();
    const std::uint32_t place = run.leaf + this->growth_before(this->trees[plan.tree], at) + number;
    directory.slabs()[place] = slab;
    directory.bounds()[place] =
        number + 1 == run.pieces ? old.directory().bounds()[run.leaf] : to.keys[last - first - 1];
  }
};

}  // namespace mangrove::detail
