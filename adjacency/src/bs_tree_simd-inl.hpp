// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_SIMD_INL
#undef MANGROVE_BS_TREE_SIMD_INL
#else
#define MANGROVE_BS_TREE_SIMD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bs_tree_nodes.hpp"
#include "bs_tree_version.hpp"
#include "mangrove/core/none.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Loops over a node's vectors are written out; one lane at a time they would only swell.
#undef MANGROVE_BS_TREE_UNROLL
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define MANGROVE_BS_TREE_UNROLL
#else
#define MANGROVE_BS_TREE_UNROLL _Pragma("GCC unroll 16")
#endif

// For lambdas that get a leaf. One that is called instead takes what it captures through the stack, and loads from
// there wait for the addresses of all stores before them: those of the operation before, which wait for its leaf.
#undef MANGROVE_BS_TREE_INLINE
#define MANGROVE_BS_TREE_INLINE HWY_ATTR __attribute__((always_inline))

/// Full vectors, but no wider than a cache line: nodes are made of whole cache lines.
template <class T>
using line_tag = hn::CappedTag<T, 64 / sizeof(T)>;

/// A vector that other threads may be writing; each lane is read whole.
template <bool Shared, class D>
HWY_INLINE hn::Vec<D> load_lanes(D d, const hn::TFromD<D>* from) {
  if constexpr (!Shared) {
    return hn::Load(d, from);
  } else if constexpr (!bs_tsan && (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2)) {
    // Written as an instruction, so that the compiler can neither split nor repeat it.
    hn::Vec<D> lanes = hn::Undefined(d);
#if HWY_TARGET == HWY_AVX3
    asm volatile("vmovdqa64 %1, %0" : "=v"(lanes.raw) : "m"(*reinterpret_cast<const decltype(lanes.raw)*>(from)));
#elif HWY_TARGET == HWY_AVX2
    asm volatile("vmovdqa %1, %0" : "=x"(lanes.raw) : "m"(*reinterpret_cast<const decltype(lanes.raw)*>(from)));
#endif
    return lanes;
  } else {
    alignas(64) hn::TFromD<D> copy[hn::MaxLanes(d)];
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) copy[i] = bs_get<true>(from + i);
    return hn::Load(d, copy);
  }
}

/// Copies whole lines that other threads may be writing.
template <bool Shared, int Count, class T>
HWY_INLINE void copy_lines(const T* from, T* to) {
  const line_tag<T> d;
  MANGROVE_BS_TREE_UNROLL
  for (std::size_t i = 0; i < Count; i += hn::Lanes(d)) hn::Store(load_lanes<Shared>(d, from + i), d, to + i);
}

#if HWY_TARGET == HWY_AVX3
/// Bit i is lane i's. By the instruction, since GCC 12 must not see that a mask is widened: when it has no register
/// left for the result, it stores the mask's one or two bytes and reads eight back.
template <int Lanes, class Mask>
HWY_INLINE std::uint64_t mask_bits(Mask mask) {
  static_assert(Lanes == 8 || Lanes == 16 || Lanes == 32);
  std::uint64_t bits;  // writing its lower half clears the upper one
  if constexpr (Lanes == 8) asm("kmovb %1, %k0" : "=r"(bits) : "k"(mask));
  if constexpr (Lanes == 16) asm("kmovw %1, %k0" : "=r"(bits) : "k"(mask));
  if constexpr (Lanes == 32) asm("kmovd %1, %k0" : "=r"(bits) : "k"(mask));
  return bits;
}

template <class D>
HWY_INLINE std::uint64_t lane_bits(D d, hn::Mask<D> mask) {
  return mask_bits<hn::MaxLanes(d)>(mask.raw);
}
#else
/// Bit i is lane i's. Exactly as many bytes are read as were written, so the compiler needs no memory for it.
template <class D>
HWY_INLINE std::uint64_t lane_bits(D d, hn::Mask<D> mask) {
  constexpr std::size_t lanes = hn::MaxLanes(d);
  using word = std::conditional_t<
      (lanes > 32), std::uint64_t,
      std::conditional_t<(lanes > 16), std::uint32_t, std::conditional_t<(lanes > 8), std::uint16_t, std::uint8_t>>>;
  std::uint8_t bytes[sizeof(word)] = {};
  hn::StoreMaskBits(d, mask, bytes);
  word bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}
