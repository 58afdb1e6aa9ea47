#pragma once

#include "blink_row_search.hpp"
#include "mangrove/adjacency/detail/blink_access.hpp"
#include "mangrove/core/tile_part.hpp"
#include "ordered_range_bodies.hpp"

/// @file
/// How a GPU copies ranges of a B-link tree at rest: a warp several at a time, by a part of its lanes each. It asks for
/// all that it needs of a leaf at once, and for the next leaf's number with it.

namespace mangrove::detail {

/// Copies one range by a part of a warp.
/// @tparam Bits of values
/// @tparam Rows how many keys of a leaf each lane copies at most; no range has room for more than all lanes do, unless
/// they copy all of a leaf
template <int Rows, class Part, class Key, class Bits>
class leaf_copier {
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;
  static constexpr std::uint32_t most = Rows * Part::lanes;  ///< keys of a leaf

 public:
  MANGROVE_HOST_DEVICE leaf_copier(const Part& part, const blink_view<Key>& tree, const key_range<Key>& range,
                                   const range_room& room, void* keys, void* values)
      : part_(part),
        tree_(tree),
        range_(range),
        at_(room.begin),
        left_(range.is_empty ? 0 : room.size),
        keys_(keys),
        values_(values) {}

  /// @return the element after the last one that was written
  MANGROVE_HOST_DEVICE std::uint64_t operator()() {
    std::uint32_t rank = rank_by_rows(part_, tree_, range_.low);
    node_index leaf = tree_.order[rank];
    ask_for_values(leaf);
    std::uint32_t slot = row_slots_below<slots>(part_, tree_.nodes.keys_of(leaf), range_.low);
    for (bool goes_on = true; part_.any_in_tile(goes_on); slot = 0) {
      rank += rank + 1 < tree_.leaves ? 1 : 0;
      const node_index next = tree_.order[rank];
      goes_on = copy(leaf, slot, next);
      leaf = next;
    }
    return at_;
  }

 private:
  /// Copies what the range has of a leaf, from a slot on. @return whether it goes on in the next leaf
  MANGROVE_HOST_DEVICE bool copy(node_index leaf, std::uint32_t slot, node_index next) {
    const leaf_head<Key> head = tree_.nodes.heads[leaf];
    const std::uint32_t wanted = smaller(left_, smaller(most, slots - slot));
    Key keys[Rows] = {};
    Bits values[Rows] = {};
    for_rows(wanted, [&](int row, std::uint32_t n) {
      keys[row] = tree_.nodes.keys_of(leaf)[slot + n];
      values[row] = load_bits<Bits>(tree_.nodes.values_of(leaf), slot + n);
    });
    const std::uint32_t end = end_in(leaf, head);
    const std::uint32_t size = smaller(wanted, slot < end ? end - slot : 0);
    left_ = head.high < range_.high && next != leaf ? left_ - size : 0;
    for_rows(size, [&](int row, std::uint32_t n) {
      store_bits(keys_, at_ + n, tree_.codec.decode(keys[row]));
      store_bits(values_, at_ + n, values[row]);
    });
    at_ += size;
    return left_ != 0;
  }

  /// Asks for the values of a leaf that will be copied mostly.
  MANGROVE_HOST_DEVICE void ask_for_values(node_index leaf) const {
    if constexpr (most == slots && !is_none<Bits>) {
      prefetch_row(part_, tree_.nodes.values_of(leaf), slots * sizeof(Bits));
    }
  }

  /// How many of a leaf's keys are not above the range.
  MANGROVE_HOST_DEVICE std::uint32_t end_in(node_index leaf, const leaf_head<Key>& head) const {
    const std::uint32_t count = node_state::count(head.state);
    const bool ends_here = !(head.high < range_.high) && range_.high != blink_nodes<Key>::greatest;
    if (!part_.any_in_tile(ends_here)) return count;
    const auto above = static_cast<Key>(range_.high + 1);
    const std::uint32_t end = row_slots_below<slots>(part_, tree_.nodes.keys_of(leaf), above);
    return ends_here ? smaller(end, count) : count;
  }

  /// Calls `f(row, n)` for this lane's rows with numbers n below `count`.
  template <class F>
  MANGROVE_HOST_DEVICE void for_rows(std::uint32_t count, F f) const {
    unrolled<Rows>([&](int row) {
      const std::uint32_t n = row * Part::lanes + part_.lane();
      if (n < count) f(row, n);
    });
  }

  MANGROVE_HOST_DEVICE static std::uint32_t smaller(std::uint64_t a, std::uint32_t b) {
    return a < b ? static_cast<std::uint32_t>(a) : b;
  }

  const Part& part_;
  const blink_view<Key>& tree_;
  const key_range<Key> range_;
  std::uint64_t at_;    ///< the element that is written next
  std::uint64_t left_;  ///< elements that there is room for
  void* const keys_;
  void* const values_;
};

/// Body, once per group of ranges.
template <int Lanes, int Rows, class Query>
struct copy_from_leaves {
  static constexpr int blocks_at_once = 6;
  Query query;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t group) const {
    const std::uint32_t bytes = query.output.values == nullptr ? 0 : query.view.nodes.value_bytes;
    if (bytes == 4) {
      copy<std::uint32_t>(tile, group);
    } else if (bytes == 8) {
      copy<std::uint64_t>(tile, group);
    } else {
      copy<none>(tile, group);
    }
  }

 private:
  template <class Bits, class Tile>
  MANGROVE_HOST_DEVICE void copy(const Tile& tile, std::size_t group) const {
    using part_type = tile_part<Tile, Lanes>;
    using key_type = typename Query::key_type;
    const part_type part(tile);
    const std::size_t i = group * part.parts + part.number();
    const bool is_there = i < query.ranges.count;
    const key_range<key_type> range = is_there ? query.range(i) : key_range<key_type>{0, 0, true};
    const range_room room = is_there ? query.rooms.of(i) : range_room{0, 0};
    leaf_copier<Rows, part_type, key_type, Bits> copier(part, query.view, range, room, query.output.keys,
                                                        query.output.values);
    const std::uint64_t end = copier();
    if (is_there && part.lane() == 0) query.rooms.used(i, end - room.begin);
  }
};

}  // namespace mangrove::detail
