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

/// Moves on to the leaf right of `at` under the same parent. @return false when there is none, or a writer was met
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE bool bs_tree_impl<Key, Bits, Compressed, Shared>::step_right(place& at) const {
  if (at.parent == bs_no_node || at.high == at.parent_high) return false;
  const inner* const parent = inner_at(at.parent);
  const int slot = at.slot + 1;
  const bs_node leaf = bs_get<Shared>(parent->children + slot);
  const Key separator = slot < inner::separators ? separator_at(parent, slot) : greatest;
  if (!lock::valid(&parent->version, at.parent_version)) return false;  // before `leaf` is used: it may be any number
  const std::uint32_t version = lock::read(leaf_lock(leaf));
  if (lock::locked(version) || !lock::valid(&parent->version, at.parent_version)) return false;
  at.leaf = leaf;
  at.version = version;
  at.slot = slot;
  at.low = at.high;
  at.bounded = true;
  at.high = std::min(at.parent_high, separator);
  return true;
}

/// As `scan`, beside writers: `read(leaf, low)` looks for a leaf's keys from `low` on, then `keep(what it returned)` is
/// called if nobody was writing to the leaf meanwhile; the scan ends when that returns false.
template <class Key, class Bits, bool Compressed, bool Shared>
template <class Read, class Keep>
void bs_tree_impl<Key, Bits, Compressed, Shared>::scan_beside_writers(Key low, Key high, const Read& read,
                                                                      const Keep& keep) const {
  bs_node asked_for = bs_no_node;
  for (backoff wait;;) {
    place at;
    descend_surely(low, at);
    if (at.parent != asked_for) {  // whatever a writer makes of it meanwhile: asking for a wrong line does no harm
      prefetch_run(at, high, inner::separators + 1);
      asked_for = at.parent;
    }
    do {
      const std::size_t found = read(at.leaf, low);
      if (!lock::valid(leaf_lock(at.leaf), at.version)) {
        wait.wait();
        break;
      }
      if (!keep(found) || at.high >= high) return;
      low = at.high + 1;
    } while (step_right(at));
  }
}

/// Writes a leaf's keys in [low, high]. @return how many were written, at most `room`
template <class Key, class Bits, bool Compressed, bool Shared>
template <class Leaf>
HWY_INLINE std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::emit(const Leaf& leaf, Key low, Key high, Key* keys,
                                                                         Bits* values, std::size_t room) {
  constexpr int slots = Leaf::slots;
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
}

/// The same of a leaf by number. Of one that others may write to, a copy is made first.
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::emit_leaf(bs_node node, Key low, Key high,
                                                                              Key* keys, Bits* values,
                                                                              std::size_t room) const {
  return with_leaf(node, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
    if constexpr (Shared) {
      typename std::remove_cvref_t<decltype(leaf)>::copy own;
      leaf.copy_to(own);
      return emit(own.view(), low, high, keys, values, room);
    } else {
      return emit(leaf, low, high, keys, values, room);
    }
  });
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::range(Key low, Key high, Key* keys, void* to_values,
                                                               std::size_t room) const {
  if (low > high || room == 0 || holds_nothing()) return 0;
  auto* const values = static_cast<Bits*>(to_values);
  std::size_t written = 0;
  const auto read = [&](bs_node leaf, Key from) MANGROVE_BS_TREE_INLINE {
    Bits* const to = value_bytes == 0 ? nullptr : values + written;
    return emit_leaf(leaf, from, high, keys + written, to, room - written);
  };
  const auto keep = [&](std::size_t found) MANGROVE_BS_TREE_INLINE {
    written += found;
    return written != room;
  };
  if constexpr (Shared) {
    scan_beside_writers(low, high, read, keep);
  } else {
    scan(low, high, 1 + room / (bs_slots<Key> / 2),
         [&](bs_node leaf) MANGROVE_BS_TREE_INLINE { return keep(read(leaf, low)); });
  }
  return written;
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::count(Key low, Key high) const {
  if (low > high || holds_nothing()) return 0;
  std::size_t total = 0;
  const auto read = [&](bs_node node, Key from) MANGROVE_BS_TREE_INLINE {
    return with_leaf(node, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
      return static_cast<std::size_t>(std::popcount(leaf.used() & leaf.up_to(high) & ~leaf.below(from)));
    });
  };
  const auto keep = [&](std::size_t found) MANGROVE_BS_TREE_INLINE {
    total += found;
    return true;
  };
  if constexpr (Shared) {
    scan_beside_writers(low, high, read, keep);
  } else {
    scan(low, high, ~std::size_t{0}, [&](bs_node leaf) MANGROVE_BS_TREE_INLINE { return keep(read(leaf, low)); });
  }
  return total;
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
