#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "../../graph/src/vertex_removal.hpp"
#include "support/backend.hpp"
#include "support/random.hpp"
#include "support/table_checker.hpp"

/// @file
/// A dictionary, a pool and presence bits without a graph around them: laid out by the test, read back whole.

namespace mangrove::test {

/// What a test makes adjacencies of.
struct removal_recipe {
  edge_direction direction = edge_direction::undirected;
  self_loops loops = self_loops::drop;
  bool arrays = true;                ///< small adjacencies are arrays, otherwise everything is a table
  std::uint32_t table_percent = 80;  ///< load of tables
};

/// Rows of neighbours with weights, by index: what the backend's adjacencies should be.
template <class Bits>
using neighbor_rows = std::vector<std::map<std::uint32_t, std::uint64_t>>;

/// Body: takes the extent of a vertex and writes its neighbours.
template <class Bits>
struct lay_out {
  using layout = detail::entry_layout<Bits>;

  detail::adjacency_view<Bits> graph;
  pool_ref pool;
  const detail::vertex_entry* planned;  ///< with the number of the request in words[0]
  const std::uint64_t* offsets;
  const std::uint32_t* targets;
  const std::uint64_t* weights;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t u) const {
    detail::vertex_entry entry = planned[u];
    const detail::adjacency_kind kind = layout::kind(entry);
    if (kind != detail::adjacency_kind::inlined) {
      entry.words[0] = pool.take(size_class_of(entry.granules()), entry.words[0]);
    }
    graph.entries[u] = entry;
    if (kind == detail::adjacency_kind::hash) {
      fill_table(tile, graph.table_of(entry), u);
    } else {
      const auto array = detail::neighbor_array<Bits>::of(graph.pool, &graph.entries[u]);
      for (std::uint64_t i = offsets[u]; i < offsets[u + 1]; ++i) put(array.keys, array.weights, i - offsets[u], i);
    }
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void fill_table(const Tile& tile, const typename layout::table& table, std::size_t u) const {
    for (std::uint32_t bucket = 0; bucket < table.buckets(); ++bucket) table.clear_bucket(tile, bucket);
    for (std::uint64_t i = offsets[u]; i < offsets[u + 1]; ++i) {
      const auto at = table.insert_absent(tile, targets[i]);
      put(table.keys(at.bucket), table.values(at.bucket), at.slot, i);
    }
  }

  MANGROVE_HOST_DEVICE void put(std::uint32_t* keys, Bits* values, std::size_t at, std::uint64_t i) const {
    keys[at] = targets[i];
    if constexpr (!is_none<Bits>) values[at] = static_cast<Bits>(weights[i]);
  }
};

/// What reading one vertex finds out besides its neighbours.
struct vertex_facts {
  std::uint32_t unsorted;    ///< neighbours of an array that do not ascend
  std::uint32_t not_found;   ///< neighbours that a search misses
  std::uint32_t tombstones;  ///< in the table
};

/// Body: reads a vertex's neighbours to its row.
template <class Bits>
struct read_back_vertex {
  using layout = detail::entry_layout<Bits>;

  detail::adjacency_view<Bits> graph;
  const std::uint64_t* offsets;
  std::uint32_t* targets;
  std::uint64_t* weights;
  vertex_facts* facts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto u = static_cast<std::uint32_t>(i);
    std::uint64_t at = offsets[i];
    vertex_facts found{};
    graph.for_each_neighbor(tile, u, [&](std::uint32_t v, const Bits* weight) {
      if (at >= offsets[i + 1]) return;
      targets[at] = v;
      weights[at] = 0;
      if constexpr (!is_none<Bits>) weights[at] = *weight;
      const bool ascends = at == offsets[i] || targets[at - 1] < v;
      if (layout::kind(graph.entries[i]) != detail::adjacency_kind::hash && !ascends) ++found.unsorted;
      if (!graph.contains(tile, u, v)) ++found.not_found;
      ++at;
    });
    for (; at < offsets[i + 1]; ++at) targets[at] = ~std::uint32_t{0};
    if (layout::kind(graph.entries[i]) == detail::adjacency_kind::hash) {
      const auto table = graph.table_of(graph.entries[i]);
      std::uint32_t keys = 0;
      found.not_found += unreachable_keys(table, keys);
      for (std::uint32_t slot = 0; slot < table.buckets() * table.slots; ++slot) {
        const std::uint32_t key = table.keys(slot / table.slots)[slot % table.slots];
        found.tombstones += key == slot_mark<std::uint32_t>::tombstone ? 1 : 0;
      }
    }
    facts[i] = found;
  }
};

