// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_RANGE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_RANGE_INL
#undef MANGROVE_BS_TREE_RANGE_INL
#else
#define MANGROVE_BS_TREE_RANGE_INL
#endif

#include "bs_tree_impl-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

/// Asks for a leaf's keys and, if `Values`, its values.
template <class Key, class Bits, bool Compressed, bool Shared>
template <bool Values>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::prefetch_leaf(bs_node leaf) const {
  const std::byte* const at = leaf_at(leaf);
  __builtin_prefetch(at);
  __builtin_prefetch(at + 64);
  if constexpr (Values) prefetch_values(leaf);
  prefetch_side(leaf);
}

/// Asks for the parent right of the one at `at`, if keys up to `high` may lie there and its number is at hand.
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::prefetch_right(const scan_place& at, Key high) const {
  if (!at.has_right() || at.high >= high) return;
  const auto* const next = reinterpret_cast<const std::byte*>(inner_at(at.above->children[at.slot + 1]));
  for (std::size_t line = 0; line < sizeof(inner); line += 64) __builtin_prefetch(next + line);
}

/// Asks for the leaves where a range from `low` on is likely to begin, while the parent at `at` is on its way and
/// nothing else can be asked for. Leaves that follow, also under the next parent, are next in memory. Wrong guesses,
/// even of places where no leaf is, cost lines. AVX2, mostly a Zen 3's, asks for few, since that processor has room
/// for 24.
/// @tparam Values whether leaves' values will be read
/// @param leaves how many leaves will be visited at most
template <class Key, class Bits, bool Compressed, bool Shared>
template <bool Values>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::prefetch_guessed_leaves(const scan_place& at, Key low,
                                                                                     Key high,
                                                                                     std::size_t leaves) const {
  if constexpr (Compressed) return;
  if (at.above == nullptr) return;
  const bs_node parent = at.above->children[at.slot];
  if (!loaded_.has(parent)) return;
  const auto leaf_of = [&](Key key) {
    return loaded_.leaf_at(parent, loaded_places::share_below(key, at.low, at.high));
  };
  constexpr std::size_t most = HWY_TARGET == HWY_AVX2 ? 4 : 10;
  const bs_node first = leaf_of(low);
  bs_node end = first + static_cast<bs_node>(std::min(most, leaves));
  if (high <= at.high) end = std::min(end, leaf_of(high) + 1);
  for (bs_node leaf = first; leaf < end; ++leaf) prefetch_leaf<Values>(leaf);
}

/// Finds the lowest inner node that `key` belongs to. The tree has inner nodes.
template <class Key, class Bits, bool Compressed, bool Shared>
template <bool Values>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::enter_scan(Key key, Key high, std::size_t leaves,
                                                                        scan_place& found) const {
  const std::uint64_t word = root();
  found = {inner_at(root_node(word)), 0, greatest, nullptr, 0, greatest};
  for (int levels = root_levels(word); levels != 1; --levels) {
    found.above = found.parent;
    found.above_high = found.high;
    found.slot = child_slot(found.above, key);
    if (found.slot != 0) found.low = separator_at(found.above, found.slot - 1);
    found.high = child_high(found.above, found.slot, found.above_high);
    found.parent = inner_at(found.above->children[found.slot]);
  }
  __builtin_prefetch(found.parent->children + inner::separators);
  prefetch_right(found, high);
  prefetch_guessed_leaves<Values>(found, key, high, leaves);
}

/// Moves on to the next lowest inner node, which there is.
template <class Key, class Bits, bool Compressed, bool Shared>
template <bool Values>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::move_right(Key high, scan_place& at) const {
  if (!at.has_right()) return enter_scan<Values>(at.high + 1, high, scan_window::children, at);
  ++at.slot;
  at.low = at.high;
  at.parent = inner_at(at.above->children[at.slot]);
  at.high = child_high(at.above, at.slot, at.above_high);
  prefetch_right(at, high);
}

