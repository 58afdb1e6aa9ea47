#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/segmented_sort.hpp"
#include "tree_kept.hpp"
#include "tree_moves.hpp"

namespace mangrove::detail {

/// The vertices of a sorted batch that become trees, stop being trees, or whose tree is built anew: `prepare` makes
/// their rows, what follows belongs to commit.
template <backend B, class Bits>
class remade_trees {
 public:
  /// @param from stays where it is until the batch is committed. @throws memory_error
  void prepare(const resources<B>& res, const planned_changes<Bits>& from) {
    planned_ = from;
    list(res);
    if (row_count_ != 0) make_rows(res);
  }

  /// Leaves that are taken and given.
  [[nodiscard]] first_leaves counts() const noexcept {
    return {static_cast<std::uint32_t>(leaves_), static_cast<std::uint32_t>(dropped_leaves_)};
  }

  /// Writes the rows, and gives the leaves of old trees back. Allocates nothing.
  /// @pre directories and arrays have their extents in the plans
  void change(const resources<B>& res, const pool_ref& pool, const first_leaves& first) {
    std::byte* const memory = planned_.graph.pool;
    for_each_tile<1>(res, row_count_, settle_row{planned_.plans, rows_.data(), entries_.data()});
    const numbered_trees by_leaf{memory, entries_.data(), leaf_offsets_.data(), row_count_};
    for_each_tile<slab_width>(
        res, leaves_,
        deal_leaf<Bits, parallel_edges<Bits>>{
            by_leaf, pool, first.taken, row_begin_.data(), {row_keys_.data(), row_weights_.data()}});
    const numbered_trees by_chunk{memory, entries_.data(), chunk_offsets_.data(), row_count_};
    for_each_tile<slab_width>(res, chunks_, index_directory{by_chunk});
    for_each_tile<8>(res, row_count_,
                     write_row<Bits>{planned_.graph, planned_.plans, rows_.data(), row_begin_.data(), row_keys_.data(),
                                     row_weights_.data()});
    for_each_tile<1>(res, dropped_leaves_,
                     give_dropped<Bits>{planned_.graph, dropped_.data(), planned_.plans, dropped_offsets_.data(),
                                        dropped_count_, pool, first.given});
  }

 private:
  static constexpr int slab_width = 32;

  void list(const resources<B>& res) {
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

  /// Makes the rows: gathered in any order, then sorted.
  void make_rows(const resources<B>& res) {
    buffer<B, std::uint64_t> degrees(res, row_count_);
    buffer<B, std::uint64_t> parts(res, row_count_);
    buffer<B, std::uint64_t> leaves(res, row_count_);
    buffer<B, std::uint64_t> chunks(res, row_count_);
    for_each_tile<1>(res, row_count_,
                     measure_row<Bits>{sources(), degrees.data(), parts.data(), leaves.data(), chunks.data()});
    row_begin_ = offsets_of(res, degrees);
    leaf_offsets_ = offsets_of(res, leaves);
    chunk_offsets_ = offsets_of(res, chunks);
    leaves_ = read_back(res, leaf_offsets_.data() + row_count_);
    chunks_ = read_back(res, chunk_offsets_.data() + row_count_);
    entries_ = buffer<B, vertex_entry>(res, row_count_);
    gather(res, offsets_of(res, parts));
  }

  void gather(const resources<B>& res, const buffer<B, std::uint64_t>& part_offsets) {
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

  planned_changes<Bits> planned_{};

  buffer<B, std::uint32_t> dropped_;  ///< plans whose tree goes
  buffer<B, std::uint64_t> dropped_offsets_;
  std::size_t dropped_count_ = 0;
  std::size_t dropped_leaves_ = 0;

  buffer<B, std::uint32_t> rows_;    ///< plans that are written from rows
  buffer<B, vertex_entry> entries_;  ///< by row, once extents are known
  buffer<B, std::uint64_t> row_begin_;
  buffer<B, std::uint64_t> leaf_offsets_;
  buffer<B, std::uint64_t> chunk_offsets_;
  buffer<B, std::uint32_t> row_keys_;
  buffer<B, Bits> row_weights_;
  std::size_t row_count_ = 0;
  std::size_t leaves_ = 0;
  std::size_t chunks_ = 0;
};

}  // namespace mangrove::detail
