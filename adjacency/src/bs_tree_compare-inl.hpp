// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_COMPARE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_COMPARE_INL
#undef MANGROVE_BS_TREE_COMPARE_INL
#else
#define MANGROVE_BS_TREE_COMPARE_INL
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bs_tree_neighbours-inl.hpp"
#include "bs_tree_simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

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

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