/// Calls `visit(leaf, edge)` for every leaf that may hold keys in [low, high], in order, until it returns false. Leaves
/// at no edge hold no others.
///
/// Leaves are asked for before they are visited, and the next parent before it is needed. A Zen 3 forgets about every
/// line that is asked for while 24 are under way, so AVX2's scans, which are mostly that processor's, are only a few
/// leaves ahead of themselves; others ask for all leaves of a parent at once. Leaves that lie apart from the next ones
/// take longer, since no processor sees them coming: those are asked for at once in any case.
/// @tparam Values whether leaves' values will be read
/// @param leaves how many leaves will be visited at most, as far as that is known
template <class Key, class Bits, bool Compressed, bool Shared>
template <bool Values, class Visit>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::scan(Key low, Key high, std::size_t leaves,
                                                                  const Visit& visit) const {
  static_assert(!Shared);
  if (root_levels(root()) == 0) {
    visit(root_node(root()), true);
    return;
  }
  constexpr bool paced = HWY_TARGET == HWY_AVX2;
  constexpr int leaf_lines = static_cast<int>((Values ? leaf_bytes(forms - 1) : bs_block_bytes) / 64);
  const int most = static_cast<int>(std::min<std::size_t>(leaves, 2 * scan_window::children));
  const int ahead = std::min(most, std::max(2, 20 / leaf_lines));
  scan_window window;
  scan_place at;
  enter_scan<Values>(low, high, leaves, at);
  int i = child_slot(at.parent, low);
  const auto add_parent = [&](int first) MANGROVE_BS_TREE_INLINE {
    window.add(at.parent, child_slot(at.parent, high));
    for (int j = first; j < std::min(window.end, i + most); ++j) {
      if (!paced || j < i + ahead || window.behind_next(j)) prefetch_leaf<Values>(window.leaves[j]);
    }
  };
  add_parent(i);
  for (int left = i;; left = -1) {
    int end = window.end;
    if (at.high < high) {
      move_right<Values>(high, at);
      add_parent(end);
    }
    const bool all = at.high >= high;
    if (all) end = window.end;
    const int right = all ? end - 1 : end;
    const auto inside = static_cast<unsigned>(right - left - 1);  // leaves between `left` and `right` are at no edge
    for (; i < end; ++i) {
      if constexpr (paced) prefetch_leaf<Values>(window.leaves[std::min(i + ahead, window.end - 1)]);
      if (!visit(window.leaves[i], static_cast<unsigned>(i - left - 1) >= inside)) return;
    }
    if (all) return;
    window.drop(end);
    i = 0;
  }
}

/// Moves on to the leaf right of `at` under the same parent. @return false when there is none, or a writer was met
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE bool bs_tree_impl<Key, Bits, Compressed, Shared>::step_right(place& at) const {
  if (at.parent == bs_no_node || at.high == at.parent_high) return false;
  const inner* const parent = inner_at(at.parent);
  const int slot = at.slot + 1;
  const bs_node leaf = bs_get<Shared>(parent->children + slot);
  const Key high = child_high(parent, slot, at.parent_high);
  if (!lock::valid(&parent->version, at.parent_version)) return false;  // before `leaf` is used: it may be any number
  const std::uint32_t version = lock::read(leaf_lock(leaf));
  if (lock::locked(version) || !lock::valid(&parent->version, at.parent_version)) return false;
  at.leaf = leaf;
  at.version = version;
  at.slot = slot;
  at.low = at.high;
  at.bounded = true;
  at.high = high;
  return true;
}

/// As `scan`, beside writers: `read(leaf, low)` looks for a leaf's keys from `low` on, then `keep(what it returned)` is
/// called if nobody was writing to the leaf meanwhile; the scan ends when that returns false.
template <class Key, class Bits, bool Compressed, bool Shared>
template <bool Values, class Read, class Keep>
void bs_tree_impl<Key, Bits, Compressed, Shared>::scan_beside_writers(Key low, Key high, const Read& read,
                                                                      const Keep& keep) const {
  bs_node asked_for = bs_no_node;
  for (backoff wait;;) {
    place at;
    descend_surely(low, at);
    if (at.parent != asked_for) {  // whatever a writer makes of it meanwhile: asking for a wrong line does no harm
      const inner* const parent = inner_at(at.parent);
      const int last = child_slot(parent, high);
      for (int slot = at.slot; slot <= last; ++slot) prefetch_leaf<Values>(bs_get<true>(parent->children + slot));
      asked_for = at.parent;
    }
    do {
      const std::size_t found = read(at.leaf, low, true);
      if (!lock::valid(leaf_lock(at.leaf), at.version)) {
        wait.wait();
        break;
      }
      if (!keep(found) || at.high >= high) return;
      low = at.high + 1;
    } while (step_right(at));
  }
}

