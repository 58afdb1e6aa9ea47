#pragma once

/// @file
/// What the sources of the BS-tree include first: the instruction sets they are compiled for. AVX-512, AVX2, and
/// Highway's portable code; what lies between would cost compile time for machines that nobody has. Builds with
/// sanitizers do without AVX-512, whose code is AVX2's with other vectors: a third of their time goes into these files.

#define HWY_COMPILE_ALL_ATTAINABLE
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_AVX3)
#else
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#endif

#include <hwy/detect_targets.h>
#include <hwy/targets.h>

#include "mangrove/adjacency/bs_tree_options.hpp"
#include "mangrove/core/error.hpp"

namespace mangrove::detail {

/// The target that `simd` means here: the first of the compiled ones that the machine has, or the one asked for.
inline std::int64_t bs_tree_target(bs_simd simd) {
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  const std::int64_t portable = HWY_TARGETS & (HWY_EMU128 | HWY_SCALAR);
  const std::int64_t fallback = portable != 0 ? portable : HWY_STATIC_TARGET;
  const std::int64_t wanted = simd == bs_simd::avx512 ? HWY_AVX3 : simd == bs_simd::avx2 ? HWY_AVX2 : fallback;
  if (simd == bs_simd::best)
    return (usable & HWY_AVX3) != 0 ? HWY_AVX3 : (usable & HWY_AVX2) != 0 ? HWY_AVX2 : fallback;
  if (simd != bs_simd::portable && (usable & wanted) == 0) {
    throw usage_error("this machine or this build has no AVX-512 or no AVX2; use bs_simd::best");
  }
  return wanted;
}

}  // namespace mangrove::detail