/// Body: takes the k-th extent of a class.
struct take_freed {
  pool_ref pool;
  std::uint32_t size_class;
  slab_index* taken;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t k) const {
    taken[k] = pool.take(size_class, static_cast<std::uint32_t>(k));
  }
};

template <backend B, class Bits>
class raw_graph {
  using layout = detail::entry_layout<Bits>;

 public:
  raw_graph(const resources<B>& res, const removal_recipe& recipe, const neighbor_rows<Bits>& rows,
            const std::vector<bool>& exists)
      : res_(res), recipe_(recipe), entries_(res, rows.size()), presence_(res, rows.size() / 32 + 1), pool_(res) {
    entries_.grow(rows.size());
    presence_.grow(rows.size() / 32 + 1);
    std::vector<std::uint32_t> words(presence_.size());
    for (std::size_t u = 0; u < rows.size(); ++u) words[u / 32] |= (exists[u] ? 1U : 0U) << (u % 32);
    copy(res, presence_.data(), words.data(), words.size());
    write(rows);
  }

  [[nodiscard]] std::uint32_t index_count() const { return static_cast<std::uint32_t>(entries_.size()); }
  /// Bytes of extents in use.
  [[nodiscard]] std::size_t bytes_in_use() const { return pool_.bytes_in_use() - gap_; }
  [[nodiscard]] detail::adjacency_view<Bits> view() const { return {entries_.data(), pool_.base(), index_count()}; }
  [[nodiscard]] std::vector<detail::vertex_entry> entries() const {
    return to_host(res_, entries_.data(), entries_.size());
  }
  [[nodiscard]] std::vector<std::uint32_t> presence() const {
    return to_host(res_, presence_.data(), presence_.size());
  }

  detail::removal_result remove(const resources<B>& res, const std::vector<std::uint32_t>& vertices) {
    const auto placed = make_buffer<B>(res_, vertices.data(), vertices.size());
    return detail::remove_vertices<B, Bits>(
        res, {placed.data(), vertices.size(), recipe_.direction, recipe_.loops, index_count()}, entries_, pool_,
        presence_);
  }

  /// The neighbours that are there, and checks of how they are kept.
  neighbor_rows<Bits> read() const {
    const std::vector<detail::vertex_entry> all = entries();
    std::vector<std::uint64_t> offsets(all.size() + 1);
    for (std::size_t u = 0; u < all.size(); ++u) offsets[u + 1] = offsets[u] + all[u].degree;
    const auto placed = make_buffer<B>(res_, offsets.data(), offsets.size());
    buffer<B, std::uint32_t> targets(res_, offsets.back());
    buffer<B, std::uint64_t> weights(res_, offsets.back());
    buffer<B, vertex_facts> facts(res_, all.size());
    for_each_tile<1>(res_, all.size(),
                     read_back_vertex<Bits>{view(), placed.data(), targets.data(), weights.data(), facts.data()});
    check_facts(all, download(res_, facts));
    return rows_of(offsets, download(res_, targets), download(res_, weights));
  }

  /// Extents in use do not overlap, their sizes add up to what the pool says, and what it hands out next is free.
  void check_pool(const std::vector<detail::vertex_entry>& before) {
    std::map<slab_index, std::uint32_t> in_use;
    pool_demand freed;
    const std::vector<detail::vertex_entry> after = entries();
    std::size_t bytes = 0;
    for (std::size_t u = 0; u < after.size(); ++u) {
      const bool had = layout::kind(before[u]) != detail::adjacency_kind::inlined;
      if (layout::kind(after[u]) == detail::adjacency_kind::inlined) {
        if (had) ++freed.taken[size_class_of(before[u].granules())];
        continue;
      }
      ASSERT_TRUE(had && before[u].extent() == after[u].extent() && before[u].words[1] == after[u].words[1]);
      ASSERT_TRUE(in_use.emplace(after[u].extent(), after[u].granules()).second);
      bytes += std::size_t{size_class_granules(size_class_of(after[u].granules()))} * granule_bytes;
    }
    EXPECT_EQ(bytes_in_use(), bytes);
    expect_free(freed, in_use);
  }

