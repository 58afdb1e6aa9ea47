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

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// How many lanes of four vectors of comparisons are set; with `Most`, the last 64 bits do not count. They need not be
/// put in order for that.
template <class T, bool Most>
HWY_INLINE std::uint64_t packed_count(__m256i first, __m256i second, __m256i third, __m256i fourth) {
  static_assert(sizeof(T) >= 4);
  const __m256i low = _mm256_packs_epi32(first, second);
  const __m256i high = _mm256_packs_epi32(third, fourth);
  const auto bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_packs_epi16(low, high)));
  constexpr std::uint32_t one_a_lane = sizeof(T) == 8 ? 0x55555555 : 0xffffffff;
  // By 64 bits: the compiler widens the 32-bit instruction's result.
  return static_cast<std::uint64_t>(_mm_popcnt_u64(bits & (Most ? one_a_lane & 0x3fffffff : one_a_lane)));
}
#endif

#if HWY_TARGET == HWY_AVX2
/// The bits of a node's four vectors of comparisons. They are packed while they are vectors: to move each vector's to a
/// general register, and to put them together there, takes twice as many instructions.
template <class T>
HWY_INLINE std::uint64_t packed_bits(__m256i first, __m256i second, __m256i third, __m256i fourth) {
  // Packing works on halves of vectors: 32 bits of the first vector come first, then 32 of the second ...
  const __m256i in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  if constexpr (sizeof(T) == 2) {
    const auto two = [](__m256i a, __m256i b) MANGROVE_BS_TREE_INLINE {
      const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0b11'01'10'00);
      return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
    };
    return two(first, second) | std::uint64_t{two(third, fourth)} << 32;
  } else {
    const __m256i low = _mm256_packs_epi32(first, second);
    const __m256i high = _mm256_packs_epi32(third, fourth);
    if constexpr (sizeof(T) == 4) {
      const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), in_order);
      return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
    } else {
      const __m256i words = _mm256_permutevar8x32_epi32(_mm256_packs_epi32(low, high), in_order);
      const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
      return static_cast<std::uint32_t>(_mm_movemask_epi8(bytes));
    }
  }
}

/// Bit i is what `compare` says about slot i; it is called with the first slot of each vector.
template <int Count, class T, class Compare>
HWY_INLINE std::uint64_t slot_bits(const Compare& compare) {
  constexpr int lanes = hn::MaxLanes(line_tag<T>());
  static_assert(Count == 4 * lanes);
  return packed_bits<T>(compare(0).raw, compare(lanes).raw, compare(2 * lanes).raw, compare(3 * lanes).raw);
}
#else
template <int Count, class T, class Compare>
HWY_INLINE std::uint64_t slot_bits(const Compare& compare) {
  const line_tag<T> d;
  std::uint64_t bits = 0;
  MANGROVE_BS_TREE_UNROLL
  for (std::size_t i = 0; i < Count; i += hn::Lanes(d)) bits |= lane_bits(d, compare(i)) << i;
  return bits;
}
#endif

/// Whether whole keys are compared as signed ones. AVX2 compares no others, and AVX-512 does so only into masks.
inline constexpr bool compares_signed = HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2;

/// What is taken off whole keys where they are kept in nodes.
template <class Key>
inline constexpr Key kept_less = compares_signed ? Key{1} << (8 * sizeof(Key) - 1) : Key{0};

/// How whole keys are compared where they are kept in nodes.
template <class Key>
using kept_order = std::conditional_t<compares_signed, std::make_signed_t<Key>, Key>;

/// Slots of a leaf, from the first one on.
struct first_slots {
  std::uint64_t bits;
  std::uint64_t count;
};