#endif

/// Bit i says whether `keys[i] < needle`.
template <bool Shared, int Count, class T>
HWY_INLINE std::uint64_t less_bits(const T* keys, T needle) {
  const line_tag<T> d;
  const auto wanted = hn::Set(d, needle);
  std::uint64_t bits = 0;
  MANGROVE_BS_TREE_UNROLL
  for (std::size_t i = 0; i < Count; i += hn::Lanes(d)) {
    bits |= lane_bits(d, hn::Lt(load_lanes<Shared>(d, keys + i), wanted)) << i;
  }
  return bits;
}

/// How many of the first `Used` of `Count` keys are less than `needle`.
template <bool Shared, int Count, int Used, class T>
HWY_INLINE int less_count(const T* keys, T needle) {
#if HWY_TARGET == HWY_AVX3
  // By instructions that compare with memory and put two lines' bits together: a level of the tree waits for this.
  const line_tag<T> d;
  constexpr int lanes = hn::MaxLanes(d);
  static_assert(Count == 2 * lanes && Used > lanes);
  constexpr auto part = static_cast<__mmask16>((1U << (Used - lanes)) - 1);
  const auto wanted = hn::Set(d, needle).raw;
  const auto first = load_lanes<Shared>(d, keys).raw;
  const auto second = load_lanes<Shared>(d, keys + lanes).raw;
  if constexpr (sizeof(T) == 8) {
    const __mmask8 low = _mm512_cmpgt_epu64_mask(wanted, first);
    const __mmask8 high = _mm512_mask_cmpgt_epu64_mask(part, wanted, second);
    return std::popcount(mask_bits<Count>(_mm512_kunpackb(high, low)));
  } else {
    const __mmask16 low = _mm512_cmpgt_epu32_mask(wanted, first);
    const __mmask16 high = _mm512_mask_cmpgt_epu32_mask(part, wanted, second);
    return std::popcount(mask_bits<Count>(_mm512_kunpackw(high, low)));
  }
#else
  return std::popcount(less_bits<Shared, Count>(keys, needle) & ((std::uint64_t{1} << Used) - 1));
#endif
}

/// Bit i says whether `keys[i] == needle`.
template <bool Shared, int Count, class T>
HWY_INLINE std::uint64_t equal_bits(const T* keys, T needle) {
  const line_tag<T> d;
  const auto wanted = hn::Set(d, needle);
  std::uint64_t bits = 0;
  MANGROVE_BS_TREE_UNROLL
  for (std::size_t i = 0; i < Count; i += hn::Lanes(d)) {
    bits |= lane_bits(d, hn::Eq(load_lanes<Shared>(d, keys + i), wanted)) << i;
  }
  return bits;
}

/// Bit i says whether `keys[i] != keys[i + 1]`; the last bit is set. Reads nothing but the keys: what lies beyond them
/// may be a cache miss that nobody has asked for. So the last vector compares keys with those before them.
template <int Count, class T>
HWY_INLINE std::uint64_t last_of_equals_bits(const T* keys) {
  const line_tag<T> d;
  std::uint64_t bits = std::uint64_t{1} << (Count - 1);
  MANGROVE_BS_TREE_UNROLL
  for (std::size_t i = 0; i < Count; i += hn::Lanes(d)) {
    const std::size_t first = i + hn::Lanes(d) == Count ? i - 1 : i;
    bits |= lane_bits(d, hn::Ne(hn::LoadU(d, keys + first), hn::LoadU(d, keys + first + 1))) << first;
  }
  return bits;
}

/// 0, 1, 2, ... Loaded from memory: Highway 1.0's Iota goes through the stack under GCC, in halves, which stalls the
/// load that follows until every store before it has reached the cache.
template <class T>
struct lane_numbers {
  static constexpr std::size_t count = 64 / sizeof(T);
  alignas(64) T values[count];

  constexpr lane_numbers() : values() {
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(i);
  }
};
template <class T>
inline constexpr lane_numbers<T> numbered_lanes;

