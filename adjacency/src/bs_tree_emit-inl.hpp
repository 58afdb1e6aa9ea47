// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_EMIT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_EMIT_INL
#undef MANGROVE_BS_TREE_EMIT_INL
#else
#define MANGROVE_BS_TREE_EMIT_INL
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bs_tree_compare-inl.hpp"
#include "mangrove/core/none.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

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