/// The slots whose `keys[i] < needle`, both taken for an `Order`. The keys are sorted.
template <bool Shared, int Count, class Order, class T>
HWY_INLINE first_slots slots_below(const T* keys, T needle) {
  const line_tag<T> d;
  const hn::Rebind<Order, decltype(d)> ordered;
  const auto wanted = hn::BitCast(ordered, hn::Set(d, needle));
  const auto less = [&](std::size_t i) MANGROVE_BS_TREE_INLINE {
    return hn::RebindMask(d, hn::Lt(hn::BitCast(ordered, load_lanes<Shared>(d, keys + i)), wanted));
  };
#if HWY_TARGET == HWY_AVX2
  if constexpr (sizeof(T) != 2) {
    constexpr std::size_t lanes = hn::MaxLanes(d);
    const auto count = packed_count<T, false>(less(0).raw, less(lanes).raw, less(2 * lanes).raw, less(3 * lanes).raw);
    return {_bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count)), count};
  }
#endif
  const std::uint64_t bits = slot_bits<Count, T>(less);
  return {bits, static_cast<std::uint64_t>(std::popcount(bits))};
}

/// How many of the first `Used` of an inner node's `Count` separators are less than `key`, both as they are kept.
template <bool Shared, int Count, int Used, class T>
HWY_INLINE std::uint64_t separators_below(const T* separators, T key) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
  // With AVX-512, too, by 256 bits: its wider comparisons give masks, and a Zen 5 has so few of those that they, not
  // its instructions, tell how many operations it has under way.
  const hn::CappedTag<T, 32 / sizeof(T)> d;
  constexpr int lanes = hn::MaxLanes(d);
  static_assert(Count == 4 * lanes && (Count - Used) * sizeof(T) == 8);
  const auto wanted = hn::Set(d, key).raw;
  const auto less = [&](int i) MANGROVE_BS_TREE_INLINE {
    const auto here = load_lanes<Shared>(d, separators + i).raw;
    return sizeof(T) == 8 ? _mm256_cmpgt_epi64(wanted, here) : _mm256_cmpgt_epi32(wanted, here);
  };
  return packed_count<T, true>(less(0), less(lanes), less(2 * lanes), less(3 * lanes));
#else
  const std::uint64_t bits = slots_below<Shared, Count, T>(separators, key).bits;
  return static_cast<std::uint64_t>(std::popcount(bits & ((std::uint64_t{1} << Used) - 1)));
#endif
}

/// Bit i says whether `keys[i] == needle`.
template <bool Shared, int Count, class T>
HWY_INLINE std::uint64_t equal_bits(const T* keys, T needle) {
  const line_tag<T> d;
  const auto wanted = hn::Set(d, needle);
  return slot_bits<Count, T>([&](std::size_t i) MANGROVE_BS_TREE_INLINE {  //
    return hn::Eq(load_lanes<Shared>(d, keys + i), wanted);
  });
}

#if HWY_TARGET == HWY_AVX2
/// Each lane's left neighbour; what the first lane gets is of no use.
template <class D>
HWY_INLINE hn::Vec<D> left_neighbours(D, hn::Vec<D> lanes) {
  constexpr int bytes = sizeof(hn::TFromD<D>);
  const __m256i all = lanes.raw;
  if constexpr (bytes == 8) return hn::Vec<D>{_mm256_permute4x64_epi64(all, 0b10'01'00'00)};
  if constexpr (bytes == 4) {
    return hn::Vec<D>{_mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6))};
  }
  if constexpr (bytes == 2) return hn::Vec<D>{_mm256_alignr_epi8(all, _mm256_permute2x128_si256(all, all, 0x08), 14)};
}

