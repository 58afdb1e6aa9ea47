// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_BATCH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_BATCH_INL
#undef MANGROVE_BS_TREE_BATCH_INL
#else
#define MANGROVE_BS_TREE_BATCH_INL
#endif

#include "bs_tree_impl-inl.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

inline constexpr bs_node met_a_writer = bs_no_node;

/// Puts a group of keys at the root. @return how many inner levels lie below
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE int bs_tree_impl<Key, Bits, Compressed, Shared>::enter_group(int count, place* places) const {
  std::uint64_t word;
  std::uint32_t version;
  for (backoff wait; !enter_root(word, version);) wait.wait();
  for (int i = 0; i < count; ++i) {
    places[i].leaf = root_node(word);
    places[i].version = version;
  }
  return root_levels(word);
}

/// Takes a group of keys from inner nodes, which have `levels` inner levels from their own down, to their children, and
/// asks for those. Where a writer was met the child is `met_a_writer`.
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::step_group(const Key* keys, int count, int levels,
                                                                        place* places) const {
  for (int i = 0; i < count; ++i) {
    if (Shared && places[i].leaf == met_a_writer) continue;
    const inner* const here = inner_at(places[i].leaf);
    const bs_node child = bs_get<Shared>(here->children + child_place(here, keys[i]));
    if constexpr (Shared) {
      const std::uint32_t* at = &here->version;
      places[i].leaf = step_down(at, places[i].version, child, levels - 1) ? child : met_a_writer;
    } else {
      places[i].leaf = child;
    }
    if (levels > 1) {
      const auto* const next = reinterpret_cast<const std::byte*>(inner_at(child));
      for (std::size_t line = 0; line < sizeof(inner); line += 64) __builtin_prefetch(next + line);
    } else {
      prefetch_leaf<false>(child);
    }
  }
}

/// Finds the leaves of a group of keys, level by level, so that all their loads of a level are in flight together.
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::descend_group(const Key* keys, int count,
                                                                           place* places) const {
  for (int levels = enter_group(count, places); levels != 0; --levels) step_group(keys, count, levels, places);
}

/// Finds the slots of a group's keys and asks for their values.
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::find_slots(looked_up& group) const {
  for (int i = 0; i < group.count; ++i) {
    if (Shared && group.places[i].leaf == met_a_writer) continue;
    with_leaf(group.places[i].leaf, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
      std::uint64_t same = leaf.holding(group.keys[i]);
      if constexpr (Shared) same &= leaf.used();
      group.found[i] = same != 0;
      group.slots[i] = 63 - std::countl_zero(same | 1);
      if constexpr (value_bytes != 0) __builtin_prefetch(leaf.values + group.slots[i]);
    });
  }
}

/// Reads the values of a group's keys. Those that have met a writer are looked up anew.
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::find_values(looked_up& group) const {
  for (int i = 0; i < group.count; ++i) {
    const place& at = group.places[i];
    if constexpr (value_bytes != 0) {
      if (!Shared || at.leaf != met_a_writer) {
        const Bits value =
            with_leaf(at.leaf, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE { return leaf.value_at(group.slots[i]); });
        group.values[i] = group.found[i] != 0 ? value : group.values[i];
      }
    }
    if constexpr (Shared) {
      const bool valid = at.leaf != met_a_writer && lock::valid(leaf_lock(at.leaf), at.version);
      if (!valid) group.found[i] = find(group.keys[i], group.values + i);
    }
  }
}

/// Looks keys up in groups, which are at four stages: on the way to the parents of their leaves, at these, at their
/// leaves and at their values. Each stage asks for what the next one reads, `looked_up::lag` groups later.
template <class Key, class Bits, bool Compressed, bool Shared>
void bs_tree_impl<Key, Bits, Compressed, Shared>::find_batch(const Key* keys, std::size_t count, void* values,
                                                             std::uint8_t* found) const {
  if (holds_nothing()) {
    std::fill_n(found, count, std::uint8_t{0});
    return;
  }
  constexpr std::size_t size = looked_up::most;
  Bits unwanted[size];
  looked_up groups[looked_up::groups];
  const std::size_t last = (count + size - 1) / size;
  for (std::size_t step = 0; step < last + 3 * looked_up::lag; ++step) {
    const auto at_stage = [&](std::size_t stage, const auto& work) MANGROVE_BS_TREE_INLINE {
      const std::size_t number = step - stage * looked_up::lag;  // before the first one: more than there are
      if (number < last) work(groups[number % looked_up::groups], number * size);
    };
    at_stage(0, [&](looked_up& group, std::size_t first) MANGROVE_BS_TREE_INLINE {
      Bits* const to = value_bytes == 0 || values == nullptr ? unwanted : static_cast<Bits*>(values) + first;
      group.start(keys + first, static_cast<int>(std::min(size, count - first)), to, found + first);
      group.levels = enter_group(group.count, group.places);
      for (; group.levels > 1; --group.levels) step_group(group.keys, group.count, group.levels, group.places);
    });
    at_stage(1, [&](looked_up& group, std::size_t) MANGROVE_BS_TREE_INLINE {
      if (group.levels == 1) step_group(group.keys, group.count, 1, group.places);
    });
    at_stage(2, [&](looked_up& group, std::size_t) MANGROVE_BS_TREE_INLINE { find_slots(group); });
    at_stage(3, [&](looked_up& group, std::size_t) MANGROVE_BS_TREE_INLINE { find_values(group); });
  }
}

