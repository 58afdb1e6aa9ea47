#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/for_each_scratch.hpp"
#include "tree_directories.hpp"

namespace mangrove::detail {

/// What the planning of all vertices has found out, and what trees are planned from.
template <class Bits>
struct planned_changes {
  adjacency_view<Bits> graph;
  vertex_plan* plans;
  const std::uint32_t* starts;
  std::size_t vertex_count;
  vertex_changes<Bits> changes;
  const std::uint64_t* changes_before;
};

/// Numbers of the first leaf that is taken from the pool and of the first that is given to it.
struct first_leaves {
  std::uint32_t taken;
  std::uint32_t given;
};

/// The trees of a sorted batch that stay: `prepare` plans their leaves and directories, `change` belongs to commit.
template <backend B, class Bits>
class kept_trees {
 public:
  /// @param from stays where it is until the batch is committed; its vertices ask for directories in `totals`
  /// @throws memory_error
  void prepare(const resources<B>& res, const planned_changes<Bits>& from, plan_totals* totals) {
    planned_ = from;
    const std::size_t size = from.changes.last;
    buffer<B, std::uint32_t> starts(res, size);
    buffer<B, std::uint8_t> flags(res, size);
    plan_leaves(res, flags, starts);
    const std::size_t runs = runs_.size();
    for_each_tile<1>(res, runs, mark_trees{runs_.data(), flags.data()});
    plan_directories(res, starts, select(res, flags.data(), starts.data(), runs), totals);
  }

  /// Leaves that are taken and given.
  [[nodiscard]] const leaf_counts& counts() const noexcept { return counts_; }

  /// Brings leaves and directories up to date. Allocates nothing. @pre new directories have their extents in the plans
  void change(const resources<B>& res, const pool_ref& pool, const first_leaves& first) {
    const leaf_changes<Bits> shared{planned_.graph, planned_.plans,        planned_.changes, planned_.changes_before,
                                    runs_.data(),   counts_before_.data(), runs_.size(),     trees_.data()};
    for_each_tile_with_scratch<slab_width, slab_bytes>(res, runs_.size(), merge_leaf<Bits>{shared});
    for_each_tile<slab_width>(res, counts_.taken(), write_piece<Bits>{shared, pool, first.taken});
    for_each_tile<1>(res, trees_.size(), settle_tree{planned_.plans, trees_.data(), entries_.data()});
    const numbered_trees old{planned_.graph.pool, nullptr, old_chunks_.data(), trees_.size()};
    for_each_tile<slab_width>(res, old_chunk_count_, copy_directory<Bits>{shared, old});
    const numbered_trees next{planned_.graph.pool, entries_.data(), new_chunks_.data(), trees_.size()};
    for_each_tile<slab_width>(res, new_chunk_count_, index_directory{next});
    for_each_tile<1>(res, runs_.size(), give_leaf<Bits>{shared, pool, first.given});
  }

 private:
  static constexpr int probe_width = 8;
  static constexpr int slab_width = 32;

  void plan_leaves(const resources<B>& res, buffer<B, std::uint8_t>& flags, buffer<B, std::uint32_t>& starts) {
    const vertex_changes<Bits>& changes = planned_.changes;
    const std::size_t size = changes.last;
    buffer<B, std::uint32_t> leaf_of(res, size);
    for_each_tile<probe_width>(res, size, locate_leaf<Bits>{planned_.graph, changes.edges, leaf_of.data()});
    for_each_tile<1>(res, size, mark_leaf_runs{changes.edges, leaf_of.data(), flags.data()});
    const std::size_t runs = select(res, flags.data(), starts.data(), size);
    runs_ = buffer<B, leaf_run>(res, runs);
    buffer<B, std::uint64_t> counts(res, runs);
    for_each_tile<probe_width>(
        res, runs,
        plan_leaf_run<Bits>{planned_.graph, planned_.plans, planned_.starts, planned_.vertex_count, size,
                            planned_.changes_before, leaf_of.data(), starts.data(), runs, runs_.data(), counts.data()});
    counts_before_ = offsets_of(res, counts);
    counts_.packed = read_back(res, counts_before_.data() + runs);
  }

  void plan_directories(const resources<B>& res, const buffer<B, std::uint32_t>& first_runs, std::size_t trees,
                        plan_totals* totals) {
    trees_ = buffer<B, changed_tree>(res, trees);
    entries_ = buffer<B, vertex_entry>(res, trees);
    buffer<B, std::uint64_t> old_chunks(res, trees);
    buffer<B, std::uint64_t> new_chunks(res, trees);
    for_each_tile<1>(
        res, trees,
        plan_directory<Bits>{planned_.plans, runs_.data(), runs_.size(), counts_before_.data(), first_runs.data(),
                             trees, trees_.data(), old_chunks.data(), new_chunks.data(), totals});
    old_chunks_ = offsets_of(res, old_chunks);
    new_chunks_ = offsets_of(res, new_chunks);
    old_chunk_count_ = read_back(res, old_chunks_.data() + trees);
    new_chunk_count_ = read_back(res, new_chunks_.data() + trees);
  }

  planned_changes<Bits> planned_{};
  buffer<B, leaf_run> runs_;
  buffer<B, std::uint64_t> counts_before_;  ///< `leaf_counts` in front of each run
  leaf_counts counts_{};
  buffer<B, changed_tree> trees_;
  buffer<B, vertex_entry> entries_;      ///< by tree, once directories have their extents
  buffer<B, std::uint64_t> old_chunks_;  ///< offsets by tree: of a directory that is replaced
  buffer<B, std::uint64_t> new_chunks_;  ///< and of the one that replaces it
  std::size_t old_chunk_count_ = 0;
  std::size_t new_chunk_count_ = 0;
};

}  // namespace mangrove::detail
