#pragma once

#include "mangrove/adjacency/detail/blink_reader.hpp"

namespace mangrove::detail {

/// What is left to do after a try: nothing, to try again, or to do so once others have done something.
enum class next_step : std::uint8_t { none, retry, wait };

/// What a tile owes the tree after an insert that has split a leaf.
template <class Key>
struct split_debt {
  std::uint32_t level;  ///< 0: to give a leaf to its parent; above: to split a full inner node of that level
  node_index node;
  Key key;  ///< the way to the parent: the greatest key of the leaf's left neighbour; any of the node's
};

/// Gives inner nodes of a B-link tree that other tiles change and read meanwhile new children, and splits full ones.
///
/// A new child takes the lock of its parent alone. Whoever fills a node splits it, which takes the locks of parent and
/// node; others wait until it has room. Nobody waits while he holds a lock, so no cycle of waiting can come about.
template <class Key, class Bits>
class blink_splitter : public blink_reader<Key, Bits> {
  using base = blink_reader<Key, Bits>;

 public:
  using base::base;
  using base::slots;
  using nodes_type = blink_nodes<Key>;

 protected:
  using base::nodes_;
  using base::root_;
  static constexpr std::uint32_t half = slots / 2;
  template <class Tile>
  using key_row = node_row<slots, Tile, Key>;

  /// Tries to pay a debt. @param debt becomes what is owed then, if there is a next step
  template <class Tile>
  MANGROVE_HOST_DEVICE next_step try_pay(const Tile& tile, split_debt<Key>& debt) const {
    if (debt.level == 0) return try_link(tile, debt);
    const std::uint64_t top = this->top_of(tile);
    if (static_cast<node_index>(top) == debt.node) return split_root(tile, top);
    return split_inner(tile, debt);
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index take_leaf(const Tile& tile) const {
    return tile.elect([&] {
      const std::uint32_t k = fetch_add(&root_->leaves_taken, 1U);
      return k < root_->leaves_granted ? root_->leaves.take(k) : no_node;
    });
  }

 private:
  template <class Tile>
  using child_row = node_row<slots, Tile, node_index>;

  // One row after the other: all at once would take a third more registers, of kernels that hardly ever split too.

  /// Puts a leaf after the one that `before` belongs to in a locked node of the lowest level, one with room.
  /// @return whether `before` belongs to this node
  template <class Tile>
  MANGROVE_HOST_DEVICE bool add_leaf(const Tile& tile, node_index parent, std::uint32_t count, Key before,
                                     node_index leaf) const {
    const key_row<Tile> keys(tile, nodes_.keys_of_inner(parent));
    const std::uint32_t slot = keys.slots_below(tile, before);
    if (slot == count) return false;  // the last separator is the greatest key that belongs here
    if (slot == 0 && before < node_load(&nodes_.heads[node_load(nodes_.children_of(parent))].low)) return false;
    publish(tile);
    put_child(tile, parent, keys, slot, count, before, leaf);
    return true;
  }

  /// Puts a node, published before, after the child in a slot of a locked node with room; `before` becomes the
  /// separator of that child.
  template <class Tile>
  MANGROVE_HOST_DEVICE void put_child(const Tile& tile, node_index parent, const key_row<Tile>& keys,
                                      std::uint32_t slot, std::uint32_t count, Key before, node_index child) const {
    node_index* const children = nodes_.children_of(parent);
    keys.insert(keys.prepare(tile, before), nodes_.keys_of_inner(parent), count);
    child_row<Tile>(tile, children).open(tile, children, slot + 1, count, child);
  }

  /// Gives a new leaf to its parent.
  template <class Tile>
  MANGROVE_HOST_DEVICE next_step try_link(const Tile& tile, split_debt<Key>& debt) const {
    const node_index parent = this->descend(tile, debt.key, 1U);
    std::uint32_t* const state = nodes_.inner_states + parent;
    const std::uint32_t before = state_of(tile, state);
    const std::uint32_t count = node_state::count(before);
    if (count == slots || (before & node_state::lock) != 0) return to_wait();
    if (!try_lock_node(tile, state, before)) return next_step::wait;
    const bool is_linked = add_leaf(tile, parent, count, debt.key, debt.node);
    unlock_node(tile, state, is_linked ? node_state::changed(before, count + 1) : before);
    if (!is_linked) return to_wait();
    if (count + 1 < slots) return next_step::none;
    debt = {1, parent, debt.key};
    return next_step::retry;
  }

  /// Splits a full node below the root.
  template <class Tile>
  MANGROVE_HOST_DEVICE next_step split_inner(const Tile& tile, split_debt<Key>& debt) const {
    const node_index parent = this->descend(tile, debt.key, debt.level + 1);
    if (parent == no_node) return to_wait();
    std::uint32_t* const above_state = nodes_.inner_states + parent;
    const std::uint32_t above = state_of(tile, above_state);
    const std::uint32_t siblings = node_state::count(above);
    if (siblings == slots || (above & node_state::lock) != 0) return to_wait();
    if (!try_lock_node(tile, above_state, above)) return next_step::wait;
    std::uint32_t* const state = nodes_.inner_states + debt.node;
    const std::uint32_t before =
        is_child(tile, parent, siblings, debt.node) ? try_lock_node(tile, state) : node_state::lock;
    if ((before & node_state::lock) != 0) return unlock_node(tile, above_state, above), to_wait();
    const node_index right = take_inner(tile, 1);
    const Key middle = halve_inner(tile, debt.node, right);
    const key_row<Tile> keys(tile, nodes_.keys_of_inner(parent));
    put_child(tile, parent, keys, keys.slots_below(tile, middle), siblings, middle, right);
    unlock_nodes(tile, state, node_state::changed(before, half), above_state, node_state::changed(above, siblings + 1));
    if (siblings + 1 < slots) return next_step::none;
    debt = {debt.level + 1, parent, debt.key};
    return next_step::retry;
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t state_of(const Tile& tile, const std::uint32_t* state) {
    return tile.elect([&] { return load_relaxed(state); });
  }

  /// To wait for others' changes, or for what they have changed to be seen: the way here may have been old, or read
  /// while it changed.
  MANGROVE_HOST_DEVICE static next_step to_wait() {
    node_acquire();
    return next_step::wait;
  }

  /// Whether a locked node has a child.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_child(const Tile& tile, node_index node, std::uint32_t count,
                                                   node_index child) const {
    return child_row<Tile>(tile, nodes_.children_of(node)).scan(tile, child, count).is_hit();
  }

  /// Splits the full root and makes a new one above both halves. Nobody else does.
  template <class Tile>
  MANGROVE_HOST_DEVICE next_step split_root(const Tile& tile, std::uint64_t top) const {
    const auto node = static_cast<node_index>(top);
    std::uint32_t* const state = nodes_.inner_states + node;
    const std::uint32_t before = try_lock_node(tile, state);
    if ((before & node_state::lock) != 0) return next_step::wait;
    const node_index right = take_inner(tile, 2);
    write_root(tile, right + 1, halve_inner(tile, node, right), node, right);
    publish(tile);
    const auto level = static_cast<std::uint32_t>(top >> 32) + 1;
    if (tile.lane() == 0) node_store(&root_->top, blink_root<Key>::top_of(level, right + 1));
    unlock_node(tile, state, node_state::changed(before, half));
    return next_step::none;
  }

  /// The first of `count` neighbouring inner nodes. Those that were granted are enough for all leaves that were.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index take_inner(const Tile& tile, std::uint32_t count) const {
    return tile.elect([&] { return root_->inner_end + fetch_add(&root_->inner_taken, count); });
  }