#if HWY_TARGET == HWY_AVX3
/// Bits [low, high) of 64.
HWY_INLINE std::uint64_t bits_between(int low, int high) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  return _bzhi_u64(all, static_cast<unsigned>(high)) & (all << low);
}

/// Lanes i with `low <= first + i < high`; `low` and `first` are not negative.
template <class D>
HWY_INLINE hn::Mask<D> lanes_between(D, int first, int low, int high) {
  return hn::Mask<D>{static_cast<decltype(hn::Mask<D>::raw)>(bits_between(low, high) >> first)};
}
#else
/// Lanes i with `low <= first + i < high`.
template <class D>
HWY_INLINE hn::Mask<D> lanes_between(D d, int first, int low, int high) {
  const hn::RebindToSigned<D> ds;
  using lane = hn::TFromD<decltype(ds)>;
  const auto index = hn::Load(ds, numbered_lanes<lane>.values);
  const auto from = hn::Set(ds, static_cast<lane>(low - first));
  const auto to = hn::Set(ds, static_cast<lane>(high - first));
  return hn::RebindMask(d, hn::AndNot(hn::Lt(index, from), hn::Lt(index, to)));
}
#endif

/// `yes` or `no`, chosen without a branch. Compilers make one of `?:` where they find several of the same condition.
class chooser {
 public:
  HWY_INLINE explicit chooser(bool condition) : mask_(-static_cast<int>(condition)) {
#if HWY_COMPILER_GCC || HWY_COMPILER_CLANG
    asm("" : "+r"(mask_));  // from here on, nobody knows that it is 0 or -1
#endif
  }
  [[nodiscard]] HWY_INLINE int operator()(int yes, int no) const {
    return (yes & mask_) | (no & ~mask_);
  }

 private:
  int mask_;
};

/// Stores the lanes in `which`; AVX2 may rewrite the others with what they were.
template <class D>
HWY_INLINE void store_lanes(hn::Vec<D> lanes, hn::Mask<D> which, D d, hn::TFromD<D>* to) {
  if constexpr (HWY_TARGET == HWY_AVX2 && sizeof(hn::TFromD<D>) == 2) {  // it has no such instruction
    hn::StoreU(hn::IfThenElse(which, lanes, hn::LoadU(d, to)), d, to);
  } else {
    hn::BlendedStore(lanes, which, d, to);
  }
}

/// How slots make room: those in [low, high) take over their left neighbours' content when `right` is all ones, their
/// right neighbours' when it is 0; then `target` is free. Neither the first slot when moving right, nor the last when
/// moving left, is among them.
struct slot_move {
  int low;
  int high;
  int target;
  int right;

  [[nodiscard]] HWY_INLINE int step() const { return -1 - 2 * right; }
};

#if HWY_TARGET == HWY_AVX3
/// `kept`, but in the lanes of `which` those of `low` and `high`, one vector, from lane `Shift` on.
template <int Shift, class D>
HWY_INLINE hn::Vec<D> take_shifted(D, hn::Vec<D> kept, std::uint64_t which, hn::Vec<D> low, hn::Vec<D> high) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 8) {
    return {_mm512_mask_alignr_epi64(kept.raw, static_cast<__mmask8>(which), high.raw, low.raw, Shift)};
  } else if constexpr (sizeof(T) == 4) {
    return {_mm512_mask_alignr_epi32(kept.raw, static_cast<__mmask16>(which), high.raw, low.raw, Shift)};
  } else {
    const __m512i from = _mm512_add_epi16(_mm512_load_si512(numbered_lanes<T>.values), _mm512_set1_epi16(Shift));
    const __m512i shifted = _mm512_permutex2var_epi16(low.raw, from, high.raw);
    return {_mm512_mask_blend_epi16(static_cast<__mmask32>(which), kept.raw, shifted)};
  }
}

