#pragma once

#include <memory>

#include "bs_tree_targets.hpp"
#include "mangrove/adjacency/detail/bs_tree_engine.hpp"

/// @file
/// Included once, after the engines of all instruction sets.

namespace mangrove::detail {

template <class Key, class Bits>
std::unique_ptr<bs_tree_engine<Key, Bits>> make_bs_tree_engine(const cpu_resources& res, const bs_tree_kind& kind) {
  switch (bs_tree_target(kind.simd)) {
#if HWY_TARGETS & HWY_AVX3
    case HWY_AVX3:
      return N_AVX3::make_engine<Key, Bits>(res, kind);
#endif
#if HWY_TARGETS & HWY_AVX2
    case HWY_AVX2:
      return N_AVX2::make_engine<Key, Bits>(res, kind);
#endif
#if HWY_TARGETS & HWY_EMU128
    case HWY_EMU128:
      return N_EMU128::make_engine<Key, Bits>(res, kind);
#endif
    default:
      return HWY_STATIC_DISPATCH(make_engine)<Key, Bits>(res, kind);
  }
}

}  // namespace mangrove::detail
