#pragma once

#include "mangrove/core/backend.hpp"

namespace mangrove {

/// Calls `f(i)` for i in [0, N). On CUDA the loop is unrolled, so that arrays which f indexes with i stay in registers.
template <int N, class F>
MANGROVE_HOST_DEVICE void unrolled(F f) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int i = 0; i < N; ++i) f(i);
}

}  // namespace mangrove
