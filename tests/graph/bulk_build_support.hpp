#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "adjacency_cases.hpp"
#include "bulk_build.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"
#include "support/table_checker.hpp"
#include "tree_checker.hpp"

/// @file
/// What tests of the bulk build check a dictionary and a pool with: everything that a reader relies on, seen from the
/// host.

namespace mangrove::test {

/// Directed edges with their weights.
using edge_table = std::vector<std::pair<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>>;

/// A batch of inserts on the host.
struct insert_batch {
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> targets;
  std::vector<std::uint64_t> weights;

  void add(std::uint32_t u, std::uint32_t v, std::uint64_t weight) {
    sources.push_back(u);
    targets.push_back(v);
    weights.push_back(weight);
  }
  [[nodiscard]] std::size_t size() const { return sources.size(); }

  void shuffle(seeded_random& random) {
    for (std::size_t i = size(); i > 1; --i) {
      const std::size_t j = random.below(i);
      std::swap(sources[i - 1], sources[j]);
      std::swap(targets[i - 1], targets[j]);
      std::swap(weights[i - 1], weights[j]);
    }
  }

  [[nodiscard]] bool names_edges_only(const graph_options& options, std::uint32_t index_count) const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (std::max(sources[i], targets[i]) >= index_count) return false;
      if (sources[i] == targets[i] && options.loops == self_loops::drop) return false;
    }
    return true;
  }

  /// The edges there are once all have been inserted, ascending, in both directions where undirected.
  [[nodiscard]] edge_table edges(const graph_options& options, std::uint32_t index_count) const {
    edge_table all;
    for (std::size_t i = 0; i < size(); ++i) {
      const std::uint32_t u = sources[i];
      const std::uint32_t v = targets[i];
      if (u >= index_count || v >= index_count || (u == v && options.loops == self_loops::drop)) continue;
      all.push_back({{u, v}, weights[i]});
      if (options.direction == edge_direction::undirected) all.push_back({{v, u}, weights[i]});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    edge_table last;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i + 1 == all.size() || all[i].first != all[i + 1].first) last.push_back(all[i]);
    }
    return last;
  }
};

/// A dictionary and a pool, copied to the host.
template <class Bits>
class host_adjacency {
  using layout = detail::entry_layout<Bits>;
  using table = typename layout::table;
  using mark = slot_mark<std::uint32_t>;

 public:
  template <backend B>
  host_adjacency(const resources<B>& res, const growable_array<B, detail::vertex_entry>& entries,
                 const slab_pool<B>& pool)
      : entries_(to_host(res, entries.data(), entries.size())),
        pool_(to_host(res, pool.base(), pool.bytes_committed())),
        bytes_in_use_(pool.bytes_in_use()) {}

  [[nodiscard]] const std::vector<detail::vertex_entry>& entries() const { return entries_; }