/// Each lane's right neighbour; what the last lane gets is of no use.
template <class D>
HWY_INLINE hn::Vec<D> right_neighbours(D, hn::Vec<D> lanes) {
  constexpr int bytes = sizeof(hn::TFromD<D>);
  const __m256i all = lanes.raw;
  if constexpr (bytes == 8) return hn::Vec<D>{_mm256_permute4x64_epi64(all, 0b11'11'10'01)};
  if constexpr (bytes == 4) {
    return hn::Vec<D>{_mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7))};
  }
  if constexpr (bytes == 2) return hn::Vec<D>{_mm256_alignr_epi8(_mm256_permute2x128_si256(all, all, 0x81), all, 2)};
}
#elif HWY_TARGET == HWY_SCALAR
template <class D>
HWY_INLINE hn::Vec<D> left_neighbours(D, hn::Vec<D> lanes) {
  return lanes;  // the only lane is the first and the last
}
template <class D>
HWY_INLINE hn::Vec<D> right_neighbours(D, hn::Vec<D> lanes) {
  return lanes;
}
#elif HWY_TARGET != HWY_AVX3
template <class D>
HWY_INLINE hn::Vec<D> left_neighbours(D d, hn::Vec<D> lanes) {
  return hn::ShiftLeftLanes<1>(d, lanes);
}
template <class D>
HWY_INLINE hn::Vec<D> right_neighbours(D d, hn::Vec<D> lanes) {
  return hn::ShiftRightLanes<1>(d, lanes);
}
#endif

/// Bit i says whether `keys[i] == keys[i + 1]`; the last bit is clear. Reads nothing but the keys: what lies beyond
/// them may be a cache miss that nobody has asked for. So the last vector compares keys with those before them, or with
/// itself.
template <int Count, class T>
HWY_INLINE std::uint64_t repeated_bits(const T* keys) {
  const line_tag<T> d;
  constexpr std::uint64_t last = std::uint64_t{1} << (Count - 1);
#if HWY_TARGET == HWY_AVX3
  std::uint64_t differ = last;
  MANGROVE_BS_TREE_UNROLL
  for (std::size_t i = 0; i < Count; i += hn::Lanes(d)) {
    const std::size_t first = i + hn::Lanes(d) == Count ? i - 1 : i;
    differ |= lane_bits(d, hn::Ne(hn::LoadU(d, keys + first), hn::LoadU(d, keys + first + 1))) << first;
  }
  return differ ^ (last | (last - 1));
#else
  const std::uint64_t equal = slot_bits<Count, T>([&](std::size_t i) MANGROVE_BS_TREE_INLINE {
    const auto here = hn::Load(d, keys + i);
    return hn::Eq(here, i + hn::Lanes(d) == Count ? right_neighbours(d, here) : hn::LoadU(d, keys + i + 1));
  });
  return equal & (last - 1);
#endif
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
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
#endif

#if HWY_TARGET == HWY_AVX3
/// The lanes that `front_lanes` moves at once.
template <class T>
using front_tag = line_tag<T>;

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
#elif HWY_TARGET == HWY_AVX2
/// The lanes that `front_lanes` moves at once: a table of what four of them may become fills two cache lines.
template <class T>
using front_tag = hn::CappedTag<T, 4>;

/// For four lanes of `Words` times 32 bits, by the bits of those that move to the front: which 32 bits come first,
/// which come second, ...
template <int Words>
struct front_orders {
  static constexpr int lanes = 4;
  alignas(64) std::uint8_t words[1 << lanes][lanes * Words];

  constexpr front_orders() : words() {
    for (int bits = 0; bits < 1 << lanes; ++bits) {
      for (int word = 0, to = 0; word < lanes * Words; ++word) {
        if ((bits >> word / Words & 1) != 0) words[bits][to++] = static_cast<std::uint8_t>(word);
      }
    }
  }
};
template <int Words>
inline constexpr front_orders<Words> orders_to_front;

/// The lanes whose bit is set, moved to the front.
template <class D>
HWY_INLINE hn::Vec<D> front_lanes(D, hn::Vec<D> lanes, std::uint64_t bits) {
  constexpr int words = sizeof(hn::TFromD<D>) / 4;
  const std::uint8_t* const order = orders_to_front<words>.words[bits];
  if constexpr (words == 2) {
    const __m256i from = _mm256_cvtepu8_epi32(_mm_loadu_si64(order));
    return hn::Vec<D>{_mm256_permutevar8x32_epi32(lanes.raw, from)};
  } else {
    const __m128i from = _mm_cvtepu8_epi32(_mm_loadu_si32(order));
    return hn::Vec<D>{_mm_castps_si128(_mm_permutevar_ps(_mm_castsi128_ps(lanes.raw), from))};
  }
}
#endif

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
/// The keys that are written at once, with their values.
template <class Key, class Bits>
using emitted_tag =
    hn::Rebind<Key, front_tag<std::conditional_t<sizeof(Bits) == 8 && !is_none<Bits>, std::uint64_t, Key>>>;

/// Writes the keys (`base` plus slot) and values of the wanted slots, in order. Up to a vector beyond them is
/// overwritten. @param wanted called with a vector's first slot, tells which of its slots are, as bits
/// @return how many there are
template <int Count, class Key, class T, class Bits, class Wanted>
HWY_INLINE std::size_t emit_vectors(const T* slots, const Bits* values, const Wanted& wanted, Key base, Key* to_keys,
                                    Bits* to_values) {
  const emitted_tag<Key, Bits> d;
  const auto offset = hn::Set(d, base);
  std::size_t written = 0;
  MANGROVE_BS_TREE_UNROLL
  for (std::size_t i = 0; i < Count; i += hn::Lanes(d)) {
    const std::uint64_t bits = wanted(i);
    hn::StoreU(front_lanes(d, hn::Add(load_widened(d, slots + i), offset), bits), d, to_keys + written);
    if constexpr (!is_none<Bits>) {
      const hn::Rebind<Bits, decltype(d)> dv;
      hn::StoreU(front_lanes(dv, hn::LoadU(dv, values + i), bits), dv, to_values + written);
    }
    written += static_cast<std::size_t>(std::popcount(bits));
  }
  return written;
}

/// The same of the slots in `which`.
template <int Count, class Key, class T, class Bits>
HWY_INLINE std::size_t emit_slots(const T* slots, const Bits* values, std::uint64_t which, Key base, Key* to_keys,
                                  Bits* to_values) {
  constexpr std::uint64_t part = (std::uint64_t{1} << hn::MaxLanes(emitted_tag<Key, Bits>())) - 1;
  const auto wanted = [&](std::size_t i) MANGROVE_BS_TREE_INLINE { return which >> i & part; };
  return emit_vectors<Count>(slots, values, wanted, base, to_keys, to_values);
}
#else
/// Writes the keys (`base` plus slot) and values of the slots in `which`, in order. Up to one beyond them is
/// overwritten. One slot after the other, but without branches on which are wanted. @return how many there are
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

#if HWY_TARGET == HWY_AVX2
/// The bits of four lanes: as an instruction, whose result needs no widening.
template <class D>
HWY_INLINE std::uint64_t four_bits(D, hn::Mask<D> mask) {
  static_assert(hn::MaxLanes(D()) == 4);
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(mask.raw)));
  } else {
    return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(mask.raw)));
  }
}
#endif

