#pragma once

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/detail/block_sums.cuh"
#include "mangrove/core/detail/launch.cuh"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/tile.cuh"
#include "mangrove/core/tile.hpp"

/// @file
/// Running a body over tiles that have fast memory of their own, on the CUDA backend; `core/for_each_scratch.hpp` is
/// the same for the CPU.

namespace mangrove {

/// A tile that is a whole block of N threads, N from 64 to 1024. It has those of `cuda_tile`'s members that a block can
/// do cheaply; all lanes must call them together.
template <int N>
class block_tile {
  static_assert(N >= 64 && N <= 1024 && N % 32 == 0);

 public:
  static constexpr int lanes = N;
  static constexpr bool simd = false;

  static constexpr __device__ int size() { return N; }
  [[nodiscard]] __device__ int lane() const { return static_cast<int>(threadIdx.x); }

  template <class F>
  __device__ void strided(std::size_t count, F f) const {
    for (std::size_t i = threadIdx.x; i < count; i += N) f(i);
  }

  template <class F>
  __device__ void strided_briefly(std::size_t count, F f) const {
#pragma unroll 1
    for (std::size_t i = threadIdx.x; i < count; i += N) f(i);
  }

  template <class T>
  [[nodiscard]] __device__ T sum(T value) const {
    constexpr int warps = N / 32;
    __shared__ T of_warp[warps];
    const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    const T own = cooperative_groups::reduce(warp, value, cooperative_groups::plus<T>());
    if (warp.thread_rank() == 0) of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    T all{};
    for (int i = 0; i < warps; ++i) all += of_warp[i];
    __syncthreads();  // the next sum may not write before everybody has read
    return all;
  }

  /// Each warp adds its sum: nobody has to wait for another one.
  template <class To, class T>
  __device__ void add_sum(To* to, T value) const {
    cuda_tile<32>::this_tile().add_sum(to, value);
  }

  /// Whether some lane's value is true.
  [[nodiscard]] __device__ bool any(bool value) const { return __syncthreads_or(value ? 1 : 0) != 0; }

  /// The sum of the values of the lanes before this one, and of all.
  template <class T>
  [[nodiscard]] __device__ lane_sums<T> scan(T value) const {
    constexpr unsigned warps = N / 32;
    __shared__ T of_warp[warps];
    const auto warp = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    const T up_to = cooperative_groups::inclusive_scan(warp, value, cooperative_groups::plus<T>());
    if (warp.thread_rank() == 31) of_warp[threadIdx.x / 32] = up_to;
    __syncthreads();
    // Each warp scans the sums of all: fewer steps than adding them up one by one.
    T up_to_warp = warp.thread_rank() < warps ? of_warp[warp.thread_rank()] : T{};
#pragma unroll
    for (unsigned step = 1; step < warps; step *= 2) {
      const T left = warp.shfl_up(up_to_warp, step);
      if (warp.thread_rank() >= step) up_to_warp += left;
    }
    const unsigned own = threadIdx.x / 32;
    const T until_own = warp.shfl(up_to_warp, own == 0 ? 0 : own - 1);
    const T all = warp.shfl(up_to_warp, warps - 1);
    __syncthreads();  // the next one may not write before everybody has read
    return {up_to - value + (own == 0 ? T{} : until_own), all};
  }

  /// The sum of the values of the lanes before this one.
  template <class T>
  [[nodiscard]] __device__ T prefix_sum(T value) const {
    return scan(value).before;
  }

  /// Calls `f(part, i)` for every i in [0, count), parts of M lanes sharing the work.
  template <int M, class F>
  __device__ void for_each_part(std::size_t count, F f) const {
    const auto part = cuda_tile<M>::this_tile();
    for (std::size_t i = threadIdx.x / M; i < count; i += N / M) f(part, i);
  }

  template <int M>
  static constexpr std::uint32_t part_count = N / M;

  template <int M, class Take, class F>
  __device__ void for_each_part_taken(std::uint32_t first, std::uint32_t count, Take take, F f) const {
    const auto part = cuda_tile<M>::this_tile();
    const std::uint32_t own = threadIdx.x / M;
    std::uint32_t next = 0;
    for (std::uint32_t i = first + own; i < count; i = part.broadcast(next, 0)) {
      if (part.lane() == 0) next = take();  // under way meanwhile
      f(part, own, i);
    }
  }

  [[nodiscard]] __device__ cuda_tile<1> solo() const {
    return cuda_tile<1>::this_tile();
  }

