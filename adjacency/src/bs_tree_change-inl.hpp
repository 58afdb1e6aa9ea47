// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_CHANGE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_CHANGE_INL
#undef MANGROVE_BS_TREE_CHANGE_INL
#else
#define MANGROVE_BS_TREE_CHANGE_INL
#endif

#include "bs_tree_impl-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

/// Inserts into the leaf that `at` names, if that is still where the key belongs and it has room.
template <class Key, class Bits, bool Compressed, bool Shared>
template <lines_touched Lines>
HWY_INLINE put_result bs_tree_impl<Key, Bits, Compressed, Shared>::put(const place& at, Key key, Bits value,
                                                                       bs_on_existing existing) {
  held here;
  if (!here.take(leaf_lock(at.leaf), at.version)) return put_result::conflict;
  return with_leaf(at.leaf, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
    return leaf.template put<Lines>(key, value, existing == bs_on_existing::assign);
  });
}

template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::insert(Key key, Bits value, bs_on_existing existing) {
  if (holds_nothing()) return insert_first(key, value);
  for (backoff wait;; wait.wait()) {
    place at;
    if (!descend<way_down::guessing>(key, at)) continue;
    prefetch_values(at.leaf);
    const put_result result = put<lines_touched::all>(at, key, value, existing);
    if (result == put_result::inserted) [[likely]] {
      size_.add(1);
      return true;
    }
    if (result == put_result::present) return false;
    if (result == put_result::no_room) return insert_slowly(key, value, existing);
  }
}

template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::insert_first(Key key, Bits value) {
  content one;
  one.keys[0] = key;
  one.values[0] = value;
  write_leaf(root_node(root_), one, 0, 1);
  size_.add(1);
  return true;
}

/// Inserts where the leaf must be written anew or split.
template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::insert_slowly(Key key, Bits value, bs_on_existing existing) {
  for (backoff wait;; wait.wait()) {
    const put_result result = split_on_the_way(key, value, existing);
    if (result == put_result::inserted) size_.add(1);
    if (result == put_result::inserted || result == put_result::present) return result == put_result::inserted;
  }
}

/// Descends; splits the first full inner node that it meets, and then reports a conflict; else inserts.
template <class Key, class Bits, bool Compressed, bool Shared>
put_result bs_tree_impl<Key, Bits, Compressed, Shared>::split_on_the_way(Key key, Bits value, bs_on_existing existing) {
  std::uint64_t word;
  place at{};
  if (!enter_root(word, at.version)) return put_result::conflict;
  at.leaf = root_node(word);
  at.high = greatest;
  const std::uint32_t* here_lock = lock_of(at.leaf, root_levels(word));
  for (int levels = root_levels(word); levels != 0; --levels) {
    const inner* const here = inner_at(at.leaf);
    if (bs_get<Shared>(&here->count) == inner::separators) {
      split_inner(at.leaf, at.version, {at.parent, at.parent_version, at.slot}, word, at.high == greatest);
      return put_result::conflict;
    }
    const int slot = child_slot(here, key);
    const bs_node child = bs_get<Shared>(here->children + slot);
    if (slot < inner::separators) at.high = std::min(at.high, separator_at(here, slot));
    at.parent = at.leaf;
    at.parent_version = at.version;
    at.slot = slot;
    if (!step_down(here_lock, at.version, child, levels - 1)) return put_result::conflict;
    at.leaf = child;
  }
  return rewrite_leaf(at, word, key, value, existing);
}

/// Locks the leaf and its parent, adds the key to the leaf's content and writes that to one or two leaves.
template <class Key, class Bits, bool Compressed, bool Shared>
put_result bs_tree_impl<Key, Bits, Compressed, Shared>::rewrite_leaf(const place& at, std::uint64_t word, Key key,
                                                                     Bits value, bs_on_existing existing) {
  held parent_lock;
  held here;
  if (at.parent != bs_no_node && !parent_lock.take(&inner_at(at.parent)->version, at.parent_version)) {
    return put_result::conflict;
  }
  if (!here.take(leaf_lock(at.leaf), at.version)) return put_result::conflict;
  if (at.parent == bs_no_node && root() != word) return put_result::conflict;
  content all;
  const put_result easy = with_leaf(at.leaf, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
    const auto result = leaf.template put<lines_touched::all>(key, value, existing == bs_on_existing::assign);
    if (result == put_result::no_room) all.count = leaf.read(all.keys, all.values);
    return result;
  });
  if (easy != put_result::no_room) return easy;
  const auto position = static_cast<int>(std::lower_bound(all.keys, all.keys + all.count, key) - all.keys);
  std::copy_backward(all.keys + position, all.keys + all.count, all.keys + all.count + 1);
  std::copy_backward(all.values + position, all.values + all.count, all.values + all.count + 1);
  all.keys[position] = key;
  all.values[position] = value;
  ++all.count;
  replace_leaf(at, all, split_point(all, form_of(at.leaf), position, at));
  return put_result::inserted;
}

/// The narrowest form that can keep keys [first, last) of the content.
template <class Key, class Bits, bool Compressed, bool Shared>
int bs_tree_impl<Key, Bits, Compressed, Shared>::form_for(const content& all, int first, int last) {
  const Key span = all.keys[last - 1] - all.keys[first];
  if (forms == 3 && span <= std::numeric_limits<bs_form<Key, 2>>::max()) return 2;
  if (forms >= 2 && span <= std::numeric_limits<bs_form<Key, 1>>::max()) return 1;
  return 0;
}

