#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "bulk_edges.hpp"
#include "bulk_looks.hpp"
#include "edge_sort.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"

/// @file
/// The first part of a bulk build: a batch of inserts becomes directed edges by source.

namespace mangrove::detail {

/// Directed edges by source. A source of `none` stands for no edge; those come last.
template <backend B, class Bits>
struct bulk_edges {
  buffer<B, std::uint32_t> sources;
  buffer<B, typename bulk_value<Bits>::type> values;  ///< targets, and weights with them
  std::uint32_t none = 0;

  bulk_edges() = default;
  bulk_edges(const resources<B>& res, std::size_t count, std::uint32_t no_source)
      : sources(res, count), values(res, count), none(no_source) {}
  [[nodiscard]] std::size_t size() const noexcept { return sources.size(); }
  [[nodiscard]] sorted_edges<Bits> view() const {
    return {sources.data(), edge_values<Bits>(values.data()), size(), none};
  }
};

/// Sorts a batch of inserts.
template <backend B, class Bits>
class bulk_edge_sorter {
  using value = typename bulk_value<Bits>::type;

 public:
  bulk_edge_sorter(const resources<B>& res, const bulk_batch<Bits>& batch, const graph_options& options,
                   std::uint32_t index_count)
      : res_(res), batch_(batch), options_(options), index_count_(index_count) {}

  /// Directed edges that the batch names at most.
  [[nodiscard]] std::size_t directed() const { return batch_.directed(options_.direction); }

  /// By source; of equal edges the batch's last one is the last. Cost: a sort by as many bits as an index has.
  [[nodiscard]] bulk_edges<B, Bits> by_source() const {
    bulk_edges<B, Bits> made(res_, directed(), index_count_);
    if (options_.direction == edge_direction::directed && batch_.naming == edge_naming::edges_only) {
      sort_as_given(made);
    } else {
      buffer<B, std::uint32_t> sources(res_, made.size());
      const buffer<B, value> values = name(sources.data(), made.size());
      sort_into(made, sources.data(), values.data(), bits_up_to(index_count_));
    }
    return made;
  }

  /// By source and target, without repeats. Cost: a sort by twice as many bits, and a pass over the edges more.
  [[nodiscard]] bulk_edges<B, Bits> without_repeats() const {
    const last_updates<B> last = edge_sorter<B>(res_, options_, index_count_).run(batch_.updates, {});
    bulk_edges<B, Bits> made(res_, last.size, index_count_);
    for_each_tile<1>(res_, last.size,
                     split_sorted_edges<Bits>{last.edges.data(), last.sequences.data(), batch_.weights,
                                              made.sources.data(), made.values.data()});
    return made;
  }

 private:
  static int bits_up_to(std::uint32_t greatest) { return std::max(1, static_cast<int>(std::bit_width(greatest))); }

  /// Each update is one edge: sources, and targets without weights, are sorted from where they are.
  void sort_as_given(bulk_edges<B, Bits>& made) const {
    const int bits = bits_up_to(index_count_ == 0 ? 0 : index_count_ - 1);
    if constexpr (is_none<Bits>) {
      sort_into(made, batch_.updates.sources, batch_.updates.targets, bits);
    } else {
      sort_into(made, batch_.updates.sources, name(nullptr, made.size()).data(), bits);
    }
  }

  /// Names the batch's directed edges. @param sources gets theirs; may be null @return what is sorted along with them
  [[nodiscard]] buffer<B, value> name(std::uint32_t* sources, std::size_t directed) const {
    const std::size_t stride = (batch_.updates.size + name_edges<Bits>::each - 1) / name_edges<Bits>::each;
    buffer<B, value> values(res_, directed);
    for_each_tile<1>(
        res_, stride,
        name_edges<Bits>{batch_, options_.direction, options_.loops, index_count_, stride, sources, values.data()});
    return values;
  }

  void sort_into(bulk_edges<B, Bits>& made, const std::uint32_t* sources, const value* values, int bits) const {
    sort_pairs(res_, sources, values, made.sources.data(), made.values.data(), made.size(), bits);
  }

  const resources<B>& res_;
  bulk_batch<Bits> batch_;
  graph_options options_;
  std::uint32_t index_count_;
};

}  // namespace mangrove::detail
