#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/blink_access.hpp"
#include "mangrove/adjacency/detail/blink_root.hpp"
#include "mangrove/adjacency/slab_hash_result.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Reads a B-link tree that other tiles change meanwhile. Keys and values are bits.
///
/// Inner nodes are read without checks: while they change, a search may end at a wrong leaf. A leaf tells: it is left
/// of the right one when the key is above its high key, then side links lead on; or right of it when the key is below
/// its low key, which never changes, then the search starts anew. No leaf leaves the tree before it is settled.
template <class Key, class Bits>
class blink_reader {
 public:
  using nodes_type = blink_nodes<Key>;
  static constexpr std::uint32_t slots = nodes_type::slots;

  blink_reader() = default;
  blink_reader(const nodes_type& nodes, blink_root<Key>* root) : nodes_(nodes), root_(root) {}

  /// @param guess the leaf to look in first; `no_node` to descend
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<Bits> find(const Tile& tile, Key key,
                                                              node_index guess = no_node) const {
    for (;;) {
      std::uint32_t state = 0;
      const node_index leaf = begin_leaf(tile, key, state, guess);
      const Key* const keys = nodes_.keys_of(leaf);
      const std::uint32_t slot = changing_slots_below<slots>(tile, keys, key);
      const bool found = slot < node_state::count(state) && node_load(keys + slot) == key;
      const Bits value = found ? load_value(leaf, slot) : Bits{};
      if (end_read(tile, &nodes_.heads[leaf].state, state)) {
        return found ? lookup_result<Bits>(value) : lookup_result<Bits>();
      }
    }
  }

  /// Keys that a walk takes from a leaf at a time.
  template <class Tile>
  static constexpr std::uint32_t stretch = Tile::lanes > 8 ? Tile::lanes : 8;

  /// Calls `each(n, key, value)` for keys from `low` to `high`, each in one lane, n counting them; `limit` at most.
  /// What is taken from a leaf at a time is seen as of one moment. @return how many
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE std::uint64_t walk(const Tile& tile, Key low, Key high, std::uint64_t limit, Each each) const {
    std::uint64_t met = 0;
    node_index at = no_node;
    while (!(high < low) && met < limit) {
      const walk_step step = take_stretch(tile, at, low, high, limit - met, met, each);
      met += step.size;
      if (step.is_last) break;
      at = step.next;
      low = step.next_low;
    }
    return met;
  }

  /// The greatest key that is not above `key`. @return whether there is one
  template <class Tile>
  MANGROVE_HOST_DEVICE bool find_last(const Tile& tile, Key key, Key& found, Bits& value) const {
    for (;;) {
      std::uint32_t state = 0;
      const node_index leaf = begin_leaf(tile, key, state);
      const Key* const keys = nodes_.keys_of(leaf);
      std::uint32_t end =
          key == nodes_type::greatest ? slots : changing_slots_below<slots>(tile, keys, static_cast<Key>(key + 1));
      if (end > node_state::count(state)) end = node_state::count(state);
      if (end != 0) {
        found = node_load(keys + end - 1);
        value = load_value(leaf, end - 1);
      }
      const Key low = node_load(&nodes_.heads[leaf].low);
      if (!end_read(tile, &nodes_.heads[leaf].state, state)) continue;
      if (end != 0) return true;
      if (low == 0) return false;
      key = static_cast<Key>(low - 1);
    }
  }

 protected:
  static constexpr int most_hops = 8;  ///< side links followed before a search starts anew

