#pragma once

#include "blink_group_bodies.hpp"

namespace mangrove::detail {

/// Body: erases the keys of bin i. Empties the bin's counter.
/// @tparam Value bits of values, or none
template <class Key, class Value>
struct erase_bin : bin_groups<Key> {
  using base = bin_groups<Key>;
  using base::tree, base::bins, base::tally, base::slots;

  /// A tile's memory.
  struct room : base::groups {
    std::uint32_t erased;   ///< keys
    std::uint32_t emptied;  ///< leaves
  };
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  std::uint8_t* erased;  ///< where the caller wants to know, else null

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i, std::byte* scratch) const {
    room& in = *reinterpret_cast<room*>(scratch);
    const auto bin = static_cast<std::uint32_t>(i);
    const std::uint32_t size = base::take_bin(tile, bin);
    if (size == 0 || tally->skewed != 0) return;
    if (tile.lane() == 0) in.erased = in.emptied = 0;
    base::group_keys(tile, in, bin, size);
    clear_counters(tile, in.shift, in.leaves);
    tile.sync();
    tile.template for_each_part<leaf_lanes>(in.listed_count, [&](const auto& part, std::size_t k) {
      const std::uint32_t leaf = in.listed[k];
      const bool is_emptied = erase_from(part, in, in.nodes[k], in.begin_of(leaf), in.ends[leaf]);
      if (!is_emptied || part.lane() != 0) return;
      in.shift[leaf] = 1;
      fetch_add(&in.emptied, 1U);
    });
    tile.sync();
    if (tile.lane() == 0 && in.erased != 0) fetch_add(&tally->erased, in.erased);
    if (in.emptied == 0) return;
    base::sum_shift(tile, in);
    base::note_shift(tile, in, bin);
    if (tile.lane() == 0) fetch_add(&tally->emptied, in.emptied);
  }

 private:
  /// A leaf, held by the lanes of a part.
  template <class Part>
  struct held_leaf {
    static constexpr int rows = (slots + Part::lanes - 1) / Part::lanes;
    Key keys[rows];
    Value values[rows];
    std::uint32_t count;

    MANGROVE_HOST_DEVICE held_leaf(const Part& part, const Key* from, const Value* from_values, std::uint32_t held)
        : count(held) {
      unrolled<rows>([&](int row) {
        const std::uint32_t slot = row * Part::lanes + part.lane();
        keys[row] = from[slot];
        values[row] = load_bits<Value>(from_values, slot);
      });
    }
  };

  /// Erases the keys from place `begin` to `end` from the leaf that they belong to. @return whether it is empty then
  template <class Part>
  MANGROVE_HOST_DEVICE bool erase_from(const Part& part, room& in, node_index leaf, std::uint32_t begin,
                                       std::uint32_t end) const {
    Key* const keys = tree.nodes.keys_of(leaf);
    Value* const values = reinterpret_cast<Value*>(tree.nodes.leaf_values) + std::size_t{leaf} * slots;
    const held_leaf<Part> held(part, keys, values, tree.nodes.count_of(leaf));
    const std::uint32_t gone = find_all(part, in, held, begin, end);
    if (gone == 0) return false;
    part.sync();  // all have read what some write now
    const std::uint32_t left = held.count - count_bits(gone);
    unrolled<held_leaf<Part>::rows>([&](int row) {
      const std::uint32_t slot = row * Part::lanes + part.lane();
      const std::uint32_t to = slot - count_bits(gone & ((1U << slot) - 1));
      if (slot < held.count && to != slot && (gone >> slot & 1) == 0) {
        keys[to] = held.keys[row];
        store_bits(values, to, held.values[row]);
      }
      if (slot >= left && slot < held.count) keys[slot] = blink_nodes<Key>::greatest;
    });
    if (part.lane() == 0) {
      tree.nodes.heads[leaf].state = node_state::of(left);
      fetch_add(&in.erased, count_bits(gone));
    }
    return left == 0;
  }

  /// The slots of keys, as bits. Of equal keys one is noted as erased.
  template <class Part>
  MANGROVE_HOST_DEVICE std::uint32_t find_all(const Part& part, const room& in, const held_leaf<Part>& held,
                                              std::uint32_t begin, std::uint32_t end) const {
    constexpr int rows = held_leaf<Part>::rows;
    std::uint32_t own = 0;  // bit r: this lane's key in row r goes
    for (std::uint32_t at = begin; at < end; ++at) {
      const Key key = in.keys[at];
      std::uint32_t hit = 0;
      unrolled<rows>([&](int row) {
        const bool is_held = static_cast<std::uint32_t>(row * Part::lanes + part.lane()) < held.count;
        hit |= static_cast<std::uint32_t>((held.keys[row] == key) & is_held) << row;
      });
      const bool is_new = part.ballot((hit & ~own) != 0) != 0;
      own |= hit;
      if (is_new && erased != nullptr && part.lane() == 0) erased[in.sources[at]] = 1;
    }
    std::uint32_t gone = 0;
    unrolled<rows>([&](int row) { gone |= part.ballot((own >> row & 1) != 0) << (row * Part::lanes); });
    return gone;
  }
};

/// Body, once per leaf: leaves that keep keys before it, from what `erase_bin` noted.
struct count_kept {
  const std::uint32_t* before;  ///< [dim = bins + 1] leaves that go, of the bins before
  const std::uint16_t* shift;
  std::uint32_t leaves_of_bin;
  std::uint32_t leaves;
  std::uint32_t gone;          ///< of all bins
  std::uint32_t* kept_before;  ///< [dim = leaves + 1]

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto rank = static_cast<std::uint32_t>(i);
    const std::uint32_t bin = rank / leaves_of_bin;
    const bool some_go = before[bin + 1] != before[bin];
    kept_before[i] = rank - before[bin] - (some_go ? shift[i] : 0);
    if (rank + 1 == leaves) kept_before[leaves] = leaves - gone;
  }
};

}  // namespace mangrove::detail
