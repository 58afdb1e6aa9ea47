#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mangrove/adjacency/detail/blink_view.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/tile_part.hpp"
#include "mangrove/core/unrolled.hpp"

/// @file
/// Searches in a B-link tree at rest by parts of a warp, each part for a key of its own. A part reads a node whole, at
/// once, where halving it would read five keys one after the other.

namespace mangrove::detail {

/// How many of a node's slots hold keys below `key`.
/// @param key of a part
template <std::uint32_t Slots, class Part, class Key>
MANGROVE_HOST_DEVICE std::uint32_t row_slots_below(const Part& part, const Key* keys, Key key) {
  constexpr int own = static_cast<int>(Slots) / Part::lanes;
  Key row[own];
  load_row<access::plain>(keys + part.lane() * own, row);
  std::uint32_t below = 0;
  unrolled<own>([&](int k) { below += row[k] < key ? 1 : 0; });
  const auto full = static_cast<int>(count_bits(part.ballot(below == own)));
  const int lane = full < Part::lanes ? full : Part::lanes - 1;
  return lane * own + part.broadcast(below, lane);
}

/// Rank of the leaf that `key` belongs to.
/// @param key of a part
template <class Part, class Key>
MANGROVE_HOST_DEVICE std::uint32_t rank_by_rows(const Part& part, const blink_view<Key>& tree, Key key) {
  std::uint32_t node = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (std::uint32_t level = tree.height; level != 0; --level) {
    const Key* const keys = tree.nodes.keys_of_inner(tree.first[level] + node);
    node = node * tree.fanout + row_slots_below<tree.slots>(part, keys, key);
  }
  return node;
}

/// Searches where each lane of a warp has a key of its own: the warp's parts go down one level for one of their lanes
/// after the other, so that all of their loads are under way together.
/// @tparam Lanes of a part
template <int Lanes, class Tile, class Key>
class warp_search {
  using view = blink_view<Key>;

 public:
  MANGROVE_HOST_DEVICE warp_search(const Tile& tile, const view& tree, Key key) : part_(tile), tree_(tree), key_(key) {}

  /// As the view's.
  [[nodiscard]] MANGROVE_HOST_DEVICE blink_place lower_bound() const {
    const std::uint32_t rank = this->rank();
    const node_index leaf = tree_.order[rank];
    return {rank, leaf, slots_below(leaf, [&](node_index of) { return tree_.nodes.keys_of(of); })};
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t rank() const {
    std::uint32_t node = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (std::uint32_t level = tree_.height; level != 0; --level) {
      const std::uint32_t first = tree_.first[level];
      const auto keys_of = [&](std::uint32_t of) { return tree_.nodes.keys_of_inner(first + of); };
      node = node * view::fanout + slots_below(node, keys_of);
    }
    return node;
  }

  /// @param node per lane
  template <class KeysOf>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t slots_below(std::uint32_t node, KeysOf keys_of) const {
    std::uint32_t own = 0;
    unrolled<Lanes>([&](int lane) {
      const Key* const keys = keys_of(part_.broadcast(node, lane));
      const std::uint32_t below = row_slots_below<view::slots>(part_, keys, part_.broadcast(key_, lane));
      own = part_.lane() == lane ? below : own;
    });
    return own;
  }

  const tile_part<Tile, Lanes> part_;
  const view& tree_;
  const Key key_;
};

/// Body, once per as many queries as a warp has lanes. Lanes whose keys are in order mostly read the same nodes; then
/// each searches alone.
template <class Query>
struct search_by_warp {
  static constexpr int blocks_at_once = 8;
  static constexpr int node_lanes = 4;  ///< that read a node
  Query query;
  std::size_t count;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t group) const {
    const std::size_t i = group * Tile::lanes + tile.lane();
    const auto key = query.wanted(i < count ? i : count - 1);
    using search = warp_search<node_lanes, Tile, std::remove_const_t<decltype(key)>>;
    const bool is_in_order = (tile.ballot(key < tile.from_before(key)) & ~1U) == 0;
    const blink_place at =
        is_in_order ? query.view.lower_bound(tile.solo(), key) : search(tile, query.view, key).lower_bound();
    if (i < count) query.answer(tile.solo(), i, at);
  }
};

}  // namespace mangrove::detail
