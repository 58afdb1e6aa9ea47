#pragma once

#if !defined(__CUDA_ARCH__)
#include <thread>
#endif

#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// Lets some time pass before memory is read again that another tile is about to write.
class backoff {
 public:
  MANGROVE_HOST_DEVICE void wait() {
#if defined(__CUDA_ARCH__)
    __nanosleep(32);
#else
    if (++turns_ % turns_per_yield == 0) std::this_thread::yield();  // the writer may have lost its core to this thread
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
#endif
  }

 private:
  static constexpr unsigned turns_per_yield = 64;
  [[maybe_unused]] unsigned turns_ = 0;
};

}  // namespace mangrove::detail
