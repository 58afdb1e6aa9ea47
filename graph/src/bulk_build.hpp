#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bulk_hubs.hpp"
#include "bulk_trees.hpp"
#include "mangrove/core/growable_array.hpp"

/// @file
/// Building an empty graph from a batch of inserts at once. Needs the backend's `for_each_tile` and
/// `for_each_tile_with_scratch`.
///
/// Nothing is there to be looked up, so edges need not be sorted by target and no table needs to be built where it
/// stays: edges are sorted by source, every vertex gets a row, and a row becomes an array or a table in fast memory
/// before it is written out once.

namespace mangrove::detail {

/// What a bulk build has inserted.
struct bulk_result {
  std::uint64_t inserted = 0;  ///< edges; an undirected one counts once
  std::uint64_t directed = 0;  ///< directed edges
};

/// Body: adds a stretch of entries up. `bulk_result::inserted` becomes the number of self loops, where they matter.
template <class Bits>
struct count_built {
  static constexpr std::size_t stretch = 1024;

  adjacency_view<Bits> graph;
  bool find_loops;
  bulk_result* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t size = graph.entry_count - first < stretch ? graph.entry_count - first : stretch;
    std::uint64_t degrees = 0;
    std::uint64_t loops = 0;
    tile.strided(size, [&](std::size_t k) {
      const auto u = static_cast<std::uint32_t>(first + k);
      degrees += graph.entries[u].degree;
      if (find_loops && graph.contains(tile.solo(), u, u)) ++loops;
    });
    const std::uint64_t all_degrees = tile.sum(degrees);
    const std::uint64_t all_loops = tile.sum(loops);
    if (tile.lane() != 0) return;
    if (all_degrees != 0) relaxed_add(&totals->directed, all_degrees);
    if (all_loops != 0) relaxed_add(&totals->inserted, all_loops);
  }
};

template <backend B, class Bits>
class bulk_builder {
 public:
  bulk_builder(const resources<B>& res, const graph_options& options, growable_array<B, vertex_entry>& entries,
               slab_pool<B>& pool)
      : res_(res), options_(options), rule_(adjacency_rule::of(options)), entries_(entries), pool_(pool) {}

  /// @param meanwhile what the host does while the device makes rows
  bulk_result run(const bulk_row_maker<B, Bits>& maker, std::uint32_t index_count, const pastime& meanwhile) {
    bulk_rows<B, Bits> made = rule_.makes_trees() ? maker.without_repeats() : maker.by_source();
    if (meanwhile) meanwhile();
    entries_.reserve(index_count);
    pool_.expect(likely_extents(made.targets.size(), index_count));
    bulk_plan<B> plan = plan_bulk(res_, made, rule_);
    if (plan.totals.wants_no_repeats()) {
      made = {};
      made = maker.without_repeats();
      plan = plan_bulk(res_, made, rule_);
    }
    buffer<B, bulk_result> totals(res_, 1);
    bulk_trees<B, Bits> trees(res_, made, list_of(plan, bulk_bin::tree), plan.rows_in(bulk_bin::tree));
    pool_demand demand = demand_of(plan.totals);
    demand.taken[leaf_class] += trees.leaves();
    const auto granted = pool_.prepare(res_, demand);
    entries_.grow(index_count);  // from here on nothing asks for memory
    const bulk_source<Bits> from{view(),           bulk_chooser<Bits>(rule_), granted.ref(),
                                 made.rows.data(), made.targets.data(),       made.weights.data()};
    fill(from, made, plan);
    trees.fill(res_, from, plan.totals.taken[leaf_class]);
    pool_.commit(granted);
    return count(totals);
  }

 private:
  /// Bytes that extents are likely to take, if few edges are repeated: what tables and arrays take was measured; where
  /// many vertices may have all their edges in their entries, what the others take at least.
  static std::size_t likely_extents(std::size_t edges, std::size_t vertices) {
    constexpr std::size_t edge_bytes = sizeof(std::uint32_t) + (is_none<Bits> ? 0 : sizeof(Bits));
    const std::size_t in_entries = vertices * entry_layout<Bits>::inline_capacity;
    if (edges > 4 * vertices) return edges * edge_bytes / 8 * 11;
    return edges > in_entries ? (edges - in_entries) * edge_bytes : 0;
  }

  static pool_demand demand_of(const bulk_totals& totals) {
    pool_demand demand;
    std::copy(totals.taken, totals.taken + size_classes, demand.taken.begin());
    return demand;
  }

  [[nodiscard]] adjacency_view<Bits> view() const {
    return {entries_.data(), pool_.base(), static_cast<std::uint32_t>(entries_.size())};
  }

