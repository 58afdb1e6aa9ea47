#pragma once

#include <cstddef>
#include <cstdint>

#include "table_commit.hpp"
#include "tree_fill.hpp"

/// @file
/// Planning what becomes of the leaves of trees that stay. Changes are sorted, so those of one leaf follow each other:
/// a leaf run. A leaf that they fit into is changed where it is; an overfull one is dealt out evenly among new ones.

namespace mangrove::detail {

/// The changes of one leaf.
struct leaf_run {
  std::uint32_t plan;   ///< number of its vertex's plan
  std::uint32_t leaf;   ///< number within the tree
  std::uint32_t first;  ///< its changes are [first, last); none of a tree that does not stay
  std::uint32_t last;
  std::uint32_t size;    ///< keys after the batch
  std::uint32_t pieces;  ///< leaves after the batch; the slab stays if it is one

  [[nodiscard]] MANGROVE_HOST_DEVICE bool stays() const { return pieces == 1; }
};

/// Counts of leaf runs, as one scannable value: leaves that are taken from the pool in the upper, leaves that are given
/// to it in the lower half.
struct leaf_counts {
  std::uint64_t packed;

  MANGROVE_HOST_DEVICE static std::uint64_t of(const leaf_run& run) {
    return run.stays() ? 0 : std::uint64_t{run.pieces} << 32 | 1;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t taken() const { return static_cast<std::uint32_t>(packed >> 32); }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t given() const { return static_cast<std::uint32_t>(packed); }
  /// By how much the tree grows; modulo 2^32 where it shrinks.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t growth() const { return taken() - given(); }
};

inline constexpr std::uint32_t no_leaf = ~std::uint32_t{0};

/// Body: finds the leaf that a changed edge is in or belongs into.
template <class Bits>
struct locate_leaf {
  static constexpr int prefetch_stages = 2;

  adjacency_view<Bits> graph;
  const std::uint64_t* edges;
  std::uint32_t* leaf_of;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(key_source(edges[i]), key_target(edges[i]));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint32_t u = key_source(edges[i]);
    std::uint32_t leaf = no_leaf;
    if (u < graph.entry_count && entry_layout<Bits>::kind(graph.entries[u]) == adjacency_kind::tree) {
      leaf = graph.tree_of(graph.entries[u]).directory().find(tile, key_target(edges[i]));
    }
    if (tile.lane() == 0) leaf_of[i] = leaf;
  }
};

/// Body: marks where leaf runs start.
struct mark_leaf_runs {
  const std::uint64_t* edges;
  const std::uint32_t* leaf_of;
  std::uint8_t* starts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const bool other = i == 0 || leaf_of[i] != leaf_of[i - 1] || key_source(edges[i]) != key_source(edges[i - 1]);
    starts[i] = leaf_of[i] != no_leaf && other;
  }
};

/// Body: plans one leaf.
template <class Bits>
struct plan_leaf_run {
  using leaves = tree_leaves<Bits>;

  adjacency_view<Bits> graph;
  const vertex_plan* plans;
  const std::uint32_t* vertex_starts;
  std::size_t vertex_count;
  std::size_t change_count;
  const std::uint64_t* changes_before;
  const std::uint32_t* leaf_of;
  const std::uint32_t* run_starts;
  std::size_t run_count;
  leaf_run* runs;
  std::uint64_t* counts;  ///< `leaf_counts`

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    leaf_run run{};
    run.first = run_starts[i];
    const std::size_t row = row_of(vertex_starts, vertex_count, run.first);
    run.plan = static_cast<std::uint32_t>(row);
    run.leaf = leaf_of[run.first];
    run.last = run.first;
    run.pieces = 1;
    const vertex_plan& plan = plans[row];
    if (plan.mode == vertex_mode::in_tree) {
      const std::size_t vertex_end = row + 1 == vertex_count ? change_count : vertex_starts[row + 1];
      const std::size_t next = i + 1 == run_count ? vertex_end : run_starts[i + 1];
      run.last = static_cast<std::uint32_t>(next < vertex_end ? next : vertex_end);
      const std::uint64_t changes = changes_before[run.last] - changes_before[run.first];
      run.size = leaves::size(tile, graph.tree_of(plan.old).leaf(run.leaf).keys) +
                 static_cast<std::uint32_t>(changes >> 32) - static_cast<std::uint32_t>(changes);
      run.pieces = run.size == 0 ? 0 : layout_policy<Bits>::leaves_for(run.size);
    }
    if (tile.lane() != 0) return;
    runs[i] = run;
    counts[i] = leaf_counts::of(run);
  }
};

/// Body: marks the first leaf run of every tree.
struct mark_trees {
  const leaf_run* runs;
  std::uint8_t* starts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    starts[i] = i == 0 || runs[i].plan != runs[i - 1].plan;
  }
};

/// A tree whose leaves change, by its runs.
struct changed_tree {
  std::uint32_t plan;
  std::uint32_t first_run;
  std::uint32_t last_run;
};

/// Body: plans the directory of a tree: a new one where leaves are made or dropped.
template <class Bits>
struct plan_directory {
  vertex_plan* plans;
  const leaf_run* runs;
  std::size_t run_count;
  const std::uint64_t* counts_before;
  const std::uint32_t* first_runs;
  std::size_t tree_count;
  changed_tree* trees;
  std::uint64_t* old_chunks;  ///< of directories that are replaced, to be scanned
  std::uint64_t* new_chunks;  ///< of those that replace them
  plan_totals* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t first = first_runs[i];
    const auto last = static_cast<std::uint32_t>(i + 1 == tree_count ? run_count : first_runs[i + 1]);
    trees[i] = {runs[first].plan, first, last};
    old_chunks[i] = new_chunks[i] = 0;
    vertex_plan& plan = plans[runs[first].plan];
    if (plan.mode != vertex_mode::in_tree) return;
    plan.tree = static_cast<std::uint32_t>(i);
    const leaf_counts changed{counts_before[last] - counts_before[first]};
    if (changed.given() == 0) return;
    const std::uint32_t leaves = plan.old.leaves() + changed.growth();
    const std::uint32_t granules = tree_directory::granules_for(leaves);
    plan.next = vertex_entry::make(plan.next.degree, adjacency_kind::tree, 0, granules);
    plan.next.words[2] = leaves;
    plan.taken = count_up(&totals->demand.taken[size_class_of(granules)]);
    plan.given = count_up(&totals->demand.given[size_class_of(plan.old.granules())]);
    old_chunks[i] = tree_directory::chunks_for(plan.old.leaves());
    new_chunks[i] = tree_directory::chunks_for(leaves);
  }
};

}  // namespace mangrove::detail
