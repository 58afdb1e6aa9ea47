#pragma once

#include "mangrove/adjacency/detail/blink_splitter.hpp"
#include "mangrove/adjacency/detail/side_slot.hpp"

namespace mangrove::detail {

/// Changes a B-link tree together with other tiles. Keys and values are bits.
///
/// A change takes the lock of one leaf. Where that is full, `blink_splitter` takes one step, and the change starts
/// anew.
template <class Key, class Bits>
class blink_writer : public blink_splitter<Key, Bits> {
  using base = blink_splitter<Key, Bits>;
  using base::nodes_;

 public:
  using base::base;
  using base::slots;
  using nodes_type = blink_nodes<Key>;

  template <class Tile>
  MANGROVE_HOST_DEVICE insert_result insert(const Tile& tile, Key key, Bits value, on_existing existing) const {
    for (lock_pause pause;;) {
      const auto seen = this->leaf_of(tile, key);
      // Locking a full leaf would only keep others from splitting it.
      if (node_state::count(seen.state) == slots && !this->find(tile, key, seen.leaf)) {
        const split_step step = this->split(tile, key);
        if (step == split_step::no_memory) return insert_result::full;
        if (step == split_step::contended) pause.wait();
        continue;
      }
      const locked_leaf at = lock_leaf(tile, seen.leaf, key);
      if (!at.is_locked) {
        pause.wait();
        continue;
      }
      if (at.holds_key) {
        if (existing == on_existing::keep) return unlock(tile, at, at.state, insert_result::exists);
        if (tile.lane() == 0) store_value(at.leaf, at.slot, value);
        return unlock(tile, at, node_state::changed(at.state, at.count()), insert_result::exists);
      }
      if (at.count() < slots) {
        put(tile, at, key, value);
        return unlock(tile, at, node_state::changed(at.state, at.count() + 1), insert_result::inserted);
      }
      unlock_node(tile, &nodes_.heads[at.leaf].state, at.state);
    }
  }

  /// @return whether the key was there
  template <class Tile>
  MANGROVE_HOST_DEVICE bool erase(const Tile& tile, Key key) const {
    locked_leaf at = lock_leaf(tile, this->leaf_of(tile, key).leaf, key);
    for (lock_pause pause; !at.is_locked; at = lock_leaf(tile, this->leaf_of(tile, key).leaf, key)) pause.wait();
    if (!at.holds_key) return unlock(tile, at, at.state, false);
    close_slot(tile, at.leaf, at.slot, at.count());
    return unlock(tile, at, node_state::changed(at.state, at.count() - 1), true);
  }

 private:
  /// A leaf, and where a key stands there or belongs.
  struct locked_leaf {
    node_index leaf;
    bool is_locked;  ///< else nothing here is known but the leaf
    bool holds_key;
    std::uint32_t state;  ///< before it was locked
    std::uint32_t slot;

    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count() const { return node_state::count(state); }
  };

  /// Locks the leaf that a key was found to belong to, unless somebody else has it or the key does not belong there any
  /// more: the way down may have changed by then.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE locked_leaf lock_leaf(const Tile& tile, node_index leaf, Key key) const {
    std::uint32_t* const lock = &nodes_.heads[leaf].state;
    const std::uint32_t state = try_lock_node(tile, lock);
    if ((state & node_state::lock) != 0) return {leaf, false, false, 0, 0};
    const auto now = this->look_at(leaf);  // asked for before, and looked at after the keys have come
    const Key* const keys = nodes_.keys_of(leaf);
    const std::uint32_t slot = changing_slots_below<slots>(tile, keys, key);
    if (!now.covers(key)) {
      unlock_node(tile, lock, state);
      return {leaf, false, false, 0, 0};
    }
    return {leaf, true, slot < node_state::count(state) && node_load(keys + slot) == key, state, slot};
  }

  template <class Tile, class Result>
  MANGROVE_HOST_DEVICE Result unlock(const Tile& tile, const locked_leaf& at, std::uint32_t state,
                                     Result result) const {
    unlock_node(tile, &nodes_.heads[at.leaf].state, state);
    return result;
  }

  /// Inserts into a leaf with room.
  template <class Tile>
  MANGROVE_HOST_DEVICE void put(const Tile& tile, const locked_leaf& at, Key key, Bits value) const {
    open_slot(tile, at.leaf, at.slot, at.count());
    if (tile.lane() != 0) return;
    node_store(nodes_.keys_of(at.leaf) + at.slot, key);
    store_value(at.leaf, at.slot, value);
  }

  MANGROVE_HOST_DEVICE void store_value(node_index leaf, std::uint32_t slot, Bits value) const {
    if constexpr (!is_none<Bits>) node_store(values_of(leaf) + slot, value);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE Bits* values_of(node_index leaf) const {
    return reinterpret_cast<Bits*>(nodes_.values_of(leaf));
  }

  /// Moves the keys from a slot on, and their values, one slot up.
  template <class Tile>
  MANGROVE_HOST_DEVICE void open_slot(const Tile& tile, node_index leaf, std::uint32_t slot,
                                      std::uint32_t count) const {
    move_up(tile, nodes_.keys_of(leaf), slot, count);
    if constexpr (!is_none<Bits>) move_up(tile, values_of(leaf), slot, count);
  }

  /// Moves the keys after a slot, and their values, one slot down.
  template <class Tile>
  MANGROVE_HOST_DEVICE void close_slot(const Tile& tile, node_index leaf, std::uint32_t slot,
                                       std::uint32_t count) const {
    Key* const keys = nodes_.keys_of(leaf);
    move_down(tile, keys, slot, count);
    if constexpr (!is_none<Bits>) move_down(tile, values_of(leaf), slot, count);
    if (tile.lane() == 0) node_store(keys + count - 1, nodes_type::greatest);
  }

  template <class Tile, class T>
  MANGROVE_HOST_DEVICE static void move_down(const Tile& tile, T* row, std::uint32_t slot, std::uint32_t count) {
    for (std::uint32_t first = slot + 1; first < count; first += Tile::lanes) {  // batch by batch, reads before writes
      const std::uint32_t from = first + tile.lane();
      const T moved = from < count ? node_load(row + from) : T{};
      tile.sync();
      if (from < count) node_store(row + from - 1, moved);
      tile.sync();
    }
  }

  using base::move_up;
};

}  // namespace mangrove::detail
