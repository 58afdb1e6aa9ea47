#pragma once

#include "apply_run.hpp"
#include "mangrove/core/prefetch.hpp"

namespace mangrove::detail {

/// Body: applies a run to a hash table, which has been moved before if it had to.
template <class Bits>
struct apply_to_table : apply_run<Bits> {
  static constexpr int prefetch_stages = 2;
  static constexpr bool may_move = true;
  using base = apply_run<Bits>;
  using base::graph, base::plans, base::pool, base::runs, base::targets;
  using typename base::array, typename base::layout, typename base::table;

  template <int Stage>
  void prefetch(std::size_t i) const {
    graph.template prefetch<Stage>(runs[i].vertex, targets[runs[i].first]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE run_counts::totals operator()(const Tile& tile, const vertex_run& run) const {
    return base::apply_one(*this, tile, run);
  }

  /// As those of the other kinds.
  template <class Lane>
  MANGROVE_HOST_DEVICE run_counts apply(const Lane& lane, const vertex_run& run, vertex_entry old,
                                        std::uint32_t first) const {
    const vertex_entry entry = run.plan != vertex_run::in_place ? plans[run.plan].moved(pool) : old;
    const table in = graph.table_of(entry);
    for (std::uint32_t k = 1; k < run.count; ++k) prefetch_early(in.home_sector(targets[run.first + k]));
    return change_table(lane, in, run, first, old, entry);
  }

 protected:
  /// Applies a run to a table, and gives its vertex that.
  /// @param in the table, wherever it is for now @param old the vertex's entry @param entry that of the table
  template <class Lane>
  MANGROVE_HOST_DEVICE run_counts change_table(const Lane& lane, const table& in, const vertex_run& run,
                                               std::uint32_t first, const vertex_entry& old, vertex_entry entry) const {
    run_counts made{};
    base::for_each_update(run, first, [&](std::uint32_t k, std::uint32_t v) {
      entry.words[2] += change(lane, in, run.vertex, v, k, made);
    });
    return settle(lane, in, run, old, entry, made);
  }

  /// Gives a vertex the table that its run was applied to. @param entry with the tombstones that came of it
  template <class Lane>
  MANGROVE_HOST_DEVICE run_counts settle(const Lane& lane, const table& in, const vertex_run& run,
                                         const vertex_entry& old, vertex_entry entry, const run_counts& made) const {
    entry.degree = old.degree + made.of(edge_outcome::insert) - made.of(edge_outcome::erase);
    vertex_entry* const at = graph.entries + run.vertex;
    if (entry.degree <= layout::inline_capacity) {
      base::shrink_into_entry(lane, in, entry, at);
    } else {
      *at = entry;
    }
    if (run.plan != vertex_run::in_place && layout::kind(old) != adjacency_kind::inlined) base::give(old);
    return made;
  }

 private:
  /// Applies update k, of (u, v). @return tombstones that come of it, modulo 2^32
  template <class Tile>
  MANGROVE_HOST_DEVICE std::uint32_t change(const Tile& tile, const table& in, std::uint32_t u, std::uint32_t v,
                                            std::uint32_t k, run_counts& made) const {
    const auto where = in.find_or_free(tile, v);
    const auto& at = where.at;
    if (!base::inserts(k)) {
      if (!where.present) return 0;
      made.add(edge_outcome::erase, u == v);
      return in.erase_at(where) ? 1 : 0;
    }
    made.add(where.present ? edge_outcome::overwrite : edge_outcome::insert, u == v);
    if (!where.present) in.keys(at.bucket)[at.slot] = v;
    if constexpr (!is_none<Bits>) in.values(at.bucket)[at.slot] = base::weight_of(k);
    return at.reused_tombstone ? ~std::uint32_t{0} : 0;
  }
};

}  // namespace mangrove::detail
