#pragma once

#include "mangrove/adjacency/detail/blink_splitter.hpp"
#include "mangrove/adjacency/detail/side_slot.hpp"

namespace mangrove::detail {

/// Changes a B-link tree together with other tiles. Keys and values are bits.
///
/// A change takes the lock of one leaf. Where that is full it is split, which needs no other lock: side links lead to
/// the new leaf until its parent has it, and whoever made it sees to that.
template <class Key, class Bits>
class blink_writer : public blink_splitter<Key, Bits> {
  using base = blink_splitter<Key, Bits>;
  using base::half;
  using base::nodes_;

 public:
  using base::base;
  using base::slots;
  using nodes_type = blink_nodes<Key>;

  template <class Tile>
  MANGROVE_HOST_DEVICE insert_result insert(const Tile& tile, Key key, Bits value, on_existing existing) const {
    outcome came = outcome::to_wait();
    split_debt<Key> debt{};
    bool owes = false;
    for (lock_pause pause;;) {
      if (owes) {
        came.next = this->try_pay(tile, debt);
      } else {
        came = try_insert(tile, key, value, existing, came.leaf, debt);
        owes = came.owes;
      }
      pause_after(tile, came.next, pause);
      if (came.next == next_step::none) return came.result;
    }
  }

  /// @return whether the key was there
  template <class Tile>
  MANGROVE_HOST_DEVICE bool erase(const Tile& tile, Key key) const {
    for (lock_pause pause;;) {
      const outcome came = try_erase(tile, key);
      pause_after(tile, came.next, pause);
      if (came.next == next_step::none) return came.result == insert_result::exists;
    }
  }

 private:
  using seen_leaf = typename base::seen_leaf;

  /// What came of one try to change the tree.
  struct outcome {
    next_step next;
    insert_result result;  ///< once there is no next step
    bool owes;             ///< whether what is left is to pay a debt
    node_index leaf;       ///< else where to look for the key first, or `no_node`

    MANGROVE_HOST_DEVICE static outcome over(insert_result result) { return {next_step::none, result, false, no_node}; }
    MANGROVE_HOST_DEVICE static outcome to_wait(node_index leaf = no_node) {
      return {next_step::wait, insert_result::full, false, leaf};
    }
  };

  /// Tiles of a warp meet here after a try, before those that have to wait pause: a pause stops the whole warp, and
  /// with it those that hold locks.
  template <class Tile>
  MANGROVE_HOST_DEVICE static void pause_after(const Tile& tile, next_step next, lock_pause& pause) {
    tile.sync();
    if (next == next_step::wait) pause.wait();
  }

  /// @param from where to look for the key first, `no_node` for the root: in a tree that grows many tiles wait for one
  /// leaf, and searches by all of them would slow down the one that has it
  /// @param debt becomes what a split leaves to do
  template <class Tile>
  MANGROVE_HOST_DEVICE outcome try_insert(const Tile& tile, Key key, Bits value, on_existing existing, node_index from,
                                          split_debt<Key>& debt) const {
    const seen_leaf seen = this->leaf_of(tile, key, from);
    if (!lock_leaf(tile, seen)) return outcome::to_wait(seen.leaf);
    const leaf_rows<Tile> rows(*this, tile, seen.leaf);
    if (!belongs(tile, seen, key)) return outcome::to_wait(seen.leaf);
    const key_match match = rows.keys.match(tile, key, seen.count());
    if (match.is_hit()) {
      if (existing == on_existing::keep) return unlock(tile, seen, seen.state, insert_result::exists);
      publish(tile);
      rows.values.assign(this->values_of(seen.leaf), match, value);
      return unlock(tile, seen, node_state::changed(seen.state, seen.count()), insert_result::exists);
    }
    if (seen.count() == slots) return split_leaf(tile, seen, rows, key, value, debt);
    publish(tile);
    rows.insert(*this, tile, seen.leaf, seen.count(), key, value);
    return unlock(tile, seen, node_state::changed(seen.state, seen.count() + 1), insert_result::inserted);
  }

  /// The result is `exists` if the key did.
  template <class Tile>
  MANGROVE_HOST_DEVICE outcome try_erase(const Tile& tile, Key key) const {
    const seen_leaf seen = this->leaf_of(tile, key);
    if (!lock_leaf(tile, seen)) return outcome::to_wait();
    const leaf_rows<Tile> rows(*this, tile, seen.leaf);
    if (!belongs(tile, seen, key)) return outcome::to_wait();
    if (!rows.keys.match(tile, key, seen.count()).is_hit()) {
      return unlock(tile, seen, seen.state, insert_result::inserted);
    }
    publish(tile);
    rows.values.remove_beside(tile, rows.keys, this->values_of(seen.leaf), seen.count(), key, Bits{});
    rows.keys.remove(tile, nodes_.keys_of(seen.leaf), seen.count(), key, nodes_type::greatest);
    return unlock(tile, seen, node_state::changed(seen.state, seen.count() - 1), insert_result::exists);
  }

