// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_SIMD_INL
#undef MANGROVE_BS_TREE_SIMD_INL
#else
#define MANGROVE_BS_TREE_SIMD_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bs_tree_nodes.hpp"
#include "bs_tree_version.hpp"

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

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
