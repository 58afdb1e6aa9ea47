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

/// Finds the leaf that `key` belongs to. `Bounds` tells whether to find the bounds, too.
/// @return false when a writer was met
template <class Key, class Bits, bool Compressed, bool Shared>
template <bool Bounds>
HWY_INLINE bool bs_tree_impl<Key, Bits, Compressed, Shared>::descend(Key key, place& found) const {
  std::uint64_t word;
  std::uint32_t version;
  if (!enter_root(word, version)) return false;
  bs_node node = root_node(word);
  int levels = root_levels(word);
  const std::uint32_t* at = Shared ? lock_of(node, levels) : nullptr;
  found.parent = bs_no_node;
  found.parent_version = 0;
  found.slot = 0;
  found.high = found.parent_high = greatest;
  found.low = 0;
  found.bounded = false;
  for (; levels != 0; --levels) {
    const inner* const here = inner_at(node);
    __builtin_prefetch(here->children);
    const int slot = child_slot(here, key);
    const bs_node child = bs_get<Shared>(here->children + slot);
    if constexpr (Bounds) {
      found.parent_high = found.high;
      if (slot < inner::separators) found.high = std::min(found.high, bs_get<Shared>(here->keys + slot));
      if (slot > 0) {
        found.low = bs_get<Shared>(here->keys + slot - 1);
        found.bounded = true;
      }
    }
    found.parent = node;
    found.parent_version = version;
    found.slot = slot;
    if (!step_down(at, version, child, levels - 1)) return false;
    node = child;
  }
  found.leaf = node;
  found.version = version;
  return true;
}

template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::descend_surely(Key key, place& found) const {
  for (backoff wait; !descend<true>(key, found);) wait.wait();
}

template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::prefetch_values(bs_node leaf) const {
  if constexpr (value_bytes != 0) {
    constexpr std::size_t bytes = bs_slots<Key> * value_bytes;
    const std::byte* const at = pool_of(leaf).node(index_of(leaf)) + bs_block_bytes;
    for (std::size_t line = 0; line < bytes; line += 64) __builtin_prefetch(at + line);
  }
}

template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::prefetch_leaf(bs_node leaf) const {
  const std::byte* const at = pool_of(leaf).node(index_of(leaf));
  __builtin_prefetch(at);
  __builtin_prefetch(at + 64);
  prefetch_values(leaf);
}