 private:
  void write(const neighbor_rows<Bits>& rows) {
    pool_demand demand;
    std::vector<detail::vertex_entry> planned;
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint32_t> targets;
    std::vector<std::uint64_t> weights;
    for (const auto& row : rows) {
      planned.push_back(plan(static_cast<std::uint32_t>(row.size()), demand));
      for (const auto& [v, weight] : row) {
        targets.push_back(v);
        weights.push_back(weight);
      }
      offsets.push_back(targets.size());
    }
    const auto granted = pool_.prepare(res_, demand);
    for_each_tile<1>(res_, rows.size(),
                     lay_out<Bits>{view(), granted.ref(), upload(res_, planned).data(), upload(res_, offsets).data(),
                                   upload(res_, targets).data(), upload(res_, weights).data()});
    res_.synchronize();
    pool_.commit(granted);
    pool_.commit(pool_.prepare(res_, {}));  // from here on the pool's end is at a slab's
    gap_ = pool_.bytes_in_use();
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      gap_ -= std::size_t{demand.taken[c]} * size_class_granules(c) * granule_bytes;
    }
  }

  detail::vertex_entry plan(std::uint32_t degree, pool_demand& demand) const {
    if (degree <= layout::inline_capacity) return {degree, {0, 0, 0}};
    if (recipe_.arrays && degree <= layout::array_slots(granules_per_slab)) {
      std::uint32_t granules = 1;
      while (layout::array_slots(granules) < degree) ++granules;
      const std::uint32_t k = demand.taken[size_class_of(granules)]++;
      return detail::vertex_entry::make(degree, detail::adjacency_kind::array, k, granules);
    }
    const std::uint64_t slots = std::uint64_t{degree} * 100 / recipe_.table_percent + 1;
    const auto slabs = static_cast<std::uint32_t>((slots + layout::table::slots - 1) / layout::table::slots);
    const std::uint32_t granules = size_class_granules(size_class_of(slabs * granules_per_slab));
    const std::uint32_t k = demand.taken[size_class_of(granules)]++;
    return detail::vertex_entry::make(degree, detail::adjacency_kind::hash, k, granules);
  }

  static void check_facts(const std::vector<detail::vertex_entry>& all, const std::vector<vertex_facts>& facts) {
    for (std::size_t u = 0; u < all.size(); ++u) {
      ASSERT_EQ(facts[u].unsorted, 0U) << "vertex " << u;
      ASSERT_EQ(facts[u].not_found, 0U) << "vertex " << u;
      if (all[u].degree == 0) {
        ASSERT_EQ(all[u].words[0] | all[u].words[1] | all[u].words[2], 0U) << "vertex " << u;
      }
      if (layout::kind(all[u]) == detail::adjacency_kind::hash) {
        ASSERT_EQ(facts[u].tombstones, all[u].tombstones()) << "vertex " << u;
      }
    }
  }

  static neighbor_rows<Bits> rows_of(const std::vector<std::uint64_t>& offsets,
                                     const std::vector<std::uint32_t>& targets,
                                     const std::vector<std::uint64_t>& weights) {
    neighbor_rows<Bits> rows(offsets.size() - 1);
    for (std::size_t u = 0; u < rows.size(); ++u) {
      for (std::uint64_t i = offsets[u]; i < offsets[u + 1]; ++i) rows[u].emplace(targets[i], weights[i]);
      EXPECT_EQ(rows[u].size(), offsets[u + 1] - offsets[u]) << "repeats";
    }
    return rows;
  }

  void expect_free(const pool_demand& freed, const std::map<slab_index, std::uint32_t>& in_use) {
    const auto granted = pool_.prepare(res_, freed);  // dropped: only a look at what would be handed out
    std::set<slab_index> seen;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      buffer<B, slab_index> taken(res_, freed.taken[c]);
      for_each_tile<1>(res_, taken.size(), take_freed{granted.ref(), c, taken.data()});
      for (const slab_index first : download(res_, taken)) {
        ASSERT_TRUE(seen.insert(first).second) << "given twice";
        const auto next = in_use.lower_bound(first);
        ASSERT_TRUE(next == in_use.end() || first + size_class_granules(c) <= next->first) << "still in use";
        ASSERT_TRUE(next == in_use.begin() || std::prev(next)->first + std::prev(next)->second <= first);
      }
    }
  }

  resources<B> res_;
  removal_recipe recipe_;
  growable_array<B, detail::vertex_entry> entries_;
  growable_array<B, std::uint32_t> presence_;
  slab_pool<B> pool_;
  std::size_t gap_ = 0;  ///< bytes in use that are no extent's: they align slabs
};

}  // namespace mangrove::test