/// Puts `added` at `move.target`, after the move. All vectors are stored, and whole: where stores go must not depend on
/// what is in the leaf. Until their addresses are known, loads that follow may have to wait, and those are the next
/// operation's way down the tree.
template <int Count, class T>
HWY_INLINE void insert_in_vectors(T* slots, const slot_move& move, T added) {
  const line_tag<T> d;
  using vector = hn::Vec<decltype(d)>;
  using mask = hn::Mask<decltype(d)>;
  constexpr int lanes = hn::MaxLanes(d);
  const auto all = static_cast<std::uint64_t>(static_cast<std::int64_t>(move.right));
  const std::uint64_t moved = bits_between(move.low, move.high);
  const std::uint64_t right = moved & all;
  const std::uint64_t left = moved & ~all;
  const std::uint64_t target = std::uint64_t{1} << move.target;
  vector before = hn::Load(d, slots);
  vector here = before;
  MANGROVE_BS_TREE_UNROLL
  for (int from = 0; from < Count; from += lanes) {
    const vector after = hn::Load(d, slots + std::min(from + lanes, Count - lanes));
    vector content = take_shifted<lanes - 1>(d, here, right >> from, before, here);
    content = take_shifted<1>(d, content, left >> from, here, after);
    const mask place{static_cast<decltype(mask::raw)>(target >> from)};
    hn::Store(hn::IfThenElse(place, hn::Set(d, added), content), d, slots + from);
    before = here;
    here = after;
  }
}
#endif

/// The same for slots of many cache lines: touches only those between `low` and `high`. Gaps lie close together, so
/// that the loop's end is nearly always the same.
template <int Count, class T>
HWY_INLINE void move_far_slots(T* slots, int low, int high, int step) {
  const line_tag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int right = step > 0 ? 1 : 0;
  for (int left = high - low, to = step > 0 ? high - lanes : low; left > 0; left -= lanes, to -= step * lanes) {
    const int start = std::clamp(to, right, Count - lanes - 1 + right);  // so that the load stays within the slots
    const auto which = lanes_between(d, start, std::max(low, to), std::min(high, to + lanes));
    hn::BlendedStore(hn::LoadU(d, slots + start - step), which, d, slots + start);
  }
}

/// The same for two cache lines at most, without branches that depend on the move. The last vector stays within the
/// slots, too: what lies beyond them may be a cache miss that nobody has asked for. So it is loaded where the others
/// are stored, and stored by a step further.
template <int Count, class T>
HWY_INLINE void move_near_slots(T* slots, int low, int high, int step) {
  const hn::CappedTag<T, std::min<std::size_t>(64 / sizeof(T), Count / 2)> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  int first = step > 0 ? Count - lanes : 0;
  MANGROVE_BS_TREE_UNROLL
  for (int done = 0; done < Count; done += lanes) {
    const int to = done + lanes == Count ? first + step : first;
    const auto moved = hn::LoadU(d, slots + to - step);
    store_lanes(moved, lanes_between(d, to, low, high), d, slots + to);
    first -= step * lanes;
  }
}

/// Which of many cache lines an insert touches: all, without branches on where the gap is, or those whose slots move,
/// where only they have been asked for.
enum class lines_touched { all, moved };

/// Moves slots as `move` says and puts `added` into the one that becomes free.
template <bool Shared, int Count, lines_touched Lines, class T>
HWY_INLINE void insert_slot(T* slots, const slot_move& move, T added) {
  if constexpr (is_none<T>) {
    return;
  } else if constexpr (Shared && (bs_tsan || !HWY_ARCH_X86)) {
    for (int done = 0; done < move.high - move.low; ++done) {
      const int i = move.right != 0 ? move.high - 1 - done : move.low + done;
      bs_put<true>(slots + i, bs_get<true>(slots + i - move.step()));
    }
    bs_put<true>(slots + move.target, added);
#if HWY_TARGET == HWY_AVX3
  } else if constexpr (Lines == lines_touched::all || Count * sizeof(T) <= 2 * bs_block_bytes) {
    insert_in_vectors<Count>(slots, move, added);
#endif
  } else {
    constexpr bool far = Count * sizeof(T) > bs_block_bytes;
    if constexpr (far) move_far_slots<Count>(slots, move.low, move.high, move.step());
    if constexpr (!far) move_near_slots<Count>(slots, move.low, move.high, move.step());
    bs_put<Shared>(slots + move.target, added);
  }
}