  /// What a tile reads of a leaf that it has locked.
  template <class Tile>
  struct leaf_rows {
    node_row<slots, Tile, Key> keys;
    node_row<slots, Tile, Bits> values;

    MANGROVE_HOST_DEVICE leaf_rows(const blink_writer& tree, const Tile& tile, node_index leaf)
        : keys(tile, tree.nodes_.keys_of(leaf)), values(tile, tree.values_of(leaf)) {}

    /// Writes the leaf back with one more key. @param count keys in it, fewer than slots
    MANGROVE_HOST_DEVICE void insert(const blink_writer& tree, const Tile& tile, node_index leaf, std::uint32_t count,
                                     Key key, Bits value) const {
      const auto add = keys.prepare(tile, key);
      values.insert_beside(tile, keys, add, tree.values_of(leaf), count, value);
      keys.insert(add, tree.nodes_.keys_of(leaf), count);
    }
  };

  /// Moves the upper half of a locked, full leaf to a new one, and inserts into one of them.
  template <class Tile>
  MANGROVE_HOST_DEVICE outcome split_leaf(const Tile& tile, const seen_leaf& full, const leaf_rows<Tile>& was, Key key,
                                          Bits value, split_debt<Key>& debt) const {
    const node_index right = this->take_leaf(tile);
    if (right == no_node) return unlock(tile, full, full.state, insert_result::full);
    const Key middle = was.keys.in_slot(tile, half - 1);
    was.keys.copy_upper(nodes_.keys_of(right), nodes_type::greatest);
    was.values.copy_upper(this->values_of(right), Bits{});
    const bool goes_right = middle < key;
    if (goes_right) insert_into_half(tile, right, key, value);
    if (tile.lane() == 0) write_head(full.leaf, right, middle, half + (goes_right ? 1 : 0));
    publish(tile);
    node_row<slots, Tile, Key>::fill_upper(tile, nodes_.keys_of(full.leaf), nodes_type::greatest);
    if (!goes_right) insert_into_half(tile, full.leaf, key, value);
    if (tile.lane() == 0) {
      node_store(&nodes_.heads[full.leaf].high, middle);
      node_store(&nodes_.heads[full.leaf].right, right);
    }
    unlock_node(tile, &nodes_.heads[full.leaf].state, node_state::changed(full.state, half + (goes_right ? 0 : 1)));
    debt = {0, right, middle};
    return {next_step::retry, insert_result::inserted, true, no_node};
  }

  /// Inserts into a leaf that this tile has just left with half of its keys.
  template <class Tile>
  MANGROVE_HOST_DEVICE void insert_into_half(const Tile& tile, node_index leaf, Key key, Bits value) const {
    tile.sync();
    leaf_rows<Tile>(*this, tile, leaf).insert(*this, tile, leaf, half, key, value);
  }

  /// The head of a new leaf that takes the keys above `middle` of another.
  MANGROVE_HOST_DEVICE void write_head(node_index leaf, node_index right, Key middle, std::uint32_t count) const {
    leaf_head<Key>& head = nodes_.heads[right];
    node_store(&head.low, static_cast<Key>(middle + 1));
    node_store(&head.high, node_load(&nodes_.heads[leaf].high));
    node_store(&head.right, node_load(&nodes_.heads[leaf].right));
    node_store(&head.state, node_state::changed(node_load(&head.state) & ~node_state::lock, count));
  }

  /// Locks a leaf, unless it is locked or has changed since it was seen.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool lock_leaf(const Tile& tile, const seen_leaf& seen) const {
    return !seen.is_locked() && try_lock_node(tile, &nodes_.heads[seen.leaf].state, seen.state);
  }

  /// Whether a key belongs to a locked leaf where it was sought; else the leaf is unlocked: the bounds that were seen
  /// may have been those of before the state that was.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool belongs(const Tile& tile, const seen_leaf& seen, Key key) const {
    leaf_head<Key>& head = nodes_.heads[seen.leaf];
    if (tile.ballot(node_load(&head.high) < key) == 0) return true;
    unlock_node(tile, &head.state, seen.state);
    return false;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE outcome unlock(const Tile& tile, const seen_leaf& at, std::uint32_t state,
                                      insert_result result) const {
    unlock_node(tile, &nodes_.heads[at.leaf].state, state);
    return outcome::over(result);
  }
};

}  // namespace mangrove::detail