  /// All edges, ascending; checks on the way what every representation promises.
  edge_table edges(const graph_options& options) {
    edge_table found;
    std::map<std::size_t, std::size_t> extents;
    for (std::uint32_t u = 0; u < entries_.size(); ++u) {
      detail::vertex_entry& entry = entries_[u];
      const detail::adjacency_kind kind = layout::kind(entry);
      EXPECT_EQ(kind == detail::adjacency_kind::inlined, entry.degree <= layout::inline_capacity);
      if (kind != detail::adjacency_kind::inlined) note_extent(entry, extents);
      const bool wants_tree = entry.degree >= detail::adjacency_rule::of(options).tree_from;
      EXPECT_EQ(kind == detail::adjacency_kind::tree, wants_tree && entry.degree > layout::inline_capacity);
      if (kind == detail::adjacency_kind::hash) {
        read_table(u, found);
      } else if (kind == detail::adjacency_kind::tree) {
        read_tree(u, found, extents);
      } else {
        EXPECT_TRUE(kind == detail::adjacency_kind::inlined || options.adjacency == adjacency_policy::by_degree);
        read_sorted(u, found);
      }
    }
    std::size_t end = 0;
    for (const auto& [first, last] : extents) {
      EXPECT_LE(end, first) << "extents overlap";
      end = last;
    }
    std::sort(found.begin(), found.end());
    const auto repeat =
        std::adjacent_find(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
    EXPECT_EQ(repeat, found.end()) << "an edge is there twice";
    return found;
  }

  /// Vertices of tables with more than `above` slabs and at most `most`.
  [[nodiscard]] std::size_t tables(std::uint32_t above, std::uint32_t most) const {
    std::size_t count = 0;
    for (const detail::vertex_entry& entry : entries_) {
      if (layout::kind(entry) != detail::adjacency_kind::hash) continue;
      const std::uint32_t slabs = entry.granules() / granules_per_slab;
      count += slabs > above && slabs <= most ? 1 : 0;
    }
    return count;
  }

  /// Vertices with trees.
  [[nodiscard]] std::size_t trees() const {
    return std::count_if(entries_.begin(), entries_.end(), [](const detail::vertex_entry& entry) {
      return layout::kind(entry) == detail::adjacency_kind::tree;
    });
  }

  /// Bytes of all extents.
  [[nodiscard]] std::size_t extent_bytes() const {
    std::size_t granules = 0;
    for (const detail::vertex_entry& entry : entries_) {
      if (layout::kind(entry) == detail::adjacency_kind::inlined) continue;
      granules += size_class_granules(size_class_of(entry.granules()));
      if (layout::kind(entry) == detail::adjacency_kind::tree) granules += entry.leaves() * granules_per_slab;
    }
    return granules * granule_bytes;
  }

 private:
  void note_extent(const detail::vertex_entry& entry, std::map<std::size_t, std::size_t>& extents) const {
    const std::size_t last = std::size_t{entry.extent()} + entry.granules();
    EXPECT_LE(last * granule_bytes, pool_.size());
    EXPECT_LE(last * granule_bytes, bytes_in_use_ + slab_bytes);  // nothing has been given back
    EXPECT_TRUE(extents.emplace(entry.extent(), last).second) << "an extent was handed out twice";
  }

  void read_sorted(std::uint32_t u, edge_table& found) {
    const auto array = detail::neighbor_array<Bits>::of(pool_.data(), &entries_[u]);
    for (std::uint32_t k = 0; k < entries_[u].degree; ++k) {
      if (k > 0) {
        EXPECT_LT(array.keys[k - 1], array.keys[k]) << "vertex " << u;
      }
      add(u, array.keys[k], array.weights + k, found);
    }
  }

  void read_tree(std::uint32_t u, edge_table& found, std::map<std::size_t, std::size_t>& extents) {
    const detail::tree_leaves<Bits> tree(pool_.data(), entries_[u]);
    const tree_fault fault = tree_checker<Bits>{tree, entries_[u].degree}.run(cpu_tile<8>());
    EXPECT_EQ(fault, tree_fault::none) << "vertex " << u;
    for (std::uint32_t leaf = 0; leaf < tree.leaves(); ++leaf) {
      const slab_index slab = tree.directory().slabs()[leaf];
      EXPECT_TRUE(extents.emplace(slab, slab + granules_per_slab).second) << "a leaf was handed out twice";
    }
    tree.for_each(cpu_tile<1>(), 0, tree.leaves(),
                  [&](std::uint32_t v, const Bits* weight) { add(u, v, weight, found); });
  }

  void read_table(std::uint32_t u, edge_table& found) {
    const detail::vertex_entry& entry = entries_[u];
    EXPECT_EQ(entry.extent() % granules_per_slab, 0U);
    EXPECT_EQ(entry.granules() % granules_per_slab, 0U);
    EXPECT_EQ(entry.tombstones(), 0U);
    const table in = layout::table_of(pool_.data(), entry);
    std::uint32_t keys = 0;
    for (std::uint32_t bucket = 0; bucket < in.buckets(); ++bucket) {
      for (std::uint32_t slot = 0; slot < table::slots; ++slot) {
        const std::uint32_t v = in.keys(bucket)[slot];
        if (v == mark::empty) continue;
        EXPECT_TRUE(mark::storable(v));
        EXPECT_TRUE(is_reachable(in, v, bucket, slot)) << v << " of " << u << " cannot be found where it is";
        ++keys;
        add(u, v, in.values(bucket) + slot, found);
      }
    }
    EXPECT_EQ(keys, entry.degree) << "vertex " << u;
  }

  static void add(std::uint32_t u, std::uint32_t v, const Bits* weight, edge_table& found) {
    std::uint64_t value = 0;
    if constexpr (!is_none<Bits>) value = *weight;
    found.push_back({{u, v}, value});
  }

  std::vector<detail::vertex_entry> entries_;
  std::vector<std::byte> pool_;
  std::size_t bytes_in_use_;
};

}  // namespace mangrove::test
