#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/counted_part.hpp"
#include "mangrove/core/detail/counted_kernel.cuh"
#include "mangrove/core/detail/launch.cuh"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/tile.cuh"

/// @file
/// Running a body over tiles on the CUDA backend; `core/for_each.hpp` is the same for the CPU.

namespace mangrove {

namespace detail {

template <int Width, class Body>
__global__ void __launch_bounds__(block_threads, blocks_at_once<Body>()) tile_kernel(Body body, std::size_t count) {
  begin_kernel();
  const auto tile = cuda_tile<Width>::this_tile();
  const std::size_t tiles = static_cast<std::size_t>(gridDim.x) * (block_threads / Width);
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * (block_threads / Width) + threadIdx.x / Width;
  for (; i < count; i += tiles) body(tile, i);
}

/// Blocks that make so many calls at the same time.
constexpr std::size_t blocks_for(std::size_t calls, int width) {
  const auto tiles_per_block = static_cast<std::size_t>(block_threads / width);
  return (calls + tiles_per_block - 1) / tiles_per_block;
}

/// Runs a body for the indices in an order in which neighbours are far apart.
template <class Body>
struct scattered_body {
  Body body;
  std::size_t count;
  std::size_t stride;

  template <class Tile>
  __device__ void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t at = i % scatter_rows * stride + i / scatter_rows;
    if (at < count) body(tile, at);
  }

  static constexpr std::size_t scatter_rows = std::size_t{1} << 14;
};

}  // namespace detail

/// Queues `body(tile, i)` for every i in [0, count) on the stream of `res`; returns at once.
/// @tparam Width lanes of a tile: 1, 2, 4, 8, 16 or 32
/// @param body a function object that the device can run, copied to it; a member `blocks_at_once` says how many blocks
/// of 256 threads a multiprocessor shall have room for, whatever that takes of registers
template <int Width, class Body>
void for_each_tile(const cuda_resources& res, std::size_t count, const Body& body) {
  static_assert(Width >= 1 && Width <= 32 && (Width & (Width - 1)) == 0);
  static_assert(!summing_body<Body>, "sums are for loops whose number of calls is counted");
  if (count == 0) return;
  constexpr std::size_t max_blocks = std::size_t{1} << 20;
  const std::size_t blocks = std::min(max_blocks, detail::blocks_for(count, Width));
  static_cast<void>(res.next_start());  // it waits; the next one of its group need not
  detail::launch(res, {blocks, detail::block_threads, 0}, &detail::tile_kernel<Width, Body>, body, count);
}

/// As `for_each_counted` for each part, in one launch, if a gate is open; else no call is made. Parts must not depend on
/// each other.
template <class Gate, int... Widths, class... Bodies>
void for_each_counted_if(const cuda_resources& res, const Gate& gate, const counted_part<Widths, Bodies>&... parts) {
  constexpr std::size_t count = sizeof...(Widths);
  const std::size_t most = std::max({detail::blocks_for(parts.limit, Widths)...});
  if (most == 0) return;
  const std::size_t blocks = std::min(most, count * std::max({detail::fair_blocks<Bodies>()...}));
  const auto kernel = &detail::counted_kernel<Gate, counted_part<Widths, Bodies>...>;
  detail::launch(res, {blocks + 2 * detail::dealt_blocks<count>::spare, detail::block_threads, 0}, kernel,
                 res.next_start(), gate, parts...);
}

/// The same in any case.
template <int... Widths, class... Bodies>
void for_each_counted_of(const cuda_resources& res, const counted_part<Widths, Bodies>&... parts) {
  for_each_counted_if(res, open_gate{}, parts...);
}

/// As `for_each_tile` for a number of calls that the device knows: `*count`, at most `limit`, once the work before it
/// on the stream is done. @param likely how many calls are likely: the launch is made for so many
template <int Width, class Body>
void for_each_counted(const cuda_resources& res, const std::uint32_t* count, std::size_t limit, const Body& body,
                      std::size_t likely = ~std::size_t{0}) {
  const counted_part<Width, Body> part{count, limit, body};
  if (limit == 0) return;
  const std::size_t calls = std::min(limit, std::max(likely, std::size_t{1}));
  const std::size_t blocks = std::min(detail::fair_blocks<Body>(), detail::blocks_for(calls, Width));
  detail::launch(res, {blocks, detail::block_threads, 0}, &detail::counted_kernel<open_gate, counted_part<Width, Body>>,
                 res.next_start(), open_gate{}, part);
}

/// As `for_each_tile`, for bodies that contend for memory with their neighbours: those do not run at the same time.
template <int Width, class Body>
void for_each_scattered(const cuda_resources& res, std::size_t count, const Body& body) {
  using scattered = detail::scattered_body<Body>;
  const std::size_t stride = (count + scattered::scatter_rows - 1) / scattered::scatter_rows;
  for_each_tile<Width>(res, stride * scattered::scatter_rows, scattered{body, count, stride});
}

/// As `for_each_tile`; the hardware's scheduler shares uneven work out by itself.
template <int Width, class Body>
void for_each_task(const cuda_resources& res, std::size_t count, const Body& body) {
  for_each_tile<Width>(res, count, body);
}

}  // namespace mangrove