/// For i in [low, high): `slots[i] = value`.
template <bool Shared, int Count, class T>
HWY_INLINE void fill_slots(T* slots, int low, int high, T value) {
  if constexpr (Shared && (bs_tsan || !HWY_ARCH_X86)) {
    for (int i = low; i < high; ++i) bs_put<true>(slots + i, value);
  } else {
    const line_tag<T> d;
    const auto filled = hn::Set(d, value);
    MANGROVE_BS_TREE_UNROLL
    for (int first = 0; first < Count; first += static_cast<int>(hn::Lanes(d))) {
      const auto kept = hn::Load(d, slots + first);
      hn::Store(hn::IfThenElse(lanes_between(d, first, low, high), filled, kept), d, slots + first);
    }
  }
}

#if HWY_TARGET == HWY_AVX3
/// Reads lanes of a narrower or equal unsigned type.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_widened(D d, const T* from) {
  using wide = hn::TFromD<D>;
  if constexpr (sizeof(T) == sizeof(wide)) {
    return hn::LoadU(d, from);
  } else if constexpr (sizeof(T) * 2 == sizeof(wide)) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  } else {
    const hn::Rebind<std::uint32_t, D> half;
    return hn::PromoteTo(d, hn::PromoteTo(half, hn::LoadU(hn::Rebind<T, D>(), from)));
  }
}

/// The lanes whose bit is set, moved to the front. Highway 1.0's Compress copies a table of 2 KiB to the stack under
/// GCC, for every call.
template <class D>
HWY_INLINE hn::Vec<D> front_lanes(D d, hn::Vec<D> lanes, std::uint64_t bits) {
  constexpr bool wide = sizeof(hn::TFromD<D>) == 8;
  constexpr std::size_t bytes = hn::MaxLanes(d) * sizeof(hn::TFromD<D>);
  const auto mask = static_cast<__mmask16>(bits);
  const auto mask8 = static_cast<__mmask8>(bits);
  if constexpr (bytes == 64 && wide) return hn::Vec<D>{_mm512_maskz_compress_epi64(mask8, lanes.raw)};
  if constexpr (bytes == 64 && !wide) return hn::Vec<D>{_mm512_maskz_compress_epi32(mask, lanes.raw)};
  if constexpr (bytes == 32 && wide) return hn::Vec<D>{_mm256_maskz_compress_epi64(mask8, lanes.raw)};
  if constexpr (bytes == 32 && !wide) return hn::Vec<D>{_mm256_maskz_compress_epi32(mask8, lanes.raw)};
}

/// Writes the keys (`base` plus slot) and values of the slots in `which`, in order. Up to a vector beyond them is
/// overwritten. @return how many there are
template <int Count, class Key, class T, class Bits>
HWY_INLINE std::size_t emit_slots(const T* slots, const Bits* values, std::uint64_t which, Key base, Key* to_keys,
                                  Bits* to_values) {
  using widest = std::conditional_t<sizeof(Bits) == 8 && !is_none<Bits>, std::uint64_t, Key>;
  const hn::Rebind<Key, line_tag<widest>> d;
  const auto offset = hn::Set(d, base);
  constexpr std::uint64_t part = (std::uint64_t{1} << hn::MaxLanes(d)) - 1;
  std::size_t written = 0;
  MANGROVE_BS_TREE_UNROLL
  for (std::size_t i = 0; i < Count; i += hn::Lanes(d)) {
    const std::uint64_t bits = which >> i & part;
    hn::StoreU(front_lanes(d, hn::Add(load_widened(d, slots + i), offset), bits), d, to_keys + written);
    if constexpr (!is_none<Bits>) {
      const hn::Rebind<Bits, decltype(d)> dv;
      hn::StoreU(front_lanes(dv, hn::LoadU(dv, values + i), bits), dv, to_values + written);
    }
    written += static_cast<std::size_t>(std::popcount(bits));
  }
  return written;
}
#else
/// As above, one slot after the other, but without branches on which are wanted.
template <int Count, class Key, class T, class Bits>
HWY_INLINE std::size_t emit_slots(const T* slots, const Bits* values, std::uint64_t which, Key base, Key* to_keys,
                                  Bits* to_values) {
  std::size_t written = 0;
  for (int i = 0; i < Count; ++i) {
    to_keys[written] = static_cast<Key>(base + slots[i]);
    if constexpr (!is_none<Bits>) to_values[written] = values[i];
    written += which >> i & 1;
  }
  return written;
}
#endif

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
