#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/detail/blink_root.hpp"
#include "mangrove/adjacency/detail/node_lock.hpp"
#include "mangrove/adjacency/detail/node_row.hpp"
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

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE lookup_result<Bits> find(const Tile& tile, Key key) const {
    for (;;) {
      const leaf_reading<Tile> leaf(*this, tile, quiet_leaf_of(tile, key));
      const key_match match = leaf.keys.match(tile, key, leaf.count());
      const Bits value = leaf.values.at(tile, match);
      if (leaf.is_valid(*this, tile, key)) return match.is_hit() ? lookup_result<Bits>(value) : lookup_result<Bits>();
    }
  }

  /// Calls `each(n, key, value)` for keys from `low` to `high`, each in one lane, n counting them; `limit` at most.
  /// What is taken from a leaf is seen as of one moment. @return how many
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE std::uint64_t walk(const Tile& tile, Key low, Key high, std::uint64_t limit, Each each) const {
    std::uint64_t met = 0;
    node_index at = no_node;
    while (!(high < low) && met < limit) {
      const walk_step step = take_from_leaf(tile, at, low, high, limit - met, met, each);
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
      const leaf_reading<Tile> leaf(*this, tile, quiet_leaf_of(tile, key));
      const std::uint32_t end = end_of(tile, leaf.keys, key, leaf.count());
      found = leaf.keys.in_slot(tile, end == 0 ? 0 : end - 1);
      value = leaf.values.in_slot(tile, end == 0 ? 0 : end - 1);
      if (!leaf.is_valid(*this, tile, key)) continue;
      if (end != 0) return true;
      const Key low = node_load(&nodes_.heads[leaf.seen.leaf].low);  // that never changes
      if (low == 0) return false;
      key = static_cast<Key>(low - 1);
    }
  }

 protected:
  /// Where a key's node of a level should be; that of leaves is 0. The address of what is read next comes from what was
  /// read before, so that even relaxed loads are in order on a GPU; and what a search concludes is checked at its end.
  /// What is read on the way may be old; then it may be another node, or `no_node` where the tree had fewer levels. All
  /// lanes do the same on their own: votes among them would take more instructions.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index descend(const Tile& tile, Key key, std::uint32_t to_level) const {
    const std::uint64_t top = node_load<access::maybe_old>(&root_->top);
    auto node = static_cast<node_index>(top);
    auto level = static_cast<std::uint32_t>(top >> 32);
    if (level < to_level) node = no_node;
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
    for (; level > to_level; --level) {
      const std::uint32_t slot = child_slot<access::maybe_old, slots>(nodes_.keys_of_inner(node), key);
      node = node_load<access::maybe_old>(nodes_.children_of(node) + slot);
    }
    return tile.broadcast(node, 0);
  }

  /// The same for leaves, whose keys and values are asked for.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index descend(const Tile& tile, Key key) const {
    const node_index leaf = descend(tile, key, 0);
    prefetch_row(tile, nodes_.keys_of(leaf), slab_bytes);
    if constexpr (!is_none<Bits>) prefetch_row(tile, nodes_.values_of(leaf), slots * sizeof(Bits));
    return leaf;
  }

  /// The topmost inner node and its level; of one moment in all lanes, or they would part.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t top_of(const Tile& tile) const {
    return tile.broadcast(node_load(&root_->top), 0);
  }

  /// A leaf as it was seen without a check; the same in all lanes.
  struct seen_leaf {
    node_index leaf;
    std::uint32_t state;

    [[nodiscard]] MANGROVE_HOST_DEVICE bool is_locked() const { return (state & node_state::lock) != 0; }
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count() const { return node_state::count(state); }
  };

  /// A leaf's head as one lane read it.
  [[nodiscard]] MANGROVE_HOST_DEVICE leaf_head<Key> head_of(node_index leaf) const {
    const leaf_head<Key>& head = nodes_.heads[leaf];
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(head) == 16) {  // in one piece
      std::uint32_t words[4];
      load_row<access::relaxed>(&head.state, words);
      return {words[0], words[1], words[2], words[3]};
    }
