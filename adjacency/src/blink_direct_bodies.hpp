#pragma once

#include "mangrove/adjacency/detail/blink_access.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"
#include "ordered_batch.hpp"

/// @file
/// Steps of inserting a small batch without sorting it: claim room in leaves, list the keys whose leaves have too
/// little of it, insert the others one by one under their leaves' locks. The first two change nothing.

namespace mangrove::detail {

/// Where the keys of a batch go.
struct direct_claims {
  std::uint32_t* ranks;
  node_index* leaves;      ///< `no_node` for keys whose leaf has no room for all of its new keys
  std::uint32_t* claimed;  ///< [dim = leaves of the tree] slots that new keys want, repeats included
};

/// Body, once per key: finds its leaf.
template <class Key>
struct claim_room {
  blink_view<Key> tree;
  const void* keys;
  direct_claims claims;
  blink_tally* tally;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const Key raw = load_bits<Key>(keys, i);
    if (tree.codec.refuses(raw)) store_relaxed(&tally->refused, 1U);
    const Key key = tree.codec.encode(raw);
    const blink_place at = tree.lower_bound(tile, key);
    if (tile.lane() != 0) return;
    claims.ranks[i] = at.rank;
    claims.leaves[i] = at.leaf;
    if (!tree.holds(at, key)) fetch_add(claims.claimed + at.rank, 1U);
  }
};

/// Body, once per key: lists it where its leaf is too crowded.
template <class Key>
struct list_crowded {
  blink_nodes<Key> nodes;
  direct_claims claims;
  std::uint32_t* crowded;
  blink_tally* tally;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t wanted = claims.claimed[claims.ranks[i]];
    if (wanted == 0 || nodes.count_of(claims.leaves[i]) + wanted <= blink_nodes<Key>::slots) return;
    crowded[count_up_one(&tally->extra)] = static_cast<std::uint32_t>(i);
    claims.leaves[i] = no_node;
  }
};

/// Body, once per listed key: copies it and its value out.
template <class Key>
struct gather_crowded {
  const void* keys;
  const void* values;
  const std::uint32_t* crowded;
  Key* to_keys;
  std::byte* to_values;
  std::uint32_t value_bytes;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    to_keys[i] = load_bits<Key>(keys, crowded[i]);
    move_value(to_values, i, values, crowded[i], value_bytes);
  }
};

/// Body, once per listed key: hands on what became of it.
struct scatter_outcome {
  const std::uint32_t* crowded;
  const std::uint8_t* from;
  std::uint8_t* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    to[crowded[i]] = from[i];
  }
};

/// Body, once per key: inserts it into its leaf, which has room.
template <class Key>
struct insert_directly {
  /// When the keys whose leaves have no room are dealt with.
  enum class crowd : std::uint8_t {
    unknown,  ///< nothing may change if there are any
    inserted
  };

  blink_view<Key> tree;
  const void* keys;
  const void* values;
  const node_index* leaves;
  std::uint8_t* inserted;  ///< where the caller wants to know, else null
  blink_tally* tally;
  crowd others;

  static constexpr int prefetch_stages = 1;
  template <int Stage>
  MANGROVE_HOST_DEVICE void prefetch(std::size_t i) const {
    if (leaves[i] == no_node) return;
    mangrove::prefetch(tree.nodes.heads + leaves[i]);
    mangrove::prefetch(tree.nodes.values_of(leaves[i]));
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    if (others == crowd::unknown && (tally->extra != 0 || tally->refused != 0)) return;
    const node_index leaf = leaves[i];
    if (leaf == no_node) return;
    const bool is_new = insert(tile, leaf, tree.codec.encode(load_bits<Key>(keys, i)), i);
    if (tile.lane() != 0) return;
    if (is_new) count_up_one(&tally->fresh);
    if (inserted != nullptr) inserted[i] = is_new ? 1 : 0;
  }

 private:
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;

  template <class Tile>
  MANGROVE_HOST_DEVICE bool insert(const Tile& tile, node_index leaf, Key key, std::size_t i) const {
    const blink_nodes<Key>& nodes = tree.nodes;
    std::uint32_t* const lock = &nodes.heads[leaf].state;
    const std::uint32_t state = lock_node(tile, lock);
    Key* const row = nodes.keys_of(leaf);
    const std::uint32_t count = node_state::count(state);
    const std::uint32_t slot = changing_slots_below<slots>(tile, row, key);
    const bool is_new = slot >= count || node_load(row + slot) != key;
    if (is_new) open_slot(tile, row, nodes.values_of(leaf), slot, count);
    if (tile.lane() == 0 && is_new) {
      row[slot] = key;
      move_value(nodes.values_of(leaf), slot, values, i, nodes.value_bytes);
    }
    unlock_node(tile, lock, is_new ? node_state::changed(state, count + 1) : state);
    return is_new;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void open_slot(const Tile& tile, Key* row, std::byte* its_values, std::uint32_t slot,
                                      std::uint32_t count) const {
    for (std::uint32_t end = count; end > slot;) {  // batch by batch from the end, reads before writes
      const std::uint32_t size = end - slot < Tile::lanes ? end - slot : static_cast<std::uint32_t>(Tile::lanes);
      const std::uint32_t from = end - size + tile.lane();
      const Key moved = from < end ? node_load(row + from) : Key{0};
      const std::uint64_t value = from < end ? value_at(its_values, from, tree.nodes.value_bytes) : 0;
      tile.sync();
      if (from < end) {
        row[from + 1] = moved;
        put_value(its_values, from + 1, value, tree.nodes.value_bytes);
      }
      tile.sync();
      end -= size;
    }
  }
};

}  // namespace mangrove::detail
