#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/for_each_scratch.hpp"
#include "mangrove/core/segmented_sort.hpp"
#include "tree_merge.hpp"
#include "tree_rows.hpp"

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

/// The trees of a batch that is sorted: `prepare` plans them and makes the rows of those that are made anew; the
/// members after it belong to commit and allocate nothing.
template <backend B, class Bits>
class tree_batch {
 public:
  /// Whether the batch touches trees.
  [[nodiscard]] bool empty() const noexcept { return planned_.vertex_count == 0; }

  /// @param from stays where it is until the batch is committed; its vertices ask for directories in `totals`
  /// @throws memory_error with the graph as it was
  void prepare(const resources<B>& res, const planned_changes<Bits>& from, plan_totals* totals) {
    planned_ = from;
    plan_runs(res, totals);
    plan_rows(res);
    make_rows(res);
  }

  /// Adds the leaves that the batch takes and gives to what all else takes and gives.
  void add_to(pool_demand& demand) noexcept {
    first_request_ = demand.taken[leaf_class];
    first_gift_ = demand.given[leaf_class];
    demand.taken[leaf_class] += counts_.taken() + static_cast<std::uint32_t>(row_leaves_);
    demand.given[leaf_class] += counts_.given() + static_cast<std::uint32_t>(dropped_leaves_);
  }

  /// Brings every vertex that has a tree afterwards, or had one, up to date, but for those that become hash tables.
  /// @pre directories and arrays have their extents in the plans
  void change(const resources<B>& res, const pool_ref& pool) {
    change_leaves(res, pool);
    write_rows(res, pool);
    give_back(res, pool);
  }

  /// Moves what stays of trees into the hash tables that they become.
  /// @param tables the plans of vertices that get tables, `slabs` the offsets of what those had
  void move_to_tables(const resources<B>& res, const std::uint32_t* tables, std::size_t table_count,
                      const std::uint64_t* slabs, std::size_t slab_count) const {
    for_each_tile<32>(res, slab_count,
                      move_old_leaf<Bits>{planned_.graph, tables, planned_.plans, slabs, table_count, planned_.starts,
                                          planned_.vertex_count, planned_.changes});
  }

 private:
  static constexpr int probe_width = 8;
  static constexpr int slab_width = 32;

  void plan_runs(const resources<B>& res, plan_totals* totals) {
    const vertex_changes<Bits>& changes = planned_.changes;
    const std::size_t size = changes.last;
    buffer<B, std::uint32_t> leaf_of(res, size);
    buffer<B, std::uint32_t> starts(res, size);
    buffer<B, std::uint8_t> flags(res, size);
    for_each_tile<probe_width>(res, size, locate_leaf<Bits>{planned_.graph, changes.edges, leaf_of.data()});
    for_each_tile<1>(res, size, mark_leaf_runs{changes.edges, leaf_of.data(), flags.data()});
    const std::size_t runs = select(res, flags.data(), starts.data(), size);
    runs_ = buffer<B, leaf_run>(res, runs);
    buffer<B, std::uint64_t> counts(res, runs);
    for_each_tile<probe_width>(
        res, runs,
        plan_leaf<Bits>{planned_.graph, planned_.plans, planned_.starts, planned_.vertex_count, size,
                        planned_.changes_before, leaf_of.data(), starts.data(), runs, runs_.data(), counts.data()});
    counts_before_ = offsets_of(res, counts);
    counts_.packed = read_back(res, counts_before_.data() + runs);
    for_each_tile<1>(res, runs, mark_trees{runs_.data(), flags.data()});
    plan_directories(res, starts, select(res, flags.data(), starts.data(), runs), totals);
  }

