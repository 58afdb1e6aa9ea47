#pragma once

#include <cstddef>
#include <cstdint>

#include "tree_kept.hpp"
#include "tree_remade.hpp"

namespace mangrove::detail {

/// All that a sorted batch does to trees. `prepare` plans it and secures all memory but the pool's; the members after
/// it belong to commit and allocate nothing.
template <backend B, class Bits>
class tree_batch {
 public:
  /// Whether the batch touches no trees.
  [[nodiscard]] bool empty() const noexcept { return planned_.vertex_count == 0; }

  /// @param from stays where it is until the batch is committed; its vertices ask for directories in `totals`
  /// @throws memory_error with the graph as it was
  void prepare(const resources<B>& res, const planned_changes<Bits>& from, plan_totals* totals) {
    planned_ = from;
    kept_.prepare(res, from, totals);
    remade_.prepare(res, from);
  }

  /// Adds the leaves that the batch takes and gives to what all else takes and gives.
  void add_to(pool_demand& demand) noexcept {
    std::uint32_t& taken = demand.taken[leaf_class];
    std::uint32_t& given = demand.given[leaf_class];
    first_kept_ = {taken, given};
    first_remade_ = {taken + kept_.counts().taken(), given + kept_.counts().given()};
    taken = first_remade_.taken + remade_.counts().taken;
    given = first_remade_.given + remade_.counts().given;
  }

  /// Moves what stays of trees into the hash tables that they become.
  /// @param tables the plans of vertices that get tables. @param slabs offsets of the slabs of what those had
  void move_to_tables(const resources<B>& res, const std::uint32_t* tables, std::size_t table_count,
                      const std::uint64_t* slabs, std::size_t slab_count) const {
    for_each_tile<32>(res, slab_count,
                      move_old_leaf<Bits>{planned_.graph, tables, planned_.plans, slabs, table_count, planned_.starts,
                                          planned_.vertex_count, planned_.changes});
  }

  /// Brings every other vertex that has a tree afterwards, or had one, up to date.
  /// @pre directories and arrays have their extents in the plans
  void change(const resources<B>& res, const pool_ref& pool) {
    kept_.change(res, pool, first_kept_);
    remade_.change(res, pool, first_remade_);
    for_each_tile<1>(res, planned_.vertex_count, publish_trees<Bits>{planned_.plans, planned_.graph.entries});
  }

 private:
  planned_changes<Bits> planned_{};
  kept_trees<B, Bits> kept_;
  remade_trees<B, Bits> remade_;
  first_leaves first_kept_{};
  first_leaves first_remade_{};
};

}  // namespace mangrove::detail