template <class Key, class Bits, bool Compressed, bool Shared>
bool bs_tree_impl<Key, Bits, Compressed, Shared>::find(Key key, Bits* value) const {
  if (holds_nothing()) return false;
  for (backoff wait;; wait.wait()) {
    place at;
    if (!descend<false>(key, at)) continue;
    if (!Compressed) prefetch_values(at.leaf);
    const bool found = with_leaf(at.leaf, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
      std::uint64_t same = leaf.holding(key);
      if constexpr (Shared) same &= leaf.used();
      if (same == 0) return false;
      if (value != nullptr) *value = leaf.value_at(63 - std::countl_zero(same));
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

/// Asks for the leaves under `at`'s parent that may hold keys from `at` to `high`, but no more than `most`.
/// @return the last one's slot
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE int bs_tree_impl<Key, Bits, Compressed, Shared>::prefetch_run(const place& at, Key high, int most) const {
  const inner* const parent = inner_at(at.parent);
  const int last = child_slot(parent, high);
  for (int slot = at.slot; slot <= std::min(last, at.slot + most - 1); ++slot) {
    const bs_node leaf = bs_get<Shared>(parent->children + slot);
    prefetch_leaf(leaf);
    prefetch_side(leaf);
  }
  return last;
}

/// Calls `visit(leaf)` for every leaf that may hold keys in [low, high], in order, until it returns false. The leaves
/// of the next parent are asked for before those of the one before are visited.
/// @param leaves how many leaves will be visited at most, as far as that is known
template <class Key, class Bits, bool Compressed, bool Shared>
template <class Visit>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::scan(Key low, Key high, std::size_t leaves,
                                                                  const Visit& visit) const {
  static_assert(!Shared);
  const int most = static_cast<int>(std::min<std::size_t>(leaves, inner::separators + 1));
  place at;
  descend<true>(low, at);
  if (at.parent == bs_no_node) {
    visit(at.leaf);
    return;
  }
  for (int last = prefetch_run(at, high, most);;) {
    const bool more = at.parent_high < high;
    place next{};
    int next_last = 0;
    if (more) {
      descend<true>(at.parent_high + 1, next);
      next_last = prefetch_run(next, high, most);
    }
    const inner* const parent = inner_at(at.parent);
    for (int slot = at.slot; slot <= last; ++slot) {
      if (!visit(parent->children[slot])) return;
    }
    if (!more) return;
    at = next;
    last = next_last;
  }
}

/// As `scan`, beside writers: `visit(content)` gets each leaf's keys in [low, high] as they were at one moment.
template <class Key, class Bits, bool Compressed, bool Shared>
template <class Visit>
void bs_tree_impl<Key, Bits, Compressed, Shared>::scan_one_leaf_at_a_time(Key low, Key high, const Visit& visit) const {
  bs_node asked_for = bs_no_node;
  for (backoff wait;;) {
    place at;
    descend_surely(low, at);
    if (at.parent != asked_for) {  // whatever a writer makes of it meanwhile: asking for a wrong line does no harm
      prefetch_run(at, high, inner::separators + 1);
      asked_for = at.parent;
    }
    content here;
    if (!snapshot(at.leaf, at.version, here)) {
      wait.wait();
      continue;
    }
    const Key* const first = std::lower_bound(here.keys, here.keys + here.count, low);
    const Key* const last = std::upper_bound(first, const_cast<const Key*>(here.keys) + here.count, high);
    if (!visit(here, static_cast<std::size_t>(first - here.keys), static_cast<std::size_t>(last - first))) return;
    if (at.high >= high) return;
    low = at.high + 1;
  }
}

/// Writes a leaf's keys in [low, high]. @return how many were written, at most `room`
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::emit(bs_node node, Key low, Key high, Key* keys,
                                                                         Bits* values, std::size_t room) const {
  return with_leaf(node, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
    using leaf_type = std::remove_cvref_t<decltype(leaf)>;
    constexpr int slots = leaf_type::slots;
    constexpr std::size_t vector = 64 / sizeof(Key);  // emit_slots overwrites as much beyond the last
    const std::uint64_t which = leaf.used() & leaf.up_to(high) & ~leaf.below(low);
    if (room >= slots + vector) [[likely]] {
      return emit_slots<slots>(leaf.keys, leaf.values, which, leaf.base(), keys, values);
    }
    Key some_keys[slots + vector];
    Bits some_values[slots + vector];
    const std::size_t wanted =
        std::min(room, emit_slots<slots>(leaf.keys, leaf.values, which, leaf.base(), some_keys, some_values));
    std::copy_n(some_keys, wanted, keys);
    if constexpr (value_bytes != 0) std::memcpy(values, some_values, wanted * value_bytes);
    return wanted;
  });
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::range(Key low, Key high, Key* keys, void* to_values,
                                                               std::size_t room) const {
  if (low > high || room == 0 || holds_nothing()) return 0;
  auto* const values = static_cast<Bits*>(to_values);
  std::size_t written = 0;
  if constexpr (Shared) {
    scan_one_leaf_at_a_time(low, high, [&](const content& leaf, std::size_t first, std::size_t count) {
      const std::size_t wanted = std::min(count, room - written);
      std::copy_n(leaf.keys + first, wanted, keys + written);
      if constexpr (value_bytes != 0) std::memcpy(values + written, leaf.values + first, wanted * value_bytes);
      written += wanted;
      return written != room;
    });
  } else {
    scan(low, high, 1 + room / (bs_slots<Key> / 2), [&](bs_node leaf) MANGROVE_BS_TREE_INLINE {
      Bits* const to = value_bytes == 0 ? nullptr : values + written;
      written += emit(leaf, low, high, keys + written, to, room - written);
      return written != room;
    });
  }
  return written;
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::count(Key low, Key high) const {
  if (low > high || holds_nothing()) return 0;
  std::size_t total = 0;
  if constexpr (Shared) {
    scan_one_leaf_at_a_time(low, high, [&](const content&, std::size_t, std::size_t count) {
      total += count;
      return true;
    });
  } else {
    scan(low, high, ~std::size_t{0}, [&](bs_node node) MANGROVE_BS_TREE_INLINE {
      total += with_leaf(node, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
        return static_cast<std::size_t>(std::popcount(leaf.used() & leaf.up_to(high) & ~leaf.below(low)));
      });
      return true;
    });
  }
  return total;
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
