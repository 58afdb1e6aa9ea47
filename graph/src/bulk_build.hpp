#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bulk_count.hpp"
#include "bulk_hubs.hpp"
#include "bulk_plan.hpp"
#include "bulk_trees.hpp"
#include "mangrove/core/growable_array.hpp"

/// @file
/// Building an empty graph from a batch of inserts at once. Needs the backend's `for_each_tile` and
/// `for_each_tile_with_scratch`.
///
/// Nothing is there to be looked up, so edges need not be sorted by target and no table needs to be built where it
/// stays: edges are sorted by source, and a row, which is those of one vertex, goes into its entry or becomes an array
/// or a table in fast memory that is written out once.

namespace mangrove::detail {

/// What a bulk build has inserted.
struct bulk_result {
  std::uint64_t inserted = 0;  ///< edges; an undirected one counts once
  std::uint64_t directed = 0;  ///< directed edges

  static bulk_result of(const build_counts& counts, edge_direction direction) {
    const bool undirected = direction == edge_direction::undirected;
    return {undirected ? (counts.directed + counts.loops) / 2 : counts.directed, counts.directed};
  }
};

/// A bulk build whose work is queued.
template <backend B>
struct queued_build {
  buffer<B, build_counts> counts;  ///< in the backend's memory; of the batch, what is not counted are loops and repeats
  bool has_hubs = false;           ///< whether a vertex got more edges than a warp's table holds
};

template <backend B, class Bits>
class bulk_builder {
 public:
  bulk_builder(const resources<B>& res, const graph_options& options, growable_array<B, vertex_entry>& entries,
               slab_pool<B>& pool)
      : res_(res), options_(options), rule_(adjacency_rule::of(options)), entries_(entries), pool_(pool) {}

  /// @param present gets a bit for each vertex with edges; may be null
  /// @param meanwhile what the host does while the device plans; while it sorts, memory is mapped
  queued_build<B> run(const bulk_edge_sorter<B, Bits>& sorter, std::uint32_t index_count, std::uint32_t* present,
                      const pastime& meanwhile) {
    queued_build<B> queued{buffer<B, build_counts>(res_, 1)};
    bulk_edges<B, Bits> made = rule_.makes_trees() ? sorter.without_repeats() : sorter.by_source();
    entries_.reserve(std::min(entries_.capacity(), index_count + std::size_t{index_count} / spare_share));
    pool_.expect(likely_extents(made.size(), index_count));
    try {
      queued.has_hubs = has_hubs(make(sorter, made, index_count, meanwhile));
    } catch (...) {
      fill_bytes(res_, entries_.data(), 0, index_count);
      throw;
    }
    count(present, queued.counts.data());
    return queued;
  }

 private:
  /// Makes everything but the counts. If it throws, entries of some vertices have been written.
  bulk_totals make(const bulk_edge_sorter<B, Bits>& sorter, bulk_edges<B, Bits>& made, std::uint32_t index_count,
                   const pastime& meanwhile) {
    bulk_plan<B> plan = plan_bulk(res_, made, rule_, entries_.data(), meanwhile);
    if (plan.totals.wants_no_repeats()) {
      made = {};
      made = sorter.without_repeats();
      plan = plan_bulk(res_, made, rule_, entries_.data());
    }
    bulk_trees<B, Bits> trees(res_, plan.list_of(bulk_bin::tree), plan.rows_in(bulk_bin::tree));
    pool_demand demand = demand_of(plan.totals);
    demand.taken[leaf_class] += trees.leaves();
    const auto granted = pool_.prepare(res_, demand);
    entries_.grow(index_count);  // from here on nothing asks for memory
    const bulk_source<Bits> from{view(), bulk_chooser<Bits>(rule_), granted.ref(),
                                 edge_values<Bits>(made.values.data())};
    fill(from, plan);
    trees.fill(res_, from, plan.totals.taken[leaf_class]);
    pool_.commit(granted);
    return plan.totals;
  }

  static bool has_hubs(const bulk_totals& totals) {
    constexpr bulk_bin bins[] = {bulk_bin::large, bulk_bin::larger, bulk_bin::hub};
    return std::ranges::any_of(bins, [&](bulk_bin bin) { return totals.rows[static_cast<std::uint32_t>(bin)] != 0; });
  }

