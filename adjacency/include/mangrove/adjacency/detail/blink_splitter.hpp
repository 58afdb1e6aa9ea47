#pragma once

#include "mangrove/adjacency/detail/blink_reader.hpp"

namespace mangrove::detail {

/// What came of a step towards room for a key.
enum class split_step : std::uint8_t {
  taken,      ///< by this tile, or needed no more
  contended,  ///< somebody else is changing the nodes that it takes
  no_memory
};

/// Splits full nodes of a B-link tree that other tiles change and read meanwhile.
///
/// A split locks the parent, then the node, and does all of its work under both: the new right half, the shortened left
/// half, and both separators in the parent, which has room. Full inner nodes are split on the way down, so that it has.
/// Locks are taken from the top down, and whoever holds a leaf's waits for none: no cycle of waiting can come about.
/// Nobody waits for the first of them: who has it may be making the very room that others want.
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

  /// Takes one step towards room for a key: splits the topmost full node on its way.
  template <class Tile>
  MANGROVE_HOST_DEVICE split_step split(const Tile& tile, Key key) const {
    const std::uint64_t top = this->top_of(tile);
    auto node = static_cast<node_index>(top);
    if (is_full(tile, node)) return split_root(tile, top);
    for (auto level = static_cast<std::uint32_t>(top >> 32); level > 1; --level) {
      const node_index child = this->child_of(tile, node, key);
      if (is_full(tile, child)) return split_inner(tile, node, child);
      node = child;
    }
    return split_leaf(tile, node, this->child_of(tile, node, key));
  }

  /// Moves the elements [slot, count) of a row one place up.
  template <class Tile, class T>
  MANGROVE_HOST_DEVICE static void move_up(const Tile& tile, T* row, std::uint32_t slot, std::uint32_t count) {
    for (std::uint32_t end = count; end > slot;) {  // batch by batch from the end, reads before writes
      const std::uint32_t size = end - slot < Tile::lanes ? end - slot : static_cast<std::uint32_t>(Tile::lanes);
      const std::uint32_t from = end - size + tile.lane();
      const T moved = from < end ? node_load(row + from) : T{};
      tile.sync();
      if (from < end) node_store(row + from + 1, moved);
      tile.sync();
      end -= size;
    }
  }

 private:
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_full(const Tile& tile, node_index inner) const {
    return tile.elect([&] { return node_state::count(load_relaxed(nodes_.inner_states + inner)) == slots; });
  }