  void fill(const bulk_source<Bits>& from, const bulk_rows<B, Bits>& made, const bulk_plan<B>& plan) {
    begin_hubs(from, plan);
    const independent_loops<B> bins(res_);
    end_hubs(bins.res(), from, plan);
    fill_tables<1024, bulk_limits::larger_slabs>(bins.res(), from, plan, bulk_bin::larger);
    fill_tables<256, bulk_limits::large_slabs>(bins.res(), from, plan, bulk_bin::large);
    fill_tables<32, bulk_limits::table_slabs>(bins.res(), from, plan, bulk_bin::table);
    using small = fill_sorted<Bits, bulk_bin::small, bulk_limits::small_edges>;
    for_each_tile_with_scratch<8, small::scratch_bytes>(bins.res(), plan.rows_in(bulk_bin::small),
                                                        small{from, list_of(plan, bulk_bin::small)});
    using tiny = fill_sorted<Bits, bulk_bin::tiny, bulk_limits::tiny_edges>;
    const std::size_t tiny_rows = plan.rows_in(bulk_bin::tiny) == 0 ? 0 : made.rows.size();
    for_each_tile_with_scratch<1, tiny::scratch_bytes>(bins.res(), tiny_rows, tiny{from, nullptr});
  }

  /// All steps but the last one.
  void begin_hubs(const bulk_source<Bits>& from, const bulk_plan<B>& plan) {
    const std::size_t chunks = plan.totals.chunks;
    for_each_tile<32>(res_, chunks, clear_hub<Bits>{{from, plan.lists.chunks}});
    if constexpr (!is_none<Bits>) for_each_tile<32>(res_, chunks, fill_hub<Bits>{{from, plan.lists.chunks}});
  }

  void end_hubs(const resources<B>& res, const bulk_source<Bits>& from, const bulk_plan<B>& plan) {
    using last_step = std::conditional_t<is_none<Bits>, fill_hub<Bits>, settle_hub<Bits>>;
    for_each_tile<32>(res, plan.totals.chunks, last_step{{from, plan.lists.chunks}});
  }

  template <int Width, std::uint32_t Slabs>
  void fill_tables(const resources<B>& res, const bulk_source<Bits>& from, const bulk_plan<B>& plan, bulk_bin bin) {
    using body = fill_table<Bits, Slabs>;
    for_each_tile_with_scratch<Width, body::scratch_bytes>(res, plan.rows_in(bin), body{from, list_of(plan, bin)});
  }

  static const std::uint32_t* list_of(const bulk_plan<B>& plan, bulk_bin bin) {
    return plan.lists.of_bin[static_cast<std::uint32_t>(bin)];
  }

  bulk_result count(buffer<B, bulk_result>& totals) const {
    fill_bytes(res_, totals.data(), 0, 1);
    const bool undirected = options_.direction == edge_direction::undirected;
    const bool find_loops = undirected && options_.loops == self_loops::keep;
    const std::size_t stretches = (entries_.size() + count_built<Bits>::stretch - 1) / count_built<Bits>::stretch;
    for_each_task<32>(res_, stretches, count_built<Bits>{view(), find_loops, totals.data()});
    bulk_result result = read_back(res_, totals.data());
    result.inserted = undirected ? (result.directed + result.inserted) / 2 : result.directed;
    return result;
  }

  const resources<B>& res_;
  graph_options options_;
  adjacency_rule rule_;
  growable_array<B, vertex_entry>& entries_;
  slab_pool<B>& pool_;
};

/// Whether `bulk_build` takes a batch: one of inserts alone, not of more edges than it can number, nor of so few that
/// going through all vertices would cost more than looking edges up. The graph must have no edges.
template <backend B>
[[nodiscard]] bool bulk_build_suits(const indexed_updates& updates, const graph_options& options,
                                    std::uint32_t index_count) {
  constexpr std::size_t most_edges = std::size_t{1} << 31;
  constexpr std::size_t rows_an_edge = 8;
  if (updates.kinds != nullptr || updates.kind != update_kind::insert) return false;
  const std::size_t directed = options.direction == edge_direction::directed ? updates.size : 2 * updates.size;
  return directed < most_edges && index_count <= rows_an_edge * directed;
}

/// Builds the adjacency of a graph without edges from a batch that `bulk_build_suits`. Waits twice for numbers, four
/// times where the batch has many repeats.
///
/// @param weights the batch's, of the same size; null for zeros. Of repeated edges the last one's stays.
/// @param index_count of the graph with the batch's vertices; `entries` grow to it
/// @param entries the dictionary, without edges
/// @param meanwhile is called once, while the device is busy
/// @return what was inserted; the batch's other edges are self loops and repeats
/// @throws memory_error with entries and pool as they were
template <backend B, class Bits>
bulk_result bulk_build(const resources<B>& res, const indexed_updates& updates, const Bits* weights,
                       const graph_options& options, std::uint32_t index_count,
                       growable_array<B, vertex_entry>& entries, slab_pool<B>& pool, const pastime& meanwhile = {}) {
  const bulk_row_maker<B, Bits> maker(res, updates, weights, options, index_count);
  return bulk_builder<B, Bits>(res, options, entries, pool).run(maker, index_count, meanwhile);
}

}  // namespace mangrove::detail