  __device__ void sync() const {
    __syncthreads();
  }
};

namespace detail {

/// How tiles with scratch are laid out in blocks: where calls differ, in small ones, since a block keeps its place
/// until all its tiles are done.
template <int Width, int Bytes, class Body>
struct scratch_blocks {
  static constexpr int threads = Width > 32 ? Width : is_uneven<Body>() ? 64 : 256;
  static constexpr int tiles = threads / Width;
  static constexpr int bytes = tiles * Bytes;
  static constexpr int bytes_at_most = 224 * 1024;  ///< of an SM's 228 KiB, less what the system and `sum` take
  static_assert(bytes <= bytes_at_most, "a block has no room for the scratch of its tiles");
};

template <int Width>
__device__ auto tile_of_thread() {
  if constexpr (Width > 32) {
    return block_tile<Width>();
  } else {
    return cuda_tile<Width>::this_tile();
  }
}

/// @param counted how many calls, at most `count`; null for as many
template <int Width, int Bytes, class Body>
__global__ void __launch_bounds__(scratch_blocks<Width, Bytes, Body>::threads, blocks_at_once<Body>())
    scratch_kernel(kernel_start start, Body body, std::size_t count, const std::uint32_t* counted) {
  begin_kernel(start);
  extern __shared__ __align__(128) unsigned char scratch_of_block[];
  constexpr std::size_t tiles = scratch_blocks<Width, Bytes, Body>::tiles;
  const auto tile = tile_of_thread<Width>();
  const std::size_t own = threadIdx.x / Width;
  std::byte* const scratch = reinterpret_cast<std::byte*>(scratch_of_block) + own * Bytes;
  const std::size_t end = counted == nullptr || *counted > count ? count : *counted;
  const std::size_t step = gridDim.x * tiles;
  if constexpr (summing_body<Body>) {
    const block_sums<typename Body::sums_type> sums;
    for (std::size_t i = blockIdx.x * tiles + own; i < end; i += step, tile.sync()) sums.add(body(tile, i, scratch));
    sums.book(body);
  } else {
    for (std::size_t i = blockIdx.x * tiles + own; i < end; i += step, tile.sync()) body(tile, i, scratch);
  }
  end_kernel(start);
}

template <int Width, class Body>
constexpr bool prepares() {
  if constexpr (Width > 32) {
    return preparing_body<Body, block_tile<Width>>;
  } else {
    static_assert(!preparing_body<Body, cuda_tile<Width>>, "only tiles of more than a warp prepare");
    return false;
  }
}

/// For bodies that prepare. Each block makes one call: a loop around the two would take registers.
template <int Width, class Body>
__global__ void __launch_bounds__(Width, blocks_at_once<Body>()) prepared_kernel(kernel_start start, Body body) {
  extern __shared__ __align__(128) unsigned char scratch_of_block[];
  const block_tile<Width> tile;
  std::byte* const scratch = reinterpret_cast<std::byte*>(scratch_of_block);
  body.prepare(tile, blockIdx.x, scratch);
  begin_kernel(start);
  body(tile, blockIdx.x, scratch);
  end_kernel(start);
}

template <int Width, int Bytes, class Body>
void launch_prepared(const cuda_resources& res, std::size_t count, const Body& body) {
  static_assert(!summing_body<Body> && Bytes <= scratch_blocks<Width, Bytes, Body>::bytes_at_most);
  if (count == 0) return;
  const auto kernel = &prepared_kernel<Width, Body>;
  allow_scratch(res, kernel, Bytes);
  launch(res, {count, Width, Bytes}, kernel, res.next_start(), body);
}

template <int Width, int Bytes, class Body>
void launch_with_scratch(const cuda_resources& res, std::size_t most_blocks, std::size_t count,
                         const std::uint32_t* counted, const Body& body) {
  using blocks = scratch_blocks<Width, Bytes, Body>;
  if (count == 0) return;
  const auto kernel = &scratch_kernel<Width, Bytes, Body>;
  allow_scratch(res, kernel, blocks::bytes);
  const std::size_t grid = std::min(most_blocks, (count + blocks::tiles - 1) / blocks::tiles);
  launch(res, {grid, blocks::threads, blocks::bytes}, kernel, res.next_start(), body, count, counted);
}

}  // namespace detail

/// Queues `body(tile, i, scratch)` for every i in [0, count) on the stream of `res`; returns at once.
///
/// `scratch` is `Bytes` bytes of shared memory for the tile alone, with undefined content at the start of each call. It
/// is aligned to 128 bytes, or to the largest power of two that divides `Bytes`. What calls of a `summing_body` return
/// is added up; those of a `preparing_body` begin while the work before is not done yet.
/// @tparam Width lanes of a tile: a power of two to 32, or, for a `block_tile`, 64 to 1024
template <int Width, int Bytes, class Body>
void for_each_tile_with_scratch(const cuda_resources& res, std::size_t count, const Body& body) {
  if constexpr (detail::prepares<Width, Body>()) {
    detail::launch_prepared<Width, Bytes>(res, count, body);
  } else {
    detail::launch_with_scratch<Width, Bytes>(res, std::size_t{1} << 20, count, nullptr, body);
  }
}

/// As `for_each_tile_with_scratch` for a number of calls that the device knows: `*count`, at most `limit`, once the
/// work before it on the stream is done.
/// @param likely how many calls are likely: the launch is made for so many
template <int Width, int Bytes, class Body>
void for_each_counted_with_scratch(const cuda_resources& res, const std::uint32_t* count, std::size_t limit,
                                   const Body& body, std::size_t likely = ~std::size_t{0}) {
  static_assert(!detail::prepares<Width, Body>(), "how many calls there are is not known before");
  constexpr std::size_t tiles = detail::scratch_blocks<Width, Bytes, Body>::tiles;
  const std::size_t blocks = std::min(detail::fair_blocks<Body>(), (likely - 1) / tiles + 1);
  detail::launch_with_scratch<Width, Bytes>(res, blocks, limit, count, body);
}

}  // namespace mangrove