/// Where to split content that has just got a key at `position`; 0 when one leaf can keep it.
///
/// A key beyond all others at the tree's right end, or out of the leaf's frame, gets a leaf of its own: so ascending
/// keys leave full leaves behind, and a far key does not widen its neighbours.
template <class Key, class Bits, bool Compressed, bool Shared>
int bs_tree_impl<Key, Bits, Compressed, Shared>::split_point(const content& all, int form, int position,
                                                             const place& at) {
  const int wanted = form_for(all, 0, all.count);
  const int room = static_cast<int>(bs_slots<Key>) << wanted;
  if (all.count <= room) return 0;
  const bool out_of_frame = wanted < form;
  if (position == all.count - 1 && (out_of_frame || at.high == greatest)) return position;
  if (position == 0 && out_of_frame) return 1;
  return all.count / 2;
}

template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::write_leaf(bs_node node, const content& all, int first, int last) {
  with_leaf(node, [&](const auto& leaf) { leaf.write(all.keys + first, all.values + first, last - first); });
}

/// Writes the content to the leaf, or to new ones where its form must change or it is split, and tells the parent.
/// Asks for all memory first. The leaf and its parent are locked, and the parent has room.
template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::replace_leaf(const place& at, content& all, int split) {
  const int left_end = split == 0 ? all.count : split;
  const int left_form = form_for(all, 0, left_end);
  const bool moves = left_form != form_of(at.leaf);
  const bs_node root_parent = split != 0 && at.parent == bs_no_node ? inners_.take() : bs_no_node;
  bs_node left = at.leaf;
  bs_node right = bs_no_node;
  try {
    if (moves) left = take_leaf(left_form);
    if (split != 0) right = take_leaf(form_for(all, split, all.count));
  } catch (...) {
    if (left != at.leaf) give_leaf(left);
    if (root_parent != bs_no_node) inners_.give(root_parent);
    throw;
  }
  if (split != 0) write_leaf(right, all, split, all.count);
  write_leaf(left, all, 0, left_end);
  const Key separator = split == 0 ? greatest : static_cast<Key>(all.keys[split] - 1);
  if (at.parent != bs_no_node) {
    inner* const parent = inner_at(at.parent);
    bs_put<Shared>(parent->children + at.slot, left);
    if (split != 0) add_child(parent, at.slot, separator, right);
  } else if (split != 0) {
    const bs_node children[2] = {left, right};
    fill_inner(inner_at(root_parent), &separator, children, 1);
    set_root(root_parent, 1);
  } else {
    set_root(left, 0);
  }
  if (moves) give_leaf(at.leaf);
}

/// Adds a child right of child `slot`, which then ends at `separator`. The node has room.
template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::add_child(inner* node, int slot, Key separator, bs_node child) {
  const int count = static_cast<int>(node->count);
  for (int i = count; i > slot; --i) {
    bs_put<Shared>(node->keys + i, node->keys[i - 1]);
    bs_put<Shared>(node->children + i + 1, node->children[i]);
  }
  set_separator(node, slot, separator);
  bs_put<Shared>(node->children + slot + 1, child);
  bs_put<Shared>(&node->count, static_cast<std::uint32_t>(count + 1));
}

/// Writes a node that nobody else sees yet, or that is locked.
template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::fill_inner(inner* node, const Key* keys, const bs_node* children,
                                                             int separators) {
  for (int i = 0; i < inner::separators; ++i) set_separator(node, i, i < separators ? keys[i] : greatest);
  for (int i = 0; i <= separators; ++i) bs_put<Shared>(node->children + i, children[i]);
  bs_put<Shared>(&node->count, static_cast<std::uint32_t>(separators));
}

/// Splits a full inner node whose parent, if any, has room. At the right end of its level the left half keeps nearly
/// all, since ascending keys come only to the right one. @return false when a writer was met
template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::split_inner(bs_node node, std::uint32_t version,
                                                              const path_step& parent, std::uint64_t word,
                                                              bool rightmost) {
  constexpr int full = inner::separators;
  held parent_lock;
  held node_lock;
  if (parent.node != bs_no_node && !parent_lock.take(&inner_at(parent.node)->version, parent.version)) return false;
  if (!node_lock.take(&inner_at(node)->version, version)) return false;
  if (parent.node == bs_no_node && root() != word) return false;
  const bs_node right = inners_.take();
  bs_node above = bs_no_node;
  try {
    if (parent.node == bs_no_node) above = inners_.take();
  } catch (...) {
    inners_.give(right);
    throw;
  }
  inner* const left = inner_at(node);
  const int kept = rightmost ? full - 2 : full / 2;
  Key separators[full];
  for (int i = kept; i < full; ++i) {
    separators[i] = separator_at(left, i);
    set_separator(left, i, greatest);
  }
  fill_inner(inner_at(right), separators + kept + 1, left->children + kept + 1, full - kept - 1);
  bs_put<Shared>(&left->count, static_cast<std::uint32_t>(kept));
  if (above == bs_no_node) {
    add_child(inner_at(parent.node), parent.slot, separators[kept], right);
  } else {
    const bs_node children[2] = {node, right};
    fill_inner(inner_at(above), separators + kept, children, 1);
    set_root(above, root_levels(word) + 1);
  }
  return true;
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
