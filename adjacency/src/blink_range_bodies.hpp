#pragma once

#include "blink_row_search.hpp"
#include "mangrove/adjacency/detail/blink_access.hpp"
#include "mangrove/core/tile_part.hpp"
#include "ordered_range_bodies.hpp"

/// @file
/// How a GPU copies ranges of a B-link tree at rest: a warp several at a time, by a part of its lanes each. A part
/// looks at the heads of some leaves at once; then it knows where each key goes, and copies them in the order of the
/// output, whichever leaf they are in.

namespace mangrove::detail {

/// Leaves that follow one another, one a lane of a part, and what a range has of them.
struct leaf_share {
  node_index leaf;     ///< this lane's
  std::uint32_t slot;  ///< where the range begins in it
  std::uint32_t size;  ///< keys of the range in it
  bool is_end;         ///< whether the range ends in one of them; the same in all lanes
};

/// Copies one range by a part of a warp.
/// @tparam Bits of values
/// @tparam Rows how many keys each lane copies at once
template <int Rows, class Part, class Key, class Bits>
class leaf_copier {
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;
  static constexpr std::uint32_t at_once = Rows * Part::lanes;
  /// Leaves that are looked at together: as many as hold what is copied at once, wherever it begins, if they are as
  /// full as bulk builds make them.
  static constexpr int together = 1 + static_cast<int>((at_once * 4 + slots * 3 - 1) / (slots * 3));
  static_assert(together <= Part::lanes);

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
    while (part_.any_in_tile(left_ != 0)) {
      const leaf_share own = share_from(rank);
      copy(own);
      rank += together;
      if (own.is_end || rank >= tree_.leaves) left_ = 0;
    }
    return at_;
  }

 private:
  /// What the range has of the leaves from a rank on.
  MANGROVE_HOST_DEVICE leaf_share share_from(std::uint32_t rank) const {
    const std::uint32_t own = rank + part_.lane();
    const bool is_there = part_.lane() < together && own < tree_.leaves;
    const node_index leaf = tree_.order[is_there ? own : smaller(rank, tree_.leaves - 1)];
    const leaf_head<Key> head = tree_.nodes.heads[leaf];
    const std::uint32_t below = slots_below(part_.broadcast(leaf, 0), range_.low);  // before the heads are waited for
    const std::uint32_t slot = part_.lane() == 0 ? below : 0;
    const std::uint32_t ends = part_.ballot(is_there && !(head.high < range_.high));
    const std::uint32_t end = end_in(leaf, node_state::count(head.state), ends);
    const bool is_beyond = !is_there || (ends & ((1U << part_.lane()) - 1)) != 0;
    return {leaf, slot, is_beyond || end < slot ? 0 : end - slot, ends != 0};
  }

  /// How many of a leaf's keys are not above the range. @param ends a bit for each lane whose leaf the range does not
  /// leave
  MANGROVE_HOST_DEVICE std::uint32_t end_in(node_index leaf, std::uint32_t count, std::uint32_t ends) const {
    const bool is_cut = ends != 0 && range_.high != blink_nodes<Key>::greatest;
    if (!part_.any_in_tile(is_cut)) return count;
    const int last = is_cut ? static_cast<int>(lowest_bit(ends)) : 0;
    const std::uint32_t end = slots_below(part_.broadcast(leaf, last), static_cast<Key>(range_.high + 1));
    return is_cut && part_.lane() == last ? smaller(end, count) : count;
  }

  MANGROVE_HOST_DEVICE std::uint32_t slots_below(node_index leaf, Key key) const {
    return row_slots_below<slots>(part_, tree_.nodes.keys_of(leaf), key);
  }

  /// Copies what there is room for.
  MANGROVE_HOST_DEVICE void copy(const leaf_share& own) {
    std::uint32_t begins[together];  ///< of each leaf's share in what is copied
    node_index leaves[together];
    std::uint32_t size = 0;
    unrolled<together>([&](int k) {
      begins[k] = size;
      leaves[k] = part_.broadcast(own.leaf, k);
      size += part_.broadcast(own.size, k);
    });
    const std::uint32_t slot = part_.broadcast(own.slot, 0);
    const auto element = [&](std::uint32_t n) {
      node_index leaf = leaves[0];
      std::uint32_t first = 0 - slot;
      unrolled<together - 1>([&](int k) {
        leaf = n < begins[k + 1] ? leaf : leaves[k + 1];
        first = n < begins[k + 1] ? first : begins[k + 1];
      });
      return std::size_t{leaf} * slots + (n - first);
    };
    size = smaller(left_, size);
    for (std::uint32_t done = 0; part_.any_in_tile(done < size); done += at_once) copy_rows(done, size, element);
    at_ += size;
    left_ -= size;
  }

  /// Copies what follows the first `done` keys, one a lane and row: reads all before it writes.
  template <class Element>
  MANGROVE_HOST_DEVICE void copy_rows(std::uint32_t done, std::uint32_t size, Element element) const {
    const std::uint32_t first = done + part_.lane();
    const std::uint64_t to = at_ + first;
    Key keys[Rows] = {};
    Bits values[Rows] = {};
    unrolled<Rows>([&](int row) {
      const std::uint32_t n = first + row * Part::lanes;
      if (n >= size) return;
      const std::size_t from = element(n);
      keys[row] = tree_.nodes.leaf_keys[from];
      values[row] = load_bits<Bits>(tree_.nodes.leaf_values, from);
    });
    unrolled<Rows>([&](int row) {
      if (first + row * Part::lanes >= size) return;
      store_bits(keys_, to + row * Part::lanes, tree_.codec.decode(keys[row]));
      store_bits(values_, to + row * Part::lanes, values[row]);
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
  static constexpr int blocks_at_once = Rows * sizeof(typename Query::key_type) > 16 ? 5 : 6;
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