  /// Where a child stands in a locked node; `slots` when it does not.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t slot_of(const Tile& tile, node_index node, std::uint32_t count,
                                                           node_index child) const {
    const node_index* const children = nodes_.children_of(node);
    const std::uint32_t hits = tile.template match<static_cast<int>(slots)>(
        [&](int slot) { return static_cast<std::uint32_t>(slot) < count && node_load(children + slot) == child; });
    return hits == 0 ? slots : lowest_bit(hits);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE split_step split_leaf(const Tile& tile, node_index parent, node_index leaf) const {
    return split_child(
        tile, parent, leaf, &nodes_.heads[leaf].state, [&] { return take_leaf(tile); },
        [&](node_index right) {
          write_right_leaf(tile, leaf, right);
          shorten_leaf(tile, leaf, right);
          return node_load(nodes_.keys_of(leaf) + half - 1);
        });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE split_step split_inner(const Tile& tile, node_index parent, node_index node) const {
    return split_child(
        tile, parent, node, nodes_.inner_states + node, [&] { return take_inner(tile, 1); },
        [&](node_index right) {
          write_right_inner(tile, node, right);
          const Key middle = node_load(nodes_.keys_of_inner(node) + half - 1);
          shorten_inner(tile, node);
          return middle;
        });
  }

  /// Splits a node if it is still full, and its parent has it and room.
  /// @param take gives the new node, or `no_node` @param halve moves half of the node there, gives the last key left
  template <class Tile, class Take, class Halve>
  MANGROVE_HOST_DEVICE split_step split_child(const Tile& tile, node_index parent, node_index node,
                                              std::uint32_t* state, Take take, Halve halve) const {
    std::uint32_t* const above_state = nodes_.inner_states + parent;
    const std::uint32_t above = try_lock_node(tile, above_state);
    if ((above & node_state::lock) != 0) return split_step::contended;
    const std::uint32_t siblings = node_state::count(above);
    const std::uint32_t slot = slot_of(tile, parent, siblings, node);
    if (slot == slots || siblings == slots) return unlock_node(tile, above_state, above), split_step::taken;
    const std::uint32_t before = lock_node(tile, state);
    const bool is_full = node_state::count(before) == slots;
    const node_index right = is_full ? take() : no_node;
    if (right != no_node) add_child(tile, parent, slot, siblings, halve(right), right);
    const bool is_split = right != no_node;
    unlock_node(tile, state, is_split ? node_state::changed(before, half) : before);
    unlock_node(tile, above_state, is_split ? node_state::changed(above, siblings + 1) : above);
    return is_full && !is_split ? split_step::no_memory : split_step::taken;
  }

  /// Splits the root and makes a new one above both halves.
  template <class Tile>
  MANGROVE_HOST_DEVICE split_step split_root(const Tile& tile, std::uint64_t top) const {
    if ((try_lock_node(tile, &root_->lock) & node_state::lock) != 0) return split_step::contended;
    const auto node = static_cast<node_index>(top);
    if (node_load(&root_->top) != top) return unlock_node(tile, &root_->lock, 0U), split_step::taken;
    const std::uint32_t before = lock_node(tile, nodes_.inner_states + node);
    const bool is_full = node_state::count(before) == slots;
    const node_index right = is_full ? take_inner(tile, 2) : no_node;
    const bool is_split = right != no_node;
    if (is_split) {
      write_right_inner(tile, node, right);
      write_root(tile, right + 1, node_load(nodes_.keys_of_inner(node) + half - 1), node, right);
      shorten_inner(tile, node);
      tile.sync();
      const auto level = static_cast<std::uint32_t>(top >> 32) + 1;
      if (tile.lane() == 0) store_release(&root_->top, blink_root<Key>::top_of(level, right + 1));
    }
    unlock_node(tile, nodes_.inner_states + node, is_split ? node_state::changed(before, half) : before);
    unlock_node(tile, &root_->lock, 0U);
    return is_full && !is_split ? split_step::no_memory : split_step::taken;
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index take_leaf(const Tile& tile) const {
    return tile.elect([&] {
      const std::uint32_t k = fetch_add(&root_->leaves_taken, 1U);
      return k < root_->leaves_granted ? root_->leaves.take(k) : no_node;
    });
  }

  /// The first of `count` neighbouring inner nodes.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE node_index take_inner(const Tile& tile, std::uint32_t count) const {
    return tile.elect([&] {
      const std::uint32_t k = fetch_add(&root_->inner_taken, count);
      return k + count <= root_->inner_granted ? root_->inner_end + k : no_node;
    });
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void write_right_leaf(const Tile& tile, node_index leaf, node_index right) const {
    const Key* const from = nodes_.keys_of(leaf);
    tile.strided(slots, [&](std::size_t slot) {
      node_store(nodes_.keys_of(right) + slot, slot < half ? node_load(from + half + slot) : nodes_type::greatest);
      if constexpr (!is_none<Bits>) {
        const auto* const values = reinterpret_cast<const Bits*>(nodes_.values_of(leaf));
        if (slot < half)
          node_store(reinterpret_cast<Bits*>(nodes_.values_of(right)) + slot, node_load(values + half + slot));
      }
    });
    if (tile.lane() == 0) {
      leaf_head<Key>& head = nodes_.heads[right];
      node_store(&head.low, static_cast<Key>(node_load(from + half - 1) + 1));
      node_store(&head.high, node_load(&nodes_.heads[leaf].high));
      node_store(&head.right, node_load(&nodes_.heads[leaf].right));
      store_release(&head.state, node_state::changed(node_load(&head.state) & ~node_state::lock, half));
    }
    tile.sync();
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void shorten_leaf(const Tile& tile, node_index leaf, node_index right) const {
    Key* const keys = nodes_.keys_of(leaf);
    tile.strided(half, [&](std::size_t slot) { node_store(keys + half + slot, nodes_type::greatest); });
    if (tile.lane() != 0) return;
    node_store(&nodes_.heads[leaf].high, node_load(keys + half - 1));
    node_store(&nodes_.heads[leaf].right, right);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void write_right_inner(const Tile& tile, node_index node, node_index right) const {
    const Key* const keys = nodes_.keys_of_inner(node);
    const node_index* const children = nodes_.children_of(node);
    tile.strided(slots, [&](std::size_t slot) {
      node_store(nodes_.keys_of_inner(right) + slot,
                 slot < half ? node_load(keys + half + slot) : nodes_type::greatest);
      node_store(nodes_.children_of(right) + slot, node_load(children + (slot < half ? half + slot : slots - 1)));
    });
    tile.sync();
    if (tile.lane() == 0) store_release(nodes_.inner_states + right, node_state::of(half));
    tile.sync();
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void shorten_inner(const Tile& tile, node_index node) const {
    Key* const keys = nodes_.keys_of_inner(node);
    node_index* const children = nodes_.children_of(node);
    const node_index last = node_load(children + half - 1);
    tile.sync();
    tile.strided(half, [&](std::size_t slot) {
      node_store(keys + half + slot, nodes_type::greatest);
      node_store(children + half + slot, last);
    });
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

  /// Puts `right` after the child in `slot` of a locked node with room; `middle` becomes the separator of the latter.
  template <class Tile>
  MANGROVE_HOST_DEVICE void add_child(const Tile& tile, node_index parent, std::uint32_t slot, std::uint32_t count,
                                      Key middle, node_index right) const {
    Key* const keys = nodes_.keys_of_inner(parent);
    node_index* const children = nodes_.children_of(parent);
    node_fence();  // the node is written before anybody finds it here
    tile.sync();
    move_up(tile, keys, slot, count);  // the right half keeps the separator that was the child's
    move_up(tile, children, slot + 1, count);
    if (tile.lane() == 0) {
      node_store(keys + slot, middle);
      node_store(children + slot + 1, right);
    }
    if (slot + 1 < count) return;
    tile.sync();
    tile.strided(slots - (slot + 1), [&](std::size_t k) { node_store(children + slot + 1 + k, right); });
  }
};

}  // namespace mangrove::detail
