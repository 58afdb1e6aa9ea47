#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove {

/// How many lanes before this one have an equal value, among those of its warp that come here at the same time. Which
/// ones do is up to the compiler: for guesses that spare lanes meeting, not for what has to be right. 0 on the CPU.
template <class T>
MANGROVE_HOST_DEVICE std::uint32_t equals_beside(T value) {
#if defined(__CUDA_ARCH__)
  const unsigned equal = __match_any_sync(__activemask(), value);
  return static_cast<std::uint32_t>(__popc(equal & ((1U << threadIdx.x % 32) - 1)));
#else
  static_cast<void>(value);
  return 0;
#endif
}

}  // namespace mangrove
