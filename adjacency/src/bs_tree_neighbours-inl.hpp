// Included once per instruction set (see hwy/foreach_target.h).
#if defined(MANGROVE_BS_TREE_NEIGHBOURS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MANGROVE_BS_TREE_NEIGHBOURS_INL
#undef MANGROVE_BS_TREE_NEIGHBOURS_INL
#else
#define MANGROVE_BS_TREE_NEIGHBOURS_INL
#endif

#include "bs_tree_simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace mangrove::detail::HWY_NAMESPACE {

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

}  // namespace mangrove::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