  void plan_directories(const resources<B>& res, const buffer<B, std::uint32_t>& first_runs, std::size_t trees,
                        plan_totals* totals) {
    trees_ = buffer<B, changed_tree>(res, trees);
    tree_entries_ = buffer<B, vertex_entry>(res, trees);
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

  void plan_rows(const resources<B>& res) {
    const std::size_t vertices = planned_.vertex_count;
    buffer<B, std::uint8_t> wants_row(res, vertices);
    buffer<B, std::uint8_t> drops_tree(res, vertices);
    for_each_tile<1>(res, vertices, mark_rows<Bits>{planned_.plans, wants_row.data(), drops_tree.data()});
    rows_ = buffer<B, std::uint32_t>(res, vertices);
    row_count_ = select(res, wants_row.data(), rows_.data(), vertices);
    dropped_ = buffer<B, std::uint32_t>(res, vertices);
    dropped_count_ = select(res, drops_tree.data(), dropped_.data(), vertices);
    buffer<B, std::uint64_t> leaves(res, dropped_count_);
    for_each_tile<1>(res, dropped_count_, measure_dropped{dropped_.data(), planned_.plans, leaves.data()});
    dropped_offsets_ = offsets_of(res, leaves);
    dropped_leaves_ = read_back(res, dropped_offsets_.data() + dropped_count_);
  }

  [[nodiscard]] row_sources<Bits> sources() const {
    return {planned_.graph, planned_.plans, planned_.starts, planned_.vertex_count, planned_.changes, rows_.data()};
  }

  /// Makes the rows: unsorted from what each is made of, then sorted.
  void make_rows(const resources<B>& res) {
    if (row_count_ == 0) return;
    buffer<B, std::uint64_t> degrees(res, row_count_);
    buffer<B, std::uint64_t> parts(res, row_count_);
    buffer<B, std::uint64_t> leaves(res, row_count_);
    buffer<B, std::uint64_t> chunks(res, row_count_);
    for_each_tile<1>(res, row_count_,
                     measure_row<Bits>{sources(), degrees.data(), parts.data(), leaves.data(), chunks.data()});
    row_begin_ = offsets_of(res, degrees);
    leaf_offsets_ = offsets_of(res, leaves);
    chunk_offsets_ = offsets_of(res, chunks);
    row_leaves_ = read_back(res, leaf_offsets_.data() + row_count_);
    row_chunks_ = read_back(res, chunk_offsets_.data() + row_count_);
    row_entries_ = buffer<B, vertex_entry>(res, row_count_);
    gather_rows(res, offsets_of(res, parts));
  }

  void gather_rows(const resources<B>& res, const buffer<B, std::uint64_t>& part_offsets) {
    const std::uint64_t keys = read_back(res, row_begin_.data() + row_count_);
    if (keys == 0) return;
    row_keys_ = buffer<B, std::uint32_t>(res, keys);
    if constexpr (!is_none<Bits>) row_weights_ = buffer<B, Bits>(res, keys);
    buffer<B, std::uint32_t> cursors(res, row_count_);
    fill_bytes(res, cursors.data(), 0, row_count_);
    for_each_tile<slab_width>(res, read_back(res, part_offsets.data() + row_count_),
                              gather_row<Bits>{sources(), part_offsets.data(), row_count_, row_begin_.data(),
                                               cursors.data(), row_keys_.data(), row_weights_.data()});
    const segments rows{row_begin_.data(), row_begin_.data() + 1, row_count_};
    if constexpr (is_none<Bits>) {
      sort_segments(res, row_keys_, rows);
    } else {
      sort_segments(res, row_keys_, row_weights_, rows);
    }
  }

  void change_leaves(const resources<B>& res, const pool_ref& pool) {
    const leaf_changes<Bits> shared = changes();
    for_each_tile_with_scratch<slab_width, slab_bytes>(res, runs_.size(), merge_leaf<Bits>{shared});
    for_each_tile<slab_width>(res, counts_.taken(), write_piece<Bits>{shared, pool, first_request_});
    for_each_tile<1>(res, trees_.size(), settle_tree{planned_.plans, trees_.data(), tree_entries_.data()});
    const numbered_trees old{planned_.graph.pool, nullptr, old_chunks_.data(), trees_.size()};
    for_each_tile<slab_width>(res, old_chunk_count_, copy_directory<Bits>{shared, old});
    const numbered_trees next{planned_.graph.pool, tree_entries_.data(), new_chunks_.data(), trees_.size()};
    for_each_tile<slab_width>(res, new_chunk_count_, index_directory{next});
    for_each_tile<1>(res, runs_.size(), give_leaf<Bits>{shared, pool, first_gift_});
  }

  [[nodiscard]] leaf_changes<Bits> changes() const {
    return {planned_.graph, planned_.plans,        planned_.changes, planned_.changes_before,
            runs_.data(),   counts_before_.data(), runs_.size(),     trees_.data()};
  }

  void write_rows(const resources<B>& res, const pool_ref& pool) {
    for_each_tile<1>(res, row_count_, settle_row{planned_.plans, rows_.data(), row_entries_.data()});
    const numbered_trees by_leaf{planned_.graph.pool, row_entries_.data(), leaf_offsets_.data(), row_count_};
    for_each_tile<slab_width>(res, row_leaves_,
                              deal_leaf<Bits>{by_leaf, pool, first_request_ + counts_.taken(), row_begin_.data(),
                                              row_keys_.data(), row_weights_.data()});
    const numbered_trees by_chunk{planned_.graph.pool, row_entries_.data(), chunk_offsets_.data(), row_count_};
    for_each_tile<slab_width>(res, row_chunks_, index_directory{by_chunk});
    for_each_tile<probe_width>(res, row_count_,
                               write_row<Bits>{planned_.graph, planned_.plans, rows_.data(), row_begin_.data(),
                                               row_keys_.data(), row_weights_.data()});
  }

  void give_back(const resources<B>& res, const pool_ref& pool) const {
    for_each_tile<1>(res, dropped_leaves_,
                     give_dropped<Bits>{planned_.graph, dropped_.data(), planned_.plans, dropped_offsets_.data(),
                                        dropped_count_, pool, first_gift_ + counts_.given()});
    for_each_tile<1>(res, planned_.vertex_count, publish_trees<Bits>{planned_.plans, planned_.graph.entries});
  }

  planned_changes<Bits> planned_{};
  std::uint32_t first_request_ = 0;
  std::uint32_t first_gift_ = 0;

  // Trees that stay.
  buffer<B, leaf_run> runs_;
  buffer<B, std::uint64_t> counts_before_;  ///< `leaf_counts` in front of each run
  leaf_counts counts_{};
  buffer<B, changed_tree> trees_;
  buffer<B, vertex_entry> tree_entries_;  ///< by tree, once directories have their extents
  buffer<B, std::uint64_t> old_chunks_;   ///< offsets by tree: of a directory that is replaced
  buffer<B, std::uint64_t> new_chunks_;   ///< and of the one that replaces it
  std::size_t old_chunk_count_ = 0;
  std::size_t new_chunk_count_ = 0;

  // Trees that go.
  buffer<B, std::uint32_t> dropped_;  ///< plans
  buffer<B, std::uint64_t> dropped_offsets_;
  std::size_t dropped_count_ = 0;
  std::size_t dropped_leaves_ = 0;

  // What is written from rows.
  buffer<B, std::uint32_t> rows_;        ///< plans
  buffer<B, vertex_entry> row_entries_;  ///< by row, once extents are known
  buffer<B, std::uint64_t> row_begin_;
  buffer<B, std::uint64_t> leaf_offsets_;
  buffer<B, std::uint64_t> chunk_offsets_;
  buffer<B, std::uint32_t> row_keys_;
  buffer<B, Bits> row_weights_;
  std::size_t row_count_ = 0;
  std::size_t row_leaves_ = 0;
  std::size_t row_chunks_ = 0;
};

}  // namespace mangrove::detail
