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
  buffer<B, std::uint32_t> targets;
  buffer<B, Bits> weights;  ///< empty without weights
  std::uint32_t none = 0;

  bulk_edges() = default;
  bulk_edges(const resources<B>& res, std::size_t count, std::uint32_t no_source)
      : sources(res, count), targets(res, count), none(no_source) {
    if constexpr (!is_none<Bits>) weights = buffer<B, Bits>(res, count);
  }
  [[nodiscard]] std::size_t size() const noexcept { return sources.size(); }
  [[nodiscard]] sorted_edges<Bits> view() const {
    return {sources.data(), targets.data(), weights.data(), size(), none};
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
    if constexpr (is_none<Bits>) {
      if (options_.direction == edge_direction::directed && batch_.naming == edge_naming::edges_only) {
        sort_pairs(res_, batch_.updates.sources, batch_.updates.targets, made.sources.data(), made.targets.data(),
                   made.size(), bits_up_to(index_count_ == 0 ? 0 : index_count_ - 1));
        return made;
      }
    }
    sort_named(made);
    return made;
  }

  /// By source and target, without repeats. Cost: a sort by twice as many bits, and a pass over the edges more.
  [[nodiscard]] bulk_edges<B, Bits> without_repeats() const {
    const last_updates<B> last = edge_sorter<B>(res_, options_, index_count_).run(batch_.updates, {});
    bulk_edges<B, Bits> made(res_, last.size, index_count_);
    for_each_tile<1>(res_, last.size,
                     split_sorted_edges<Bits>{last.edges.data(), last.sequences.data(), batch_.weights,
                                              made.sources.data(), made.targets.data(), made.weights.data()});
    return made;
  }

 private:
  static int bits_up_to(std::uint32_t greatest) { return std::max(1, static_cast<int>(std::bit_width(greatest))); }

  void sort_named(bulk_edges<B, Bits>& made) const {
    const std::size_t stride = (batch_.updates.size + name_edges<Bits>::each - 1) / name_edges<Bits>::each;
    buffer<B, std::uint32_t> sources(res_, made.size());
    buffer<B, value> values(res_, made.size());
    for_each_tile<1>(res_, stride,
                     name_edges<Bits>{batch_, options_.direction, options_.loops, index_count_, stride, sources.data(),
                                      values.data()});
    const int bits = bits_up_to(index_count_);
    if constexpr (is_none<Bits>) {
      sort_pairs(res_, sources.data(), values.data(), made.sources.data(), made.targets.data(), made.size(), bits);
    } else {
      buffer<B, value> sorted(res_, made.size());
      sort_pairs(res_, sources.data(), values.data(), made.sources.data(), sorted.data(), made.size(), bits);
      for_each_tile<1>(res_, made.size(), split_values<Bits>{sorted.data(), made.targets.data(), made.weights.data()});
    }
  }

  const resources<B>& res_;
  bulk_batch<Bits> batch_;
  graph_options options_;
  std::uint32_t index_count_;
};

}  // namespace mangrove::detail
