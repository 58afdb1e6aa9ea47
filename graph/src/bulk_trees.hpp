#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_fill.hpp"
#include "mangrove/core/buffer.hpp"
#include "tree_fill.hpp"

/// @file
/// Rows of a bulk build that become B-trees. They are sorted and without repeats, so all that is left is to deal them
/// out.

namespace mangrove::detail {

/// Body: measures the tree of a row; all numbers are to be scanned.
template <class Bits>
struct measure_tree {
  const bulk_row* list;
  std::uint64_t* begins;
  std::uint64_t* leaves;
  std::uint64_t* chunks;  ///< of the directory

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const bulk_row row = list[i];
    const std::uint32_t count = layout_policy<Bits>::leaves_for(row.size());
    begins[i] = row.begin;
    leaves[i] = count;
    chunks[i] = tree_directory::chunks_for(count);
  }
};

/// Body: takes the directory of a tree, and writes the entry.
template <class Bits>
struct take_directory {
  bulk_source<Bits> from;
  const bulk_row* list;
  vertex_entry* entries;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const bulk_row row = list[i];
    vertex_entry entry = from.take(row);
    entry.degree = row.size();
    entry.words[2] = layout_policy<Bits>::leaves_for(row.size());
    entries[i] = from.graph.entries[row.vertex] = entry;
  }
};

/// The trees of a bulk build.
template <backend B, class Bits>
class bulk_trees {
 public:
  /// @param list the rows, `count` of them; must stay. @throws memory_error
  bulk_trees(const resources<B>& res, const bulk_row* list, std::size_t count)
      : list_(list), entries_(res, count), begins_(res, count) {
    if (count == 0) return;
    buffer<B, std::uint64_t> leaves(res, count);
    buffer<B, std::uint64_t> chunks(res, count);
    for_each_tile<1>(res, count, measure_tree<Bits>{list, begins_.data(), leaves.data(), chunks.data()});
    leaf_offsets_ = offsets_of(res, leaves);
    chunk_offsets_ = offsets_of(res, chunks);
    leaves_ = read_back(res, leaf_offsets_.data() + count);
    chunks_ = read_back(res, chunk_offsets_.data() + count);
  }

  /// Leaves that are taken from the pool, each a request of class `leaf_class`.
  [[nodiscard]] std::uint32_t leaves() const noexcept { return static_cast<std::uint32_t>(leaves_); }

  /// @param first_request number of the first leaf's request. Allocates nothing.
  void fill(const resources<B>& res, const bulk_source<Bits>& from, std::uint32_t first_request) {
    const std::size_t count = entries_.size();
    for_each_tile<1>(res, count, take_directory<Bits>{from, list_, entries_.data()});
    const numbered_trees by_leaf{from.graph.pool, entries_.data(), leaf_offsets_.data(), count};
    for_each_tile<32>(
        res, leaves_,
        deal_leaf<Bits, edge_values<Bits>>{by_leaf, from.pool, first_request, begins_.data(), from.values});
    const numbered_trees by_chunk{from.graph.pool, entries_.data(), chunk_offsets_.data(), count};
    for_each_tile<32>(res, chunks_, index_directory{by_chunk});
  }

 private:
  const bulk_row* list_;
  buffer<B, vertex_entry> entries_;
  buffer<B, std::uint64_t> begins_;
  buffer<B, std::uint64_t> leaf_offsets_;
  buffer<B, std::uint64_t> chunk_offsets_;
  std::size_t leaves_ = 0;
  std::size_t chunks_ = 0;
};

}  // namespace mangrove::detail