/// Asks for the values that inserting `key` moves: all of a leaf that has few of them, else those around its place.
template <class Key, class Bits, bool Compressed, bool Shared>
HWY_INLINE void bs_tree_impl<Key, Bits, Compressed, Shared>::prefetch_values_near(bs_node node, Key key) const {
  if constexpr (value_bytes != 0) {
    with_leaf(node, [&](const auto& leaf) MANGROVE_BS_TREE_INLINE {
      constexpr int slots = std::remove_cvref_t<decltype(leaf)>::slots;
      constexpr int line = 64 / value_bytes;
      if constexpr (slots <= 4 * line) {
        for (int slot = 0; slot < slots; slot += line) __builtin_prefetch(leaf.values + slot);
      } else {
        const int place = std::popcount(leaf.below(key));
        __builtin_prefetch(leaf.values + std::max(place - line / 2, 0));
        __builtin_prefetch(leaf.values + std::min(place + line / 2, slots - 1));
      }
    });
  }
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::insert_batch(const Key* keys, const void* values,
                                                                      std::size_t count, bs_on_existing existing,
                                                                      std::uint8_t* inserted) {
  place places[bs_in_flight];
  changed_leaves changed;
  std::size_t total = 0;
  for (std::size_t first = 0; first < count; first += bs_in_flight) {
    const int group = static_cast<int>(std::min<std::size_t>(bs_in_flight, count - first));
    descend_group(keys + first, group, places);
    for (int i = 0; i < group; ++i) {
      if (!Shared || places[i].leaf != met_a_writer)
        prefetch_values_near(places[i].leaf, keys[first + static_cast<std::size_t>(i)]);
    }
    changed.clear();
    for (int i = 0; i < group; ++i) {
      const Key key = keys[first + static_cast<std::size_t>(i)];
      const Bits value = load_bits<Bits>(values, first + static_cast<std::size_t>(i));
      const bool known = Shared ? places[i].leaf != met_a_writer : !changed.contains(places[i].leaf);
      put_result result = put_result::conflict;
      if (known && !holds_nothing()) result = put<lines_touched::moved>(places[i], key, value, existing);
      bool is_new = result == put_result::inserted;
      if (is_new) [[likely]] {
        size_.add(1);
      } else if (result == put_result::no_room) {
        if constexpr (!Shared) changed.add(places[i].leaf);
        is_new = insert_slowly(key, value, existing);
      } else if (result == put_result::conflict) {
        is_new = insert(key, value, existing);
      }
      total += is_new;
      if (inserted != nullptr) inserted[first + static_cast<std::size_t>(i)] = is_new;
    }
  }
  return total;
}

template <class Key, class Bits, bool Compressed, bool Shared>
std::size_t bs_tree_impl<Key, Bits, Compressed, Shared>::erase_batch(const Key* keys, std::size_t count,
                                                                     std::uint8_t* erased) {
  place places[bs_in_flight];
  changed_leaves changed;
  std::size_t total = 0;
  for (std::size_t first = 0; first < count; first += bs_in_flight) {
    const int group = static_cast<int>(std::min<std::size_t>(bs_in_flight, count - first));
    descend_group(keys + first, group, places);
    changed.clear();
    for (int i = 0; i < group; ++i) {
      const Key key = keys[first + static_cast<std::size_t>(i)];
      const bool known = Shared ? places[i].leaf != met_a_writer : !changed.contains(places[i].leaf);
      const take_result result = known && !holds_nothing() ? take(places[i], key) : take_result::conflict;
      bool gone = result == take_result::erased || result == take_result::emptied;
      if (gone) size_.add(-1);
      if (result == take_result::emptied) {
        if constexpr (!Shared) changed.add(places[i].leaf);
        remove_empty_leaf(key);
      } else if (result == take_result::conflict) {
        gone = erase(key);
      }
      total += gone;
      if (erased != nullptr) erased[first + static_cast<std::size_t>(i)] = gone;
    }
  }
  return total;
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
