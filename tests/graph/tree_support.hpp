#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "graph_support.hpp"
#include "mangrove/graph/for_each_edge.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"
#include "tree_checker.hpp"

/// @file
/// What tests of trees look at: the structure of all trees of a graph, and reads in order and by range. Needs the
/// backend's `for_each_tile`.

namespace mangrove::test {

/// Body: checks the tree of a vertex, if it has one.
template <class Weight>
struct check_tree {
  detail::adjacency_view<Weight> graph;
  tree_fault* faults;
  detail::vertex_entry* entries;  ///< gets the entry

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t u) const {
    const detail::vertex_entry entry = graph.entries[u];
    tree_fault fault = tree_fault::none;
    if (detail::entry_layout<Weight>::kind(entry) == detail::adjacency_kind::tree) {
      fault = tree_checker<Weight>{graph.tree_of(entry), entry.degree}.run(tile);
    }
    if (tile.lane() != 0) return;
    faults[u] = fault;
    entries[u] = entry;
  }
};

/// Body: lists the slabs of a vertex's tree.
template <class Weight>
struct list_leaves {
  detail::adjacency_view<Weight> graph;
  const std::uint64_t* offsets;
  slab_index* slabs;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t u) const {
    const detail::vertex_entry entry = graph.entries[u];
    if (offsets[u] == offsets[u + 1]) return;
    const auto tree = graph.tree_of(entry);
    tile.strided(entry.leaves(), [&](std::size_t k) { slabs[offsets[u] + k] = tree.directory().slabs()[k]; });
  }
};

/// Checks all trees of a graph, and that no two extents of all its vertices overlap. @return how many trees there are
template <backend B, class Vertex, class Weight>
std::size_t expect_sound_trees(const resources<B>& res, const dynamic_graph<B, Vertex, Weight>& graph) {
  using layout = detail::entry_layout<Weight>;
  const graph_view<Vertex, Weight> view = graph.view();
  const auto& adjacency = detail::adjacency_of(view);
  const std::size_t count = adjacency.entry_count;
  buffer<B, tree_fault> faults(res, count);
  buffer<B, detail::vertex_entry> placed(res, count);
  for_each_tile<8>(res, count, check_tree<Weight>{adjacency, faults.data(), placed.data()});
  const auto found = to_host(res, faults.data(), count);
  const auto entries = to_host(res, placed.data(), count);
  std::map<std::uint64_t, std::uint64_t> extents;
  std::vector<std::uint64_t> offsets(count + 1);
  std::size_t trees = 0;
  for (std::size_t u = 0; u < count; ++u) {
    EXPECT_EQ(found[u], tree_fault::none) << "vertex " << u << " of degree " << entries[u].degree;
    const bool tree = layout::kind(entries[u]) == detail::adjacency_kind::tree;
    trees += tree ? 1 : 0;
    offsets[u + 1] = offsets[u] + (tree ? entries[u].leaves() : 0);
    if (layout::kind(entries[u]) == detail::adjacency_kind::inlined) continue;
    EXPECT_TRUE(extents.emplace(entries[u].extent(), entries[u].extent() + entries[u].granules()).second);
  }
  buffer<B, slab_index> slabs(res, offsets[count]);
  const auto places = make_buffer<B>(res, offsets.data(), offsets.size());
  for_each_tile<8>(res, count, list_leaves<Weight>{adjacency, places.data(), slabs.data()});
  for (const slab_index slab : to_host(res, slabs.data(), slabs.size())) {
    EXPECT_TRUE(extents.emplace(slab, slab + granules_per_slab).second) << "a slab is two leaves";
  }
  std::uint64_t end = 0;
  for (const auto& [first, last] : extents) {
    EXPECT_LE(end, first) << "extents overlap";
    end = last;
  }
  return trees;
}

/// A range of neighbours that is asked for, and what comes.
struct neighbor_range {
  std::uint32_t source;
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t count;     ///< of neighbours in [low, high)
  std::uint32_t disorder;  ///< calls of a lane that do not ascend
  std::uint64_t sum;       ///< of the neighbours, each times 3 and plus 1
};

/// Body: reads a range of neighbours.
template <class Vertex, class Weight>
struct read_range {
  graph_view<Vertex, Weight> graph;
  neighbor_range* ranges;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    neighbor_range& range = ranges[i];
    std::uint32_t count = 0;
    std::uint32_t disorder = 0;
    std::uint64_t sum = 0;
    std::uint64_t next = 0;
    graph.for_each_neighbor_in(tile, range.source, range.low, range.high, [&](vertex_index v) {
      disorder += v < next ? 1 : 0;
      next = std::uint64_t{v} + 1;
      ++count;
      sum += 3 * std::uint64_t{v} + 1;
    });
    const std::uint32_t all = tile.sum(count);
    const std::uint32_t all_disorder = tile.sum(disorder);
    const std::uint64_t all_sums = tile.sum(sum);
    if (tile.lane() != 0) return;
    range.count = all;
    range.disorder = all_disorder;
    range.sum = all_sums;
  }
};

}  // namespace mangrove::test