  /// Bytes that extents are likely to take, if few edges are repeated: what tables and arrays take was measured; where
  /// many vertices may have all their edges in their entries, what the others take at least.
  static std::size_t likely_extents(std::size_t edges, std::size_t vertices) {
    constexpr std::size_t edge_bytes = sizeof(std::uint32_t) + (is_none<Bits> ? 0 : sizeof(Bits));
    const std::size_t in_entries = vertices * entry_layout<Bits>::inline_capacity;
    if (edges > 4 * vertices) return edges * edge_bytes / 3 * 4;
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

  void fill(const bulk_source<Bits>& from, const bulk_plan<B>& plan) {
    begin_hubs(from, plan);
    const independent_loops<B> bins(res_);
    end_hubs(bins.res(), from, plan);
    fill_tables<1024, bulk_limits::larger_slabs>(bins.res(), from, plan, bulk_bin::larger);
    fill_tables<256, bulk_limits::large_slabs>(bins.res(), from, plan, bulk_bin::large);
    fill_tables<32, bulk_limits::table_slabs>(bins.res(), from, plan, bulk_bin::table);
    fill_rows<8, bulk_limits::small_edges>(bins.res(), from, plan, bulk_bin::small);
    fill_rows<4, bulk_limits::tiny_edges>(bins.res(), from, plan, bulk_bin::tiny);
    for_each_tile<1>(bins.res(), plan.rows_in(bulk_bin::few), fill_few<Bits>{from, plan.list_of(bulk_bin::few)});
  }

  /// All steps but the last one.
  void begin_hubs(const bulk_source<Bits>& from, const bulk_plan<B>& plan) {
    const hub_chunks<Bits> hubs = hubs_of(from, plan);
    for_each_tile<32>(res_, plan.totals.chunks, clear_hub<Bits>{hubs});
    if constexpr (!is_none<Bits>) for_each_tile<32>(res_, plan.totals.chunks, fill_hub<Bits>{hubs});
  }

  void end_hubs(const resources<B>& res, const bulk_source<Bits>& from, const bulk_plan<B>& plan) {
    using last_step = std::conditional_t<is_none<Bits>, fill_hub<Bits>, settle_hub<Bits>>;
    for_each_tile<32>(res, plan.totals.chunks, last_step{hubs_of(from, plan)});
  }

  static hub_chunks<Bits> hubs_of(const bulk_source<Bits>& from, const bulk_plan<B>& plan) {
    return {from, plan.list_of(bulk_bin::hub), plan.lists.chunks};
  }

  template <int Width, std::uint32_t Slabs>
  void fill_tables(const resources<B>& res, const bulk_source<Bits>& from, const bulk_plan<B>& plan, bulk_bin bin) {
    using body = fill_table<Bits, Slabs>;
    for_each_tile_with_scratch<Width, body::scratch_bytes>(res, plan.rows_in(bin), body{from, plan.list_of(bin)});
  }

  template <int Width, std::uint32_t Edges>
  void fill_rows(const resources<B>& res, const bulk_source<Bits>& from, const bulk_plan<B>& plan, bulk_bin bin) {
    using body = fill_sorted<Bits, Edges>;
    for_each_tile_with_scratch<Width, body::scratch_bytes>(res, plan.rows_in(bin), body{from, plan.list_of(bin)});
  }

  void count(std::uint32_t* present, build_counts* counts) const {
    fill_bytes(res_, counts, 0, 1);
    const bool undirected = options_.direction == edge_direction::undirected;
    const bool find_loops = undirected && options_.loops == self_loops::keep;
    using body = count_built<Bits>;
    for_each_task<32>(res_, body::calls_for(entries_.size()), body{view(), find_loops, present, counts});
  }

  /// What comes next is likely to name some vertices that lie a little beyond: one in so many.
  static constexpr std::size_t spare_share = 1024;

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

/// Builds the adjacency of a graph without edges from a batch that `bulk_build_suits`. Waits once for numbers, more
/// often where the batch has many repeats or trees come to be.
///
/// @param index_count of the graph with the batch's vertices; `entries` grow to it
/// @param entries the dictionary, without edges
/// @param present gets a bit for each vertex with edges; may be null
/// @param meanwhile is called once, while the device is busy
/// @throws memory_error with entries and pool as they were
template <backend B, class Bits>
queued_build<B> queue_bulk_build(const resources<B>& res, const bulk_batch<Bits>& batch, const graph_options& options,
                                 std::uint32_t index_count, growable_array<B, vertex_entry>& entries,
                                 slab_pool<B>& pool, std::uint32_t* present, const pastime& meanwhile = {}) {
  const bulk_edge_sorter<B, Bits> sorter(res, batch, options, index_count);
  return bulk_builder<B, Bits>(res, options, entries, pool).run(sorter, index_count, present, meanwhile);
}

/// The same for who needs nothing but the adjacency. Waits for it.
template <backend B, class Bits>
bulk_result bulk_build(const resources<B>& res, const bulk_batch<Bits>& batch, const graph_options& options,
                       std::uint32_t index_count, growable_array<B, vertex_entry>& entries, slab_pool<B>& pool) {
  const auto queued = queue_bulk_build<B, Bits>(res, batch, options, index_count, entries, pool, nullptr);
  return bulk_result::of(read_back(res, queued.counts.data()), options.direction);
}

}  // namespace mangrove::detail
