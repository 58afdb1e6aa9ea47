#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_keys.hpp"
#include "edge_sort.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"

/// @file
/// The first half of a bulk build: a batch of inserts becomes rows, one for each vertex, of targets and weights.

namespace mangrove::detail {

/// A batch of inserts by source.
template <backend B, class Bits>
struct bulk_rows {
  buffer<B, bulk_row> rows;          ///< one a vertex index
  buffer<B, std::uint32_t> targets;  ///< of directed edges, in rows
  buffer<B, Bits> weights;           ///< beside the targets; empty without weights
};

/// Makes rows of a batch of inserts.
template <backend B, class Bits>
class bulk_row_maker {
 public:
  /// @param weights the batch's, null for zeros
  bulk_row_maker(const resources<B>& res, const indexed_updates& updates, const Bits* weights,
                 const graph_options& options, std::uint32_t index_count)
      : res_(res), updates_(updates), weights_(weights), options_(options), index_count_(index_count) {}

  /// Directed edges that the batch names at most.
  [[nodiscard]] std::size_t directed() const {
    return options_.direction == edge_direction::directed ? updates_.size : 2 * updates_.size;
  }

  /// Rows in which edges stand in the order of the batch, or in another one in which the last of equal edges is the
  /// last. Cost: a sort by as many bits as an index has.
  [[nodiscard]] bulk_rows<B, Bits> by_source() const {
    const std::size_t count = directed();
    const bulk_key_format format = bulk_key_format::make(index_count_, count, !is_none<Bits>);
    buffer<B, std::uint64_t> keys(res_, count);
    const std::size_t stride = (updates_.size + bulk_lane_edges - 1) / bulk_lane_edges;
    for_each_tile<1>(
        res_, stride,
        make_bulk_keys<Bits>{updates_, format, options_.direction, options_.loops, index_count_, stride, keys.data()});
    sort(res_, keys.data(), count, static_cast<int>(format.low_bits),
         static_cast<int>(format.low_bits + format.index_bits));
    bulk_rows<B, Bits> made = empty(count);
    const std::size_t key_stride = (count + bulk_lane_edges - 1) / bulk_lane_edges;
    for_each_tile<1>(
        res_, key_stride,
        split_bulk_keys<Bits>{keys.data(), count, key_stride, format, updates_, weights_, options_.direction,
                              made.rows.data(), made.targets.data(), made.weights.data()});
    return made;
  }

  /// Rows sorted by target, without repeats. Cost: a sort by twice as many bits, and a pass over the edges more.
  [[nodiscard]] bulk_rows<B, Bits> without_repeats() const {
    const last_updates<B> last = edge_sorter<B>(res_, options_, index_count_).run(updates_, {});
    bulk_rows<B, Bits> made = empty(last.size);
    for_each_tile<1>(res_, last.size,
                     split_sorted_edges<Bits>{last.edges.data(), last.sequences.data(), last.size, weights_,
                                              made.rows.data(), made.targets.data(), made.weights.data()});
    return made;
  }

 private:
  [[nodiscard]] bulk_rows<B, Bits> empty(std::size_t edges) const {
    bulk_rows<B, Bits> made{{res_, index_count_}, {res_, edges}, {}};
    if constexpr (!is_none<Bits>) made.weights = buffer<B, Bits>(res_, edges);
    fill_bytes(res_, made.rows.data(), 0, index_count_);
    return made;
  }

  const resources<B>& res_;
  indexed_updates updates_;
  const Bits* weights_;
  graph_options options_;
  std::uint32_t index_count_;
};

}  // namespace mangrove::detail