  /// Where a key's leaf should be.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index descend(const Tile& tile, Key key) const {
    const std::uint64_t top = top_of(tile);
    auto node = static_cast<node_index>(top);
    for (auto level = static_cast<std::uint32_t>(top >> 32); level != 0; --level) node = child_of(tile, node, key);
    prefetch_row(tile, nodes_.keys_of(node), slab_bytes);
    if constexpr (!is_none<Bits>) prefetch_row(tile, nodes_.values_of(node), slots * sizeof(Bits));
    return node;
  }

  /// The topmost inner node and its level; of one moment in all lanes, or they would part.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t top_of(const Tile& tile) const {
    return tile.elect([&] { return node_load(&root_->top); });
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index child_of(const Tile& tile, node_index node, Key key) const {
    const std::uint32_t slot = changing_slots_below<slots>(tile, nodes_.keys_of_inner(node), key);
    const node_index* const child = nodes_.children_of(node) + (slot < slots ? slot : slots - 1);
    // The address of what is read next comes from this load, so even a relaxed one orders the two on a GPU; and what a
    // search concludes from inner nodes is checked at the leaf.
    return tile.elect([&] { return node_load(child); });
  }

  /// A leaf as it was seen without a check.
  struct seen_leaf {
    node_index leaf;
    std::uint32_t state;
    Key low;
    Key high;
    node_index right;

    [[nodiscard]] MANGROVE_HOST_DEVICE bool covers(Key key) const { return !(key < low) && !(high < key); }
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE seen_leaf look_at(node_index leaf) const {
    const leaf_head<Key>& head = nodes_.heads[leaf];
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(head) == 16) {  // in one piece
      std::uint32_t words[4];
      load_row<access::relaxed>(&head.state, words);
      return {leaf, words[0], words[2], words[3], words[1]};
    }
#endif
    return {leaf, node_load(&head.state), node_load(&head.low), node_load(&head.high), node_load(&head.right)};
  }

  /// The leaf that a key belongs to, as far as can be told without a check: whoever goes on there checks it. Bounds
  /// that do not belong together lead at worst past it, to a leaf whose keys are all above or to none; then the search
  /// starts anew.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE seen_leaf leaf_of(const Tile& tile, Key key) const {
    for (;;) {
      node_index leaf = descend(tile, key);
      for (int hop = 0; hop < most_hops && leaf != no_node; ++hop) {
        const seen_leaf seen = tile.elect([&] { return look_at(leaf); });
        if (seen.covers(key)) return seen;
        if (key < seen.low) break;
        leaf = seen.right;
      }
    }
  }

  /// Begins to read the leaf that a key belongs to. @param leaf where to look first; `no_node` to descend
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index begin_leaf(const Tile& tile, Key key, std::uint32_t& state,
                                                           node_index leaf = no_node) const {
    if (leaf == no_node) leaf = descend(tile, key);
    for (;;) {
      state = begin_read(tile, &nodes_.heads[leaf].state);
      // A torn pair of bounds does no harm: whoever began to read ends it before he believes anything.
      if (tile.elect([&] { return look_at(leaf).covers(key); })) return leaf;
      leaf = leaf_of(tile, key).leaf;
    }
  }

  struct walk_step {
    std::uint32_t size;  ///< keys handed out
    bool is_last;
    node_index next;  ///< where the walk goes on
    Key next_low;
  };

  /// Hands out the first keys of a walk that begins at `low`, perhaps in leaf `at`.
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE walk_step take_stretch(const Tile& tile, node_index at, Key low, Key high, std::uint64_t limit,
                                              std::uint64_t met, Each& each) const {
    constexpr int rows = stretch<Tile> / Tile::lanes;
    Key keys[rows];
    Bits values[rows];
    for (;;) {
      std::uint32_t state = 0;
      const node_index leaf = begin_leaf(tile, low, state, at);
      const Key* const from = nodes_.keys_of(leaf);
      const std::uint32_t first = changing_slots_below<slots>(tile, from, low);
      const std::uint32_t count = node_state::count(state);
      const auto is_within = [&](int row) {
        return first + row * Tile::lanes + tile.lane() < count && !(high < keys[row]);
      };
      unrolled<rows>([&](int row) {
        const std::uint32_t slot = first + row * Tile::lanes + tile.lane();
        keys[row] = slot < count ? node_load(from + slot) : nodes_type::greatest;
        values[row] = is_within(row) ? load_value(leaf, slot) : Bits{};
      });
      const Key leaf_high = node_load(&nodes_.heads[leaf].high);
      const node_index right = node_load(&nodes_.heads[leaf].right);
      if (!end_read(tile, &nodes_.heads[leaf].state, state)) continue;
      std::uint32_t within = 0;
      unrolled<rows>([&](int row) { within += count_bits(tile.ballot(is_within(row))); });
      const std::uint32_t size = limit < within ? static_cast<std::uint32_t>(limit) : within;
      unrolled<rows>([&](int row) {
        const std::uint32_t n = row * Tile::lanes + tile.lane();
        if (n < size) each(met + n, keys[row], values[row]);
      });
      const bool leaf_ends = first + within >= count;
      if (leaf_ends) return {size, !(leaf_high < high), right, static_cast<Key>(leaf_high + 1)};
      const Key last = tile.broadcast(keys[rows - 1], Tile::lanes - 1);
      return {size, within < stretch<Tile>, leaf, static_cast<Key>(last + 1)};
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE Bits load_value(node_index leaf, std::uint32_t slot) const {
    if constexpr (is_none<Bits>) {
      return {};
    } else {
      return node_load(reinterpret_cast<const Bits*>(nodes_.values_of(leaf)) + slot);
    }
  }

  nodes_type nodes_{};
  blink_root<Key>* root_ = nullptr;
};

}  // namespace mangrove::detail