/// A leaf's used slots whose keys are in [low, high]; all that are used, if the leaf is at no edge.
template <class Key, class Bits, bool Compressed, bool Shared>
template <class Leaf>
HWY_INLINE std::uint64_t bs_tree_impl<Key, Bits, Compressed, Shared>::slots_between(const Leaf& leaf, Key low, Key high,
                                                                                    bool edge) {
  std::uint64_t which = leaf.used();
  if (edge) which &= leaf.up_to(high) & ~leaf.below(low);
  return which;
}

/// Writes a leaf's keys in [low, high]; all of them, if it is at no edge. @return how many were written, at most `room`
template <class Key, class Bits, bool Compressed, bool Shared>
template <class Leaf>
HWY_INLINE std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::emit(const Leaf& leaf, Key low, Key high, bool edge,
                                                                         Key* keys, Bits* values, std::size_t room) {
  constexpr int slots = Leaf::slots;
  constexpr std::size_t vector = 64 / sizeof(Key);  // a leaf overwrites as much beyond the last
  const bool roomy = room >= slots + vector;
  if (!edge && roomy) [[likely]]
    return leaf.emit_all(keys, values);
  const std::uint64_t which = slots_between(leaf, low, high, edge);
  if (roomy) return leaf.emit(which, keys, values);
  Key some_keys[slots + vector];
  Bits some_values[slots + vector];
  const std::size_t wanted = std::min(room, leaf.emit(which, some_keys, some_values));
  std::copy_n(some_keys, wanted, keys);
  if constexpr (value_bytes != 0) std::memcpy(values, some_values, wanted * value_bytes);
  return wanted;
}

/// The same of a leaf by number. Of one that others may write to, a copy is made first.
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::emit_leaf(bs_node node, Key low, Key high,
                                                                              bool edge, Key* keys, Bits* values,
                                                                              std::size_t room) const {
  return with_leaf(node, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
    if constexpr (Shared) {
      typename std::remove_cvref_t<decltype(leaf)>::copy own;
      leaf.copy_to(own);
      return emit(own.view(), low, high, edge, keys, values, room);
    } else {
      return emit(leaf, low, high, edge, keys, values, room);
    }
  });
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::range(Key low, Key high, Key* keys, void* to_values,
                                                               std::size_t room) const {
  if (low > high || room == 0 || holds_nothing()) return 0;
  auto* const values = static_cast<Bits*>(to_values);
  std::size_t written = 0;
  const auto read = [&](bs_node leaf, Key from, bool edge) MANGROVE_BS_TREE_INLINE {
    Bits* const to = value_bytes == 0 ? nullptr : values + written;
    return emit_leaf(leaf, from, high, edge, keys + written, to, room - written);
  };
  const auto keep = [&](std::size_t found) MANGROVE_BS_TREE_INLINE {
    written += found;
    return written != room;
  };
  if constexpr (Shared) {
    scan_beside_writers<true>(low, high, read, keep);
  } else {
    scan<true>(low, high, 1 + room / (bs_slots<Key> / 2),
               [&](bs_node leaf, bool edge) MANGROVE_BS_TREE_INLINE { return keep(read(leaf, low, edge)); });
  }
  return written;
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::count(Key low, Key high) const {
  if (low > high || holds_nothing()) return 0;
  std::size_t total = 0;
  const auto read = [&](bs_node node, Key from, bool edge) MANGROVE_BS_TREE_INLINE {
    return with_leaf(node, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
      return static_cast<std::size_t>(std::popcount(slots_between(leaf, from, high, edge)));
    });
  };
  const auto keep = [&](std::size_t found) MANGROVE_BS_TREE_INLINE {
    total += found;
    return true;
  };
  if constexpr (Shared) {
    scan_beside_writers<false>(low, high, read, keep);
  } else {
    scan<false>(low, high, ~std::size_t{0},
                [&](bs_node leaf, bool edge) MANGROVE_BS_TREE_INLINE { return keep(read(leaf, low, edge)); });
  }
  return total;
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
