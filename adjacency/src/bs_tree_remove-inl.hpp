// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_REMOVE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_REMOVE_INL
#undef MANGROVE_BS_TREE_REMOVE_INL
#else
#define MANGROVE_BS_TREE_REMOVE_INL
#endif

#include "bs_tree_impl-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE take_result bs_tree_impl<Key, Bits, Compressed, Shared>::take(const place& at, Key key) {
  held here;
  if (!here.take(leaf_lock(at.leaf), at.version)) return take_result::conflict;
  return with_leaf(at.leaf, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE { return leaf.take(key); });
}

template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::erase(Key key) {
  if (holds_nothing()) return false;
  for (backoff wait;; wait.wait()) {
    place at;
    if (!descend<way_down::guessing>(key, at)) continue;
    prefetch_values(at.leaf);
    const take_result result = take(at, key);
    if (result == take_result::conflict) continue;
    if (result == take_result::absent) return false;
    size_.add(-1);
    if (result == take_result::emptied) remove_empty_leaf(key);
    return true;
  }
}

/// Takes the leaf that `key` belongs to out of the tree, unless it is the root or has got keys again.
template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::remove_empty_leaf(Key key) {
  for (backoff wait; !try_remove_empty_leaf(key);) wait.wait();
}

/// The leaf goes, and with it the inner nodes above that have no other child, up to the first that has. When there is
/// none, the leaf becomes the root. @return false when a writer was met
template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::try_remove_empty_leaf(Key key) {
  std::array<path_step, bs_max_levels + 1> path;
  std::array<held, bs_max_levels + 1> locks;
  std::uint64_t word;
  std::uint32_t version;
  if (!enter_root(word, version)) return false;
  const int levels = root_levels(word);
  if (levels == 0) return true;
  bs_node node = root_node(word);
  const std::uint32_t* at = lock_of(node, levels);
  int top = -1;  // the last node on the way that keeps another child
  for (int i = 0; i < levels; ++i) {
    const inner* const here = inner_at(node);
    const int slot = child_slot(here, key);
    const bs_node child = bs_get<Shared>(here->children + slot);
    if (bs_get<Shared>(&here->count) != 0) top = i;
    path[static_cast<std::size_t>(i)] = {node, version, slot};
    if (!step_down(at, version, child, levels - 1 - i)) return false;
    node = child;
  }
  const int first = std::max(top, 0);
  for (int i = first; i < levels; ++i) {
    const path_step& step = path[static_cast<std::size_t>(i)];
    if (!locks[static_cast<std::size_t>(i)].take(&inner_at(step.node)->version, step.version)) return false;
  }
  if (!locks[static_cast<std::size_t>(levels)].take(leaf_lock(node), version)) return false;
  if constexpr (Shared) {
    if (bs_get<Shared>(&side_of(node)->used) != 0) return true;
  }
  if (top < 0) {
    if (root() != word) return false;
    set_root(node, 0);
  } else {
    const path_step& anchor = path[static_cast<std::size_t>(top)];
    remove_child(inner_at(anchor.node), anchor.slot);
  }
  // Freed nodes may be handed out at once: whoever still reads them sees their locks end, and begins anew.
  for (held& each : locks) each.release();
  for (int i = top + 1; i < levels; ++i) inners_.give(path[static_cast<std::size_t>(i)].node);
  if (top >= 0) give_leaf(node);
  return true;
}

/// Removes a child of a node that has others. Its keys' range goes to the child left of it, or right of the first one.
template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::remove_child(inner* node, int slot) {
  const int count = static_cast<int>(node->count);
  for (int i = std::max(slot, 1); i < count; ++i) bs_put<Shared>(node->keys + i - 1, node->keys[i]);
  for (int i = slot; i < count; ++i) bs_put<Shared>(node->children + i, node->children[i + 1]);
  set_separator(node, count - 1, greatest);
  bs_put<Shared>(&node->count, static_cast<std::uint32_t>(count - 1));
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
