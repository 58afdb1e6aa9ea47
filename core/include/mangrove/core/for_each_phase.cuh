#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/for_each_scratch.cuh"
#include "mangrove/core/phase.hpp"

/// @file
/// Running a body over tiles that all meet between its phases, on the CUDA backend; `core/for_each_phase.hpp` is the
/// same for the CPU.

namespace mangrove {

namespace detail {

/// Waits until `all` blocks have come here. What each did before is seen by all after it.
__device__ inline void meet(std::uint32_t* met, std::uint32_t all) {
  __syncthreads();
  if (threadIdx.x == 0) {
    announce(met);
    while (load_acquire(met) < all) {
    }
  }
  __syncthreads();
}

/// A block is a tile. The next kernel may begin once all blocks have come to the last phase.
template <int Width, int Bytes, class Body>
__global__ void __launch_bounds__(Width, blocks_at_once<Body>()) phase_kernel(Body body, std::uint32_t* met) {
  wait_for_last();
  extern __shared__ __align__(128) unsigned char scratch_of_block[];
  auto* const scratch = reinterpret_cast<std::byte*>(scratch_of_block);
  const block_tile<Width> tile;
  run_phases<Body>([&]<int P>(phase<P> now) {
    constexpr bool is_last = P == Body::phases - 1;
    if constexpr (P != 0) meet(met, P * gridDim.x);
    if constexpr (is_last) let_next_begin();
    if constexpr (is_last && summing_body<Body>) {
      const block_sums<typename Body::sums_type> sums;
      sums.add(body(now, tile, blockIdx.x, scratch));
      sums.book(body);
    } else {
      body(now, tile, blockIdx.x, scratch);
    }
  });
}

}  // namespace detail

/// How many tiles `for_each_tile_in_phases` can have; 0 where the device lacks what they need.
/// Cost: some microseconds of the host.
template <int Width, int Bytes, phased_body Body>
std::size_t most_tiles_in_phases(const cuda_resources& res) {
  res.activate();
  int can = 0;
  int multiprocessors = 0;
  int blocks = 0;
  detail::cuda_check(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, res.device()), "ask about a device");
  detail::cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, res.device()),
                     "ask about a device");
  detail::allow_scratch(res, &detail::phase_kernel<Width, Bytes, Body>, Bytes);
  detail::cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &detail::phase_kernel<Width, Bytes, Body>,
                                                                   Width, static_cast<std::size_t>(Bytes)),
                     "ask how many blocks fit");
  return can == 0 ? 0 : static_cast<std::size_t>(multiprocessors) * static_cast<std::size_t>(blocks);
}

/// Queues `body(phase<P>(), tile, i, scratch)` for every i in [0, count) and every P in [0, Body::phases) on the stream
/// of `res`; returns at once. A phase begins when the one before has ended for all i, and sees what it wrote. What a
/// call leaves in its scratch is there in the next phase. What calls of the last phase of a `summing_body` return is
/// added up.
/// @pre `count` is at most `most_tiles_in_phases`
/// @tparam Width lanes of a tile, 64 to 1024 @tparam Bytes of a tile's scratch, as `for_each_tile_with_scratch` says
/// @param met a word on the device that is zero: the tiles meet there. What loops of `independent_loops` that begin
/// beside the last phase read of the phases before, they see after they have read this word by `load_acquire`
template <int Width, int Bytes, phased_body Body>
void for_each_tile_in_phases(const cuda_resources& res, std::size_t count, const Body& body, std::uint32_t* met) {
  if (count == 0) return;
  detail::allow_scratch(res, &detail::phase_kernel<Width, Bytes, Body>, Bytes);
  static_cast<void>(res.next_start());  // it waits; the next one of its group need not
  detail::launch(res, {count, Width, Bytes, detail::block_order::together}, &detail::phase_kernel<Width, Bytes, Body>,
                 body, met);
}

}  // namespace mangrove
