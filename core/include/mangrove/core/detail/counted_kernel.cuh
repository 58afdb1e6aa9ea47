#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/counted_part.hpp"
#include "mangrove/core/detail/block_sums.cuh"
#include "mangrove/core/detail/launch.cuh"
#include "mangrove/core/tile.cuh"
#include "mangrove/core/tile_part.hpp"
#include "mangrove/core/unrolled.hpp"

/// @file
/// The kernel of loops whose number of calls the device has counted, several of which may share a launch.

namespace mangrove::detail {

inline constexpr int block_threads = 256;

/// Waits until a gate is decided, all threads of a block together.
template <class Gate>
__device__ void wait_for(const Gate& gate) {
  if (!gate.is_late()) return;
  if (threadIdx.x == 0) gate.wait();
  __syncthreads();
}

/// The same. @return whether it is open
template <class Gate>
__device__ bool pass(const Gate& gate) {
  wait_for(gate);
  return gate.is_open();
}

/// A block among those that share a loop.
struct block_share {
  std::uint32_t rank;
  std::uint32_t blocks;
};

/// Makes a thread's calls of a body, `loop(take)` with `take(call)` for each, and books what they sum up to. Warps that
/// go in step do not keep sums from one call to the next, which takes registers.
template <class Body, class Loop>
__device__ void call_all(const Body& body, Loop loop) {
  if constexpr (summing_body<Body>) {
    const block_sums<typename Body::sums_type> sums;
    if constexpr (body_in_step<Body>) {
      loop([&](auto call) { sums.add(call()); });
    } else {
      typename Body::sums_type own;
      loop([&own](auto call) { own += call(); });
      sums.add(own);
    }
    sums.book(body);
  } else {
    loop([](auto call) { call(); });
  }
}

/// What a block has of a part: calls `first` and every `step`-th after it for each tile. Numbers are of 32 bits, as the
/// count is, for there are few registers.
template <int Width, class Body, class Gate>
struct part_share {
  const counted_part<Width, Body>& part;
  const Gate& gate;
  std::uint32_t end;  ///< all calls
  std::uint32_t first;
  std::uint32_t step;
};

/// Makes the calls of a body that asks first.
template <int Width, class Body, class Gate>
__device__ void ask_and_call(const part_share<Width, Body, Gate>& own) {
  const auto tile = cuda_tile<Width>::this_tile();
  typename Body::asked_type asked{};
  if (own.first < own.end) asked = own.part.body.ask(own.first);
  if (!pass(own.gate)) return;
  call_all(own.part.body, [&](auto take) {
    for (std::uint32_t i = own.first; i < own.end; asked = own.part.body.ask(i)) {
      take([&] { return own.part.body(tile, asked); });
      if (own.end - i <= own.step) break;
      i += own.step;
    }
  });
}

/// Makes the calls of any other body.
template <int Width, class Body, class Gate>
__device__ void call_each(const part_share<Width, Body, Gate>& own) {
  constexpr std::uint32_t together = body_in_step<Body> ? 32 / Width : 1;  // tiles that call as long as one does
  const std::uint32_t leader = own.first / together * together;
  const std::uint32_t calls = leader < own.end ? (own.end - leader - 1) / own.step + 1 : 0;
  if (!pass(own.gate)) return;
  const auto run = [&](auto call) {
    call_all(own.part.body, [&](auto take) {
      for (std::uint32_t left = calls, i = own.first; left != 0; --left, i += own.step) take([&] { return call(i); });
    });
  };
  if constexpr (body_in_step<Body>) {
    const auto warp = cuda_tile<32>::this_tile();
    const tile_part<cuda_tile<32>, Width> tile(warp);
    run([&](std::uint32_t i) { return own.part.body(tile, i, i < own.end); });
  } else {
    const auto tile = cuda_tile<Width>::this_tile();
    run([&](std::uint32_t i) {
      if constexpr (summing_body<Body>) {
        return own.part.body(tile, i);
      } else {
        own.part.body(tile, i);
        tile.sync();  // lanes that were done first would go on by themselves, and take each step many times over
      }
    });
  }
}

/// What a block does for a part of `end` calls, if the gate is open.
template <int Width, class Body, class Gate>
__device__ void run_part(const counted_part<Width, Body>& part, const Gate& gate, std::uint32_t end,
                         const block_share& share) {
  constexpr std::uint32_t tiles_per_block = block_threads / Width;
  const std::uint32_t first = share.rank * tiles_per_block + threadIdx.x / Width;
  const part_share<Width, Body, Gate> own{part, gate, end, first, share.blocks * tiles_per_block};
  if constexpr (asking_body<Body>) {
    ask_and_call(own);
  } else {
    call_each(own);
  }
}

/// Blocks of a launch for each of N parts, by how much these have to do.
template <int N>
struct dealt_blocks {
  std::uint32_t of[N];

  /// What rounding may take: each part's share is rounded up, and sums of floats err.
  static constexpr std::uint32_t spare = 2 * N;

  /// @param rounds of calls that a part has, each as many as a block makes at a time
  __device__ explicit dealt_blocks(const std::uint32_t (&rounds)[N]) {
    float all = 0;
    unrolled<N>([&](int k) { all += static_cast<float>(rounds[k]); });
    const float each = all == 0 ? 0 : static_cast<float>(gridDim.x - spare) / all;
    unrolled<N>([&](int k) {
      const std::uint32_t fair = static_cast<std::uint32_t>(each * static_cast<float>(rounds[k])) + 1;
      of[k] = fair < rounds[k] ? fair : rounds[k];
    });
  }
};

/// Rounds of so many calls of a part, each as many as a block makes at a time.
template <int Width, class Body>
constexpr std::uint32_t rounds_of(const counted_part<Width, Body>&, std::uint32_t count) {
  constexpr std::uint32_t tiles_per_block = block_threads / Width;
  return count / tiles_per_block + (count % tiles_per_block != 0 ? 1 : 0);
}

/// A block works for one part, and each part has its share of blocks: a launch for few calls needs few.
template <class Gate, class... Parts>
__global__ void __launch_bounds__(block_threads, std::max({blocks_at_once<typename Parts::body_type>()...}))
    counted_kernel(kernel_start start, Gate gate, Parts... parts) {
  begin_kernel(start);
  if (!gate.lets_ask()) wait_for(gate);
  const std::uint32_t counts[] = {*parts.count...};
  int k = 0;
  if constexpr (sizeof...(Parts) == 1) {
    (run_part(parts, gate, counts[k], {blockIdx.x, gridDim.x}), ...);
  } else {
    const std::uint32_t rounds[] = {rounds_of(parts, counts[k++])...};
    const dealt_blocks<sizeof...(Parts)> blocks(rounds);
    std::uint32_t rank = blockIdx.x;  // among the blocks of the parts that are left; past all of them once it is found
    k = 0;
    const auto run_if_ours = [&](const auto& part) {
      const std::uint32_t share = blocks.of[k];
      if (rank < share) run_part(part, gate, counts[k], {rank, share});
      rank -= share;
      ++k;
    };
    (run_if_ours(parts), ...);
  }
  end_kernel(start);
}

}  // namespace mangrove::detail
