// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_LEAF_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_LEAF_INL
#undef MANGROVE_BS_TREE_LEAF_INL
#else
#define MANGROVE_BS_TREE_LEAF_INL
#endif

#include "bs_tree_compare-inl.hpp"
#include "bs_tree_emit-inl.hpp"
#include "bs_tree_moves-inl.hpp"
#include "bs_tree_nodes.hpp"
#include "bs_tree_room-inl.hpp"
#include "bs_tree_simd-inl.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

enum class put_result { inserted, present, no_room, conflict };
enum class take_result { absent, erased, emptied, conflict };

template <class Key, class T, class Bits, class Side, bool Shared>
struct leaf_view;

/// What a leaf holds, in memory of one's own, where no other thread changes it.
template <class Key, class T, class Bits, class Side>
struct leaf_copy {
  static constexpr int slots = bs_slots<T>;

  alignas(64) T keys[slots];
  alignas(64) Bits values[is_none<Bits> ? 1 : slots];
  Side side;

  HWY_INLINE leaf_view<Key, T, Bits, Side, false> view() { return {keys, values, &side}; }
};

/// One leaf, whose keys are kept as `T`. Those that change it need it locked.
template <class Key, class T, class Bits, class Side, bool Shared>
struct leaf_view {
  static constexpr int slots = bs_slots<T>;
  static constexpr std::uint64_t all = bs_all_slots<T>;
  static constexpr bool framed = sizeof(T) < sizeof(Key);
  using order = std::conditional_t<framed, T, kept_order<Key>>;
  static constexpr bool bare = std::is_same_v<Side, bs_no_side>;

  /// Inserts have all values of a leaf of up to 32 slots at hand.
  static constexpr beside beside_keys = slots <= 32 && !is_none<Bits> ? beside::after : beside::nothing;

  T* keys;
  Bits* values;
  Side* side;

  HWY_INLINE Key base() const {
    if constexpr (framed) return bs_get<Shared>(&side->base);
    return kept_less<Key>;
  }
  /// The slots in use. One that repeats the next slot's key is a gap.
  HWY_INLINE std::uint64_t used() const {
    if constexpr (bare)
      return all ^ gaps();
    else
      return bs_get<Shared>(&side->used);
  }
  HWY_INLINE std::uint64_t gaps() const {
    if constexpr (bare)
      return repeated_bits<slots>(keys);
    else
      return all ^ used();
  }
  HWY_INLINE void set_used([[maybe_unused]] std::uint64_t bits) const {
    if constexpr (!bare) bs_put<Shared>(&side->used, static_cast<decltype(side->used)>(bits));
  }
  HWY_INLINE Key key_at(int slot) const { return static_cast<Key>(base() + bs_get<Shared>(keys + slot)); }
  HWY_INLINE Bits value_at(std::int64_t slot) const {
    if constexpr (is_none<Bits>)
      return {};
    else
      return bs_get<Shared>(values + slot);
  }
  /// Asks for all values before it is known which one is wanted. Those of 16-bit keys fill eight lines, but to wait for
  /// the keys first takes longer.
  HWY_INLINE void prefetch_values() const {
    if constexpr (!is_none<Bits>) {
      for (int slot = 0; slot < slots; slot += static_cast<int>(64 / sizeof(Bits))) __builtin_prefetch(values + slot);
    }
  }
  HWY_INLINE void set_value(int slot, Bits value) const {
    if constexpr (!is_none<Bits>) bs_put<Shared>(values + slot, value);
  }

  /// Whether `key` can be kept in this leaf's frame.
  HWY_INLINE static bool fits(Key key, Key base) {
    if constexpr (!framed) return true;
    return key >= base && static_cast<Key>(key - base) <= std::numeric_limits<T>::max();
  }

  /// Slots, used or not, whose key is less than `key`.
  HWY_INLINE std::uint64_t below(Key key) const {
    if constexpr (!framed) return slots_below<Shared, slots, order>(keys, key - base()).bits;
    const Key frame = base();
    const auto offset = static_cast<Key>(key - frame);
    const std::uint64_t bits = slots_below<Shared, slots, order>(keys, static_cast<T>(offset)).bits;
    return key < frame ? 0 : offset > std::numeric_limits<T>::max() ? all : bits;
  }
  /// Slots, used or not, whose key is not greater than `key`.
  HWY_INLINE std::uint64_t up_to(Key key) const {
    return key == std::numeric_limits<Key>::max() ? all : below(static_cast<Key>(key + 1));
  }
  /// Slots, used or not, that hold `key`. A key out of the frame may have any offset's low bits, but is found nowhere.
  HWY_INLINE std::uint64_t holding(Key key) const {
    if constexpr (!framed) return equal_bits<Shared, slots>(keys, key - base());
    const auto offset = static_cast<Key>(key - base());
    const std::uint64_t bits = equal_bits<Shared, slots>(keys, static_cast<T>(offset));
    return offset > std::numeric_limits<T>::max() ? 0 : bits;
  }

