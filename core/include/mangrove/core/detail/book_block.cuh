#pragma once

#include "mangrove/core/counted_part.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Books the sums of a block's threads.
template <class Body>
__device__ void book_block(const Body& body, const typename Body::sums_type& own) {
  constexpr int size = Body::sums_type::size;
  __shared__ unsigned sums[size];
  if (threadIdx.x < size) sums[threadIdx.x] = 0;
  __syncthreads();
  unrolled<size>([&](int k) {
    const unsigned of_warp = __reduce_add_sync(~0U, own.of[k]);
    if (threadIdx.x % 32 == 0 && of_warp != 0) atomicAdd(sums + k, of_warp);
  });
  __syncthreads();
  if (threadIdx.x != 0) return;
  typename Body::sums_type all;
  unrolled<size>([&](int k) { all.of[k] = sums[k]; });
  body.book(all);
}

}  // namespace mangrove::detail