#endif
    return {node_load(&head.state), node_load(&head.right), node_load(&head.low), node_load(&head.high)};
  }

  /// The leaf that a key belongs to, as far as can be told without a check: whoever goes on there checks it. Bounds
  /// that do not belong together lead at worst past it, to a leaf whose keys are all above or to none; then the search
  /// starts anew.
  /// @param leaf where to look first; `no_node` to descend
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE seen_leaf leaf_of(const Tile& tile, Key key, node_index leaf = no_node) const {
    std::uint32_t hops = 8;
    for (lock_pause pause;; pause.wait()) {
      if (leaf == no_node) leaf = descend(tile, key);
      for (std::uint32_t hop = 0; hop < hops && leaf != no_node; ++hop) {
        const leaf_head<Key> head = head_of(leaf);
        if (tile.ballot(key < head.low || head.high < key) == 0) return {leaf, tile.broadcast(head.state, 0)};
        if (tile.ballot(key < head.low) != 0) break;
        leaf = tile.broadcast(head.right, 0);
      }
      node_acquire();
      leaf = no_node;
      if (hops < 1U << 20) hops *= 2;  // nobody may depend on when a new leaf is given to its parent
    }
  }

  /// Waits until the leaf that a key belongs to is not being changed. @param leaf where to look first
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE seen_leaf quiet_leaf_of(const Tile& tile, Key key,
                                                             node_index leaf = no_node) const {
    for (lock_pause pause;; pause.wait()) {
      const seen_leaf seen = leaf_of(tile, key, leaf);
      if (!seen.is_locked()) return seen;
      leaf = seen.leaf;
    }
  }

  /// What a tile reads of the leaf that a key belongs to. All of it belongs together if `is_valid` says so, afterwards.
  template <class Tile, class KeyRow = node_row<slots, Tile, Key>, class ValueRow = node_row<slots, Tile, Bits>>
  struct leaf_reading {
    seen_leaf seen;
    KeyRow keys;
    ValueRow values;
    Key high;  ///< per lane

    /// @param quiet a leaf that is not locked
    MANGROVE_HOST_DEVICE leaf_reading(const blink_reader& tree, const Tile& tile, const seen_leaf& quiet)
        : seen(quiet),
          keys(tile, tree.nodes_.keys_of(seen.leaf)),
          values(tile, tree.values_of(seen.leaf)),
          high(node_load(&tree.nodes_.heads[seen.leaf].high)) {}

    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count() const { return seen.count(); }

    /// @param key that the leaf was sought for @param any per lane: a word of what else was read
    [[nodiscard]] MANGROVE_HOST_DEVICE bool is_valid(const blink_reader& tree, const Tile& tile, Key key,
                                                     std::uint32_t any = 0) const {
      if constexpr (Tile::lanes == 1) node_acquire();  // its rows do not tell what was read
      const std::uint32_t all = any | static_cast<std::uint32_t>(high) | keys.any_word() | values.any_word();
      const bool has_changed = changed_since(&tree.nodes_.heads[seen.leaf].state, seen.state, all);
      // The first look at the head may have joined the bounds of before a split to the state after it.
      return tile.ballot(has_changed || high < key) == 0;
    }
  };

  struct walk_step {
    std::uint32_t size;  ///< keys handed out
    bool is_last;
    node_index next;  ///< where the walk goes on
    Key next_low;
  };

  /// Hands out the keys of a walk that begins at `low`, perhaps in leaf `at`, as far as the leaf has them.
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE walk_step take_from_leaf(const Tile& tile, node_index at, Key low, Key high, std::uint64_t limit,
                                                std::uint64_t met, Each& each) const {
    for (;;) {
      const leaf_reading<Tile, copied_row<slots, Tile, Key>, copied_row<slots, Tile, Bits>> leaf(
          *this, tile, quiet_leaf_of(tile, low, at));
      const node_index right = node_load(&nodes_.heads[leaf.seen.leaf].right);
      if (!leaf.is_valid(*this, tile, low, right)) continue;
      const std::uint32_t first = leaf.keys.slots_below(tile, low);
      const std::uint32_t end = leaf.high < high ? leaf.count() : end_of(tile, leaf.keys, high, leaf.count());
      const std::uint32_t there = first < end ? end - first : 0;
      const std::uint32_t size = limit < there ? static_cast<std::uint32_t>(limit) : there;
      leaf.keys.for_slots(first, first + size,
                          [&](std::uint32_t slot, int k) { each(met + (slot - first), leaf.keys[k], leaf.values[k]); });
      return {size, !(leaf.high < high), right, static_cast<Key>(leaf.high + 1)};
    }
  }

  /// How many of a leaf's keys are not above `key`.
  template <class Tile, class Row>
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t end_of(const Tile& tile, const Row& keys, Key key,
                                                                 std::uint32_t count) {
    if (key == nodes_type::greatest) return count;
    const std::uint32_t end = keys.slots_below(tile, static_cast<Key>(key + 1));
    return end < count ? end : count;  // while the leaf changes they need not fit
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE Bits* values_of(node_index leaf) const {
    return reinterpret_cast<Bits*>(nodes_.values_of(leaf));
  }

  nodes_type nodes_{};
  blink_root<Key>* root_ = nullptr;
};

}  // namespace mangrove::detail