/// Writes the keys (plus `base`) and values of all slots whose key is not the next slot's, in order. Up to a vector
/// beyond them is overwritten. @return how many there are
template <int Count, class Key, class Bits>
HWY_INLINE std::size_t emit_distinct(const Key* keys, const Bits* values, Key base, Key* to_keys, Bits* to_values) {
#if HWY_TARGET == HWY_AVX2
  // Each vector's bits for itself: to pack them first, and to take them apart again, takes ten instructions more.
  const emitted_tag<Key, Bits> d;
  const auto wanted = [&](std::size_t i) MANGROVE_BS_TREE_INLINE {
    const bool last = i + 4 == Count;  // nothing beyond the keys is read: see `repeated_bits`
    const auto equal = hn::Eq(hn::LoadU(d, keys + i), hn::LoadU(d, last ? keys + i - 1 : keys + i + 1));
    return (four_bits(d, equal) >> (last ? 1 : 0)) ^ 0b1111;
  };
  return emit_vectors<Count>(keys, values, wanted, base, to_keys, to_values);
#else
  constexpr std::uint64_t all = ~std::uint64_t{0} >> (64 - Count);
  return emit_slots<Count>(keys, values, all ^ repeated_bits<Count>(keys), base, to_keys, to_values);
#endif
}

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
