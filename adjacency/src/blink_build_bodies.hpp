#pragma once

#include "mangrove/adjacency/detail/blink_view.hpp"
#include "ordered_build_bodies.hpp"

namespace mangrove::detail {

/// Body, once per leaf: fills it with its share of the keys.
template <class Key, class Source>
struct build_leaf {
  blink_nodes<Key> nodes;
  Source from;
  std::uint64_t count;
  std::uint64_t leaves;
  node_index* order;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto leaf = static_cast<node_index>(i);
    const std::uint64_t first = begin_of(i);
    const std::uint64_t last = begin_of(i + 1);
    tile.strided(blink_nodes<Key>::slots, [&](std::size_t slot) {
      const std::uint64_t at = first + slot;
      nodes.keys_of(leaf)[slot] = at < last ? from.key(at) : blink_nodes<Key>::greatest;
      if (at < last) move_value(nodes.values_of(leaf), slot, from.values, from.source(at), nodes.value_bytes);
    });
    if (tile.lane() != 0) return;
    const Key low = i == 0 ? Key{0} : static_cast<Key>(from.key(first - 1) + 1);
    const bool is_last = i + 1 == leaves;
    nodes.heads[leaf] = {node_state::of(static_cast<std::uint32_t>(last - first)), is_last ? no_node : leaf + 1, low,
                         is_last ? blink_nodes<Key>::greatest : from.key(last - 1)};
    order[i] = leaf;
  }

 private:
  /// Shares differ by one key at most; the first leaves get the longer ones.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t begin_of(std::uint64_t i) const {
    const std::uint64_t share = count / leaves;
    const std::uint64_t longer = count % leaves;
    return i * share + (i < longer ? i : longer);
  }
};

}  // namespace mangrove::detail