  /// Moves the upper half of a locked node to a new one; unused slots repeat the last child. @return the last key left
  template <class Tile>
  MANGROVE_HOST_DEVICE Key halve_inner(const Tile& tile, node_index node, node_index right) const {
    const key_row<Tile> keys(tile, nodes_.keys_of_inner(node));
    const Key middle = keys.in_slot(tile, half - 1);
    keys.copy_upper(nodes_.keys_of_inner(right), nodes_type::greatest);
    const child_row<Tile> children(tile, nodes_.children_of(node));
    children.copy_upper(nodes_.children_of(right), children.in_slot(tile, slots - 1));
    const node_index last_left = children.in_slot(tile, half - 1);
    if (tile.lane() == 0) node_store(nodes_.inner_states + right, node_state::of(half));
    publish(tile);
    key_row<Tile>::fill_upper(tile, nodes_.keys_of_inner(node), nodes_type::greatest);
    child_row<Tile>::fill_upper(tile, nodes_.children_of(node), last_left);
    return middle;
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void write_root(const Tile& tile, node_index root, Key middle, node_index left,
                                       node_index right) const {
    tile.strided(slots, [&](std::size_t slot) {
      node_store(nodes_.keys_of_inner(root) + slot, slot == 0 ? middle : nodes_type::greatest);
      node_store(nodes_.children_of(root) + slot, slot == 0 ? left : right);
    });
    if (tile.lane() == 0) store_release(nodes_.inner_states + root, node_state::of(2));
  }
};

}  // namespace mangrove::detail
