#pragma once

#include "blink_insert_bodies.hpp"
#include "mangrove/core/unrolled.hpp"

/// @file
/// Leaves and their shares of new keys become leaves. The merged keys of a leaf are dealt out evenly to the pieces that
/// it becomes: the leaf itself is piece 0, the others are new leaves.

namespace mangrove::detail {

/// What pieces of leaves are made of.
template <class Key>
struct merge_input {
  blink_view<Key> tree;  ///< as it was
  new_keys<Key> fresh;
  const std::uint32_t* shift;  ///< [dim = leaves + 1] new leaves before those of each leaf
  const void* values;          ///< the caller's, by source

  struct leaf_share {
    node_index leaf;
    std::uint32_t held;   ///< keys that the leaf has
    std::uint32_t begin;  ///< of its new keys
    std::uint32_t more;
    std::uint32_t pieces;
    /// Place among the merged keys at which a piece begins.
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t begin_of(std::uint32_t piece) const {
      return (std::uint64_t{held} + more) * piece / pieces;
    }
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE leaf_share share_of(std::size_t rank) const {
    const node_index leaf = tree.order[rank];
    const std::uint32_t begin = fresh.begins[rank];
    return {leaf, tree.nodes.count_of(leaf), begin, fresh.ends[rank] - begin, shift[rank + 1] - shift[rank] + 1};
  }
  /// Place of a held key among the merged ones.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t place_held(const leaf_share& of, std::uint32_t slot, Key key) const {
    return std::uint64_t{slot} + keys_below(fresh.keys + of.begin, of.more, key);
  }
  /// Place of the j-th new key among the merged ones.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t place_new(const leaf_share& of, std::uint32_t j) const {
    return std::uint64_t{j} + keys_below(tree.nodes.keys_of(of.leaf), of.held, fresh.keys[of.begin + j]);
  }

  /// Writes a piece after the first to a new leaf.
  template <class Tile>
  MANGROVE_HOST_DEVICE void write_piece(const Tile& tile, const leaf_share& share, std::uint32_t piece,
                                        node_index leaf) const {
    const std::uint64_t first = share.begin_of(piece);
    const std::uint64_t last = share.begin_of(piece + 1);
    write_held(tile, share, leaf, first, last);
    write_new(tile, share, leaf, first, last);
    const auto count = static_cast<std::uint32_t>(last - first);
    const auto& nodes = tree.nodes;
    tile.strided(blink_nodes<Key>::slots - count,
                 [&](std::size_t slot) { nodes.keys_of(leaf)[count + slot] = blink_nodes<Key>::greatest; });
    tile.sync();
    if (tile.lane() != 0) return;
    const Key high = piece + 1 == share.pieces ? nodes.heads[share.leaf].high : nodes.keys_of(leaf)[count - 1];
    nodes.heads[leaf] = {node_state::of(count), no_node, 0, high};  // links and low keys come later
  }

  /// Makes the leaf the first of its pieces, in place.
  template <class Tile>
  MANGROVE_HOST_DEVICE void rewrite_first_piece(const Tile& tile, const leaf_share& share) const {
    constexpr std::uint32_t slots = blink_nodes<Key>::slots;
    constexpr int rows = (slots + Tile::lanes - 1) / Tile::lanes;
    const auto& nodes = tree.nodes;
    Key* const keys = nodes.keys_of(share.leaf);
    std::byte* const to_values = nodes.values_of(share.leaf);
    const auto count = static_cast<std::uint32_t>(share.begin_of(1));
    Key held[rows];
    std::uint64_t held_values[rows];
    std::uint64_t held_places[rows];
    std::uint64_t new_places[rows];
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Tile::lanes + tile.lane();
      held_places[row] = slots;
      new_places[row] = slots;
      if (slot < share.held) {
        held[row] = keys[slot];
        held_values[row] = value_at(to_values, slot, nodes.value_bytes);
        held_places[row] = place_held(share, slot, held[row]);
      }
      if (slot < share.more) new_places[row] = place_new(share, slot);
    });
    tile.sync();
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Tile::lanes + tile.lane();
      if (held_places[row] < count && held_places[row] != slot) {
        keys[held_places[row]] = held[row];
        put_value(to_values, held_places[row], held_values[row], nodes.value_bytes);
      }
      if (new_places[row] < count) {
        keys[new_places[row]] = fresh.keys[share.begin + slot];
        move_value(to_values, new_places[row], values, fresh.sources[share.begin + slot], nodes.value_bytes);
      }
      if (slot >= count && slot < slots) keys[slot] = blink_nodes<Key>::greatest;
    });
    tile.sync();
    if (tile.lane() != 0) return;
    leaf_head<Key>& of = nodes.heads[share.leaf];
    of.state = node_state::of(count);
    if (share.pieces > 1) of.high = keys[count - 1];
  }

 private:
  template <class Tile>
  MANGROVE_HOST_DEVICE void write_held(const Tile& tile, const leaf_share& share, node_index leaf, std::uint64_t first,
                                       std::uint64_t last) const {
    const auto& nodes = tree.nodes;
    tile.strided(share.held, [&](std::size_t slot) {
      const Key key = nodes.keys_of(share.leaf)[slot];
      const std::uint64_t place = place_held(share, static_cast<std::uint32_t>(slot), key);
      if (place < first || place >= last) return;
      nodes.keys_of(leaf)[place - first] = key;
      move_value(nodes.values_of(leaf), place - first, nodes.values_of(share.leaf), slot, nodes.value_bytes);
    });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void write_new(const Tile& tile, const leaf_share& share, node_index leaf, std::uint64_t first,
                                      std::uint64_t last) const {
    const auto& nodes = tree.nodes;
    const std::uint64_t from = first > share.held ? first - share.held : 0;
    const std::uint64_t to = last < share.more ? last : share.more;
    tile.strided(from < to ? to - from : 0, [&](std::size_t k) {
      const auto j = static_cast<std::uint32_t>(from + k);
      const std::uint64_t place = place_new(share, j);
      if (place < first || place >= last) return;
      nodes.keys_of(leaf)[place - first] = fresh.keys[share.begin + j];
      move_value(nodes.values_of(leaf), place - first, values, fresh.sources[share.begin + j], nodes.value_bytes);
    });
  }
};

/// Body, once per new leaf: writes one of the pieces after the first.
template <class Key>
struct write_new_leaf {
  merge_input<Key> in;
  leaf_supply supply;
  node_index* order;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto k = static_cast<std::uint32_t>(i);
    const std::uint32_t rank = keys_below(in.shift, in.tree.leaves + 1, k + 1) - 1;
    const node_index leaf = supply.take(k);
    in.write_piece(tile, in.share_of(rank), k - in.shift[rank] + 1, leaf);
    if (tile.lane() == 0) order[rank + k + 1] = leaf;
  }
};

/// Body, once per leaf that was there: makes it the first of its pieces, in place.
template <class Key>
struct rewrite_leaf {
  merge_input<Key> in;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto share = in.share_of(i);
    if (share.more != 0) in.rewrite_first_piece(tile, share);
  }
};

}  // namespace mangrove::detail
