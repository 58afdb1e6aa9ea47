// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_SEARCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_SEARCH_INL
#undef MANGROVE_BS_TREE_SEARCH_INL
#else
#define MANGROVE_BS_TREE_SEARCH_INL
#endif

#include "bs_tree_impl-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE bool bs_tree_impl<Key, Bits, Compressed, Shared>::enter_root(std::uint64_t& word,
                                                                        std::uint32_t& version) const {
  word = root();
  version = lock::read(lock_of(root_node(word), root_levels(word)));
  if constexpr (!Shared) return true;
  return !lock::locked(version) && root() == word;
}

template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE bool bs_tree_impl<Key, Bits, Compressed, Shared>::step_down(const std::uint32_t*& at, std::uint32_t& version,
                                                                       bs_node child, int levels) const {
  if constexpr (!Shared) return true;
  if (!lock::valid(at, version)) return false;  // before `child` is used: it may be any number
  const std::uint32_t* const below = lock_of(child, levels);
  const std::uint32_t seen = lock::read(below);
  if (lock::locked(seen) || !lock::valid(at, version)) return false;
  at = below;
  version = seen;
  return true;
}

/// Asks for the leaf that a key is likely to be in while its parent, which is in no cache, is on its way.
/// @param slot the parent's number among the children of `above`
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::prefetch_guessed_leaf(const inner* above, int slot,
                                                                                   bs_node parent, Key key) const {
  // Without a separator on one side this guesses an end of the parent, and takes no branch.
  const Key low = separator_at(above, std::max(slot - 1, 0));
  const Key high = separator_at(above, std::min(slot, inner::separators - 1));
  prefetch_leaf<true>(loaded_.leaf_at(parent, loaded_places::share_below(key, low, high)));
}

/// Finds the leaf that `key` belongs to.
/// @return false when a writer was met
template <class Key, class Bits, bool Compressed, bool Shared>
template <way_down Way>
HWY_INLINE bool bs_tree_impl<Key, Bits, Compressed, Shared>::descend(Key key, place& found) const {
  std::uint64_t word;
  std::uint32_t version;
  if (!enter_root(word, version)) return false;
  std::uint64_t node = root_node(word);  // of 64 bits, so that addresses take no conversion
  int levels = root_levels(word);
  const std::uint32_t* at = Shared ? lock_of(node, levels) : nullptr;
  found.parent = bs_no_node;
  found.parent_version = 0;
  found.slot = 0;
  found.high = found.parent_high = greatest;
  found.low = 0;
  found.bounded = false;
  // Where nodes may be in no cache, a node's last line is asked for while the others are on their way: on the lowest
  // level. On more of them that instruction costs more than it saves, since a processor has the more searches under way
  // the shorter they are. A guess is made a level above.
  constexpr bool guesses = can_guess && Way == way_down::guessing;
  constexpr int far_levels = guesses ? 2 : 1;
  const auto go_down = [&](bool far) MANGROVE_BS_TREE_INLINE {
    const inner* const here = inner_at(node);
    if (far)
      __builtin_prefetch(here->children + inner::separators);  // an address that the compiler keeps for nothing else
    const std::uint64_t place_below = child_place(here, key);
    const bs_node child = bs_get<Shared>(here->children + place_below);
    const auto slot = static_cast<int>(place_below);
    if constexpr (Way == way_down::with_bounds) {
      found.parent_high = found.high;
      if (slot < inner::separators) found.high = std::min(found.high, separator_at(here, slot));
      if (slot > 0) {
        found.low = separator_at(here, slot - 1);
        found.bounded = true;
      }
    }
    found.parent = static_cast<bs_node>(node);
    found.parent_version = version;
    found.slot = slot;
    if (!step_down(at, version, child, levels)) return false;
    node = child;
    return true;
  };
  while (levels > far_levels) {
    --levels;
    if (!go_down(false)) return false;
  }
  while (levels-- > 0) {
    const std::uint64_t above = node;
    if (!go_down(true)) return false;
    if constexpr (guesses) {
      if (levels == 1 && loaded_.far)
        prefetch_guessed_leaf(inner_at(above), found.slot, static_cast<bs_node>(node), key);
    }
  }
  found.leaf = static_cast<bs_node>(node);
  found.version = version;
  return true;
}

template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::descend_surely(Key key, place& found) const {
  for (backoff wait; !descend<way_down::with_bounds>(key, found);) wait.wait();
}

template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::prefetch_values(bs_node node) const {
  with_leaf(node, [](const auto& leaf) MANGROVE_BS_TREE_INLINE { leaf.prefetch_values(); });
}

template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::find(Key key, Bits* value) const {
  if (holds_nothing()) return false;
  for (backoff wait;; wait.wait()) {
    place at;
    if (!descend<way_down::plain>(key, at)) continue;
    prefetch_values(at.leaf);
    const bool found = with_leaf(at.leaf, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
      std::uint64_t same = leaf.holding(key);
      if constexpr (Shared) same &= leaf.used();
      if (same == 0) return false;
      if (value != nullptr) *value = leaf.value_at(63U ^ static_cast<unsigned>(std::countl_zero(same)));
      return true;
    });
    if (lock::valid(leaf_lock(at.leaf), at.version)) return found;
  }
}

/// Copies a leaf that others may be writing. @return false when they did
template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::snapshot(bs_node leaf, std::uint32_t version, content& to) const {
  to.count = with_leaf(leaf, [&](const auto& from) MANGROVE_BS_TREE_INLINE { return from.read(to.keys, to.values); });
  return lock::valid(leaf_lock(leaf), version);
}

template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::successor(Key key, Key* found, Bits* value) const {
  if (key == greatest || holds_nothing()) return false;
  Key least = key + 1;
  for (backoff wait;;) {
    place at;
    descend_surely(least, at);
    content here;
    if (!snapshot(at.leaf, at.version, here)) {
      wait.wait();
      continue;
    }
    const auto next = std::lower_bound(here.keys, here.keys + here.count, least) - here.keys;
    if (next != here.count) {
      *found = here.keys[next];
      *value = here.values[next];
      return true;
    }
    if (at.high == greatest) return false;
    least = at.high + 1;
  }
}

template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::predecessor(Key key, Key* found, Bits* value) const {
  if (key == 0 || holds_nothing()) return false;
  Key most = key - 1;
  for (backoff wait;;) {
    place at;
    descend_surely(most, at);
    content here;
    if (!snapshot(at.leaf, at.version, here)) {
      wait.wait();
      continue;
    }
    const auto after = std::upper_bound(here.keys, here.keys + here.count, most) - here.keys;
    if (after != 0) {
      *found = here.keys[after - 1];
      *value = here.values[after - 1];
      return true;
    }
    if (!at.bounded) return false;
    most = at.low;
  }
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