  /// Inserts where no split is needed. Without branches on where the key and the gaps are: those are unpredictable, and
  /// a wrong guess would keep the processor from starting on the operations that follow.
  template <lines_touched Lines>
  HWY_INLINE put_result put(Key key, Bits value, bool assign) const {
    const std::uint64_t free = gaps();
    const Key frame = base();
    if (free == all || !fits(key, frame)) return put_result::no_room;
    const auto offset = static_cast<T>(key - frame);
    const first_slots below = slots_below<Shared, slots, order>(keys, offset);
    // Where all slots are less, so is the first one. (One slot costs less than to compare them all.)
    if (bs_get<Shared>(keys + below.count % slots) == offset) {
      if (assign) set_value(std::countr_one(free | below.bits), value);
      return put_result::present;
    }
    if (free == 0) return put_result::no_room;
    const slot_move move(free, below);
    insert_slot<Shared, slots, Lines, beside_keys>(keys, move, offset);
    insert_slot<Shared, slots, Lines, beside::before>(values, move, value);
    set_used(all ^ free ^ move.gap_bit());
    return put_result::inserted;
  }

  /// Erases, without branches on where the key is. The last slot stays used: the key before moves there when it must.
  HWY_INLINE take_result take(Key key) const {
    const std::uint64_t in_use = used();
    const std::uint64_t same = holding(key) & in_use;
    if (same == 0) return take_result::absent;
    const std::uint64_t rest = in_use ^ same;
    set_used(rest);
    if (rest == 0) return take_result::emptied;
    const int slot = std::countr_zero(same);
    const std::uint64_t smaller = rest & (same - 1);
    const int before = 63 - std::countl_zero(smaller);  // -1 when there is none
    const chooser last(slot == slots - 1);
    const std::int64_t from = last(before, slot + 1);
    fill_slots<Shared, slots>(keys, static_cast<int>(last(before, before + 1)), slot + 1, bs_get<Shared>(keys + from));
    set_value(slot, value_at(last(before, slot)));
    const auto moved = static_cast<std::uint64_t>(last(1, 0));
    set_used(rest ^ (moved << (before & 63)) ^ (moved << slot));
    return take_result::erased;
  }

  /// Replaces the content by `count` of 1 to `slots` keys, with the gaps spread evenly.
  void write(const Key* sorted, const void* sorted_values, int count) const {
    const Key frame = framed ? sorted[0] : kept_less<Key>;
    if constexpr (framed) bs_put<Shared>(&side->base, frame);
    std::uint64_t bits = 0;
    for (int slot = 0; slot < slots; ++slot) {
      const int i = ((slot + 1) * count + slots - 1) / slots - 1;
      const int next = ((slot + 2) * count + slots - 1) / slots - 1;
      bs_put<Shared>(keys + slot, static_cast<T>(sorted[i] - frame));
      set_value(slot, load_bits<Bits>(sorted_values, static_cast<std::size_t>(i)));
      bits |= std::uint64_t{i != next} << slot;
    }
    set_used(bits);
  }

  /// Writes the keys and values of the slots in `which`, in order. Up to a vector beyond them is overwritten.
  /// @return how many there are
  HWY_INLINE std::size_t emit(std::uint64_t which, Key* to_keys, Bits* to_values) const {
    return emit_slots<slots>(keys, values, which, base(), to_keys, to_values);
  }
  /// The same of all slots in use.
  HWY_INLINE std::size_t emit_all(Key* to_keys, Bits* to_values) const {
    if constexpr (bare)
      return emit_distinct<slots>(keys, values, base(), to_keys, to_values);
    else
      return emit(used(), to_keys, to_values);
  }

  using copy = leaf_copy<Key, T, Bits, Side>;

  /// Copies the content, which others may be changing, line by line.
  HWY_INLINE void copy_to(copy& to) const {
    copy_lines<Shared, slots>(keys, to.keys);
    if constexpr (!is_none<Bits>) copy_lines<Shared, slots>(values, to.values);
    if constexpr (framed) to.side.base = base();
    if constexpr (!bare) to.side.used = static_cast<decltype(to.side.used)>(used());
  }

  /// Copies the content, sorted. @return how many keys there are
  int read(Key* sorted, Bits* sorted_values) const {
    int count = 0;
    for (std::uint64_t left = used(); left != 0; left &= left - 1) {
      const int slot = std::countr_zero(left);
      sorted[count] = key_at(slot);
      sorted_values[count++] = value_at(slot);
    }
    return count;
  }
};

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
