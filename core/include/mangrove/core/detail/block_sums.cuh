#pragma once

#include "mangrove/core/counted_part.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Sums of a block's threads, in its fast memory. All threads make, and book, them together.
template <class Sums>
class block_sums {
 public:
  __device__ block_sums() {
    if (threadIdx.x < Sums::size) all()[threadIdx.x] = 0;
    __syncthreads();
  }

  /// Adds what threads have come to, those of a warp together.
  __device__ void add(const Sums& own) const {
    unrolled<Sums::size>([&](int k) {
      const unsigned of_warp = __reduce_add_sync(~0U, own.of[k]);
      if (threadIdx.x % 32 == 0 && of_warp != 0) atomicAdd(all() + k, of_warp);
    });
  }

  template <class Body>
  __device__ void book(const Body& body) const {
    __syncthreads();
    if (threadIdx.x != 0) return;
    Sums sums;
    unrolled<Sums::size>([&](int k) { sums.of[k] = all()[k]; });
    body.book(sums);
  }

 private:
  __device__ static unsigned* all() {
    __shared__ unsigned sums[Sums::size];
    return sums;
  }
};

}  // namespace mangrove::detail
