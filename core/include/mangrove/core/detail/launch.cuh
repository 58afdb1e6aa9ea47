#pragma once

#include <cstddef>

#include "mangrove/core/detail/cuda_check.hpp"
#include "mangrove/core/detail/prepared_kernels.hpp"
#include "mangrove/core/resources.hpp"

/// @file
/// Launching kernels so that the start of one overlaps the end of the one before: on devices of compute capability 9.0
/// and later a kernel's blocks are put in place while the kernel before still runs, and wait there for its end.

namespace mangrove::detail {

/// Waits for the kernel before.
__device__ inline void wait_for_last() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel be put in place, once all blocks have come here.
__device__ inline void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// What kernels that `launch` starts do first: wait for the one before, and let the next one be put in place. In this
/// order: the next one may begin at once, and must find all done that was queued before this one.
__device__ inline void begin_kernel(kernel_start start = kernel_start::after_last) {
  if (start == kernel_start::after_last) wait_for_last();
  let_next_begin();
}

/// What a kernel does last that may have begun beside the one before: it is done after that one, so that what comes
/// next waits for both.
__device__ inline void end_kernel(kernel_start start) {
  if (start == kernel_start::beside_last) wait_for_last();
}

/// Blocks that a multiprocessor shall have room for, whatever that takes of registers: for bodies that ask by a member
/// `blocks_at_once`. 0 leaves it to the compiler.
template <class Body>
constexpr int blocks_at_once() {
  if constexpr (requires { Body::blocks_at_once; }) {
    return Body::blocks_at_once;
  } else {
    return 0;
  }
}

/// Whether some calls of a body are much more work than others: bodies tell by a member `uneven`.
template <class Body>
constexpr bool is_uneven() {
  return requires {
    Body::uneven;
  };
}

/// Blocks of a launch whose work is dealt out to them evenly: about 8 for each of 132 multiprocessors, and so many that
/// all of them are busy to the end. Where calls differ, more: others take the place of those that are done first.
template <class Body>
constexpr std::size_t fair_blocks() {
  constexpr int at_once = blocks_at_once<Body>() == 0 ? 8 : blocks_at_once<Body>();
  constexpr int rounds = is_uneven<Body>() ? 4 : 8 / at_once;
  static_assert(rounds != 0, "no block would be launched");
  return std::size_t{132} * rounds * at_once;
}

/// Lets a kernel have so much scratch. @throws backend_error
template <class... Parameters>
void allow_scratch(const cuda_resources& res, void (*kernel)(Parameters...), int bytes) {
  constexpr int unasked = 48 * 1024;  // a kernel may have as much without asking for more
  if (bytes <= unasked) return;
  res.kernels().once(reinterpret_cast<const void*>(kernel), [&] {
    res.activate();
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
               "get scratch for a kernel");
  });
}

/// Whether blocks may wait for each other: then the launch fails unless the device has room for all at once.
enum class block_order { independent, together };

struct launch_shape {
  std::size_t blocks;
  int threads;        ///< of a block
  int scratch_bytes;  ///< of a block
  block_order order = block_order::independent;
};

/// Queues a kernel that begins with `begin_kernel` or `wait_for_last` on the stream of `res`. @throws backend_error
template <class... Parameters, class... Arguments>
void launch(const cuda_resources& res, const launch_shape& shape, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
  res.activate();
  cudaLaunchAttribute wanted[2] = {};
  unsigned count = 0;
  if (res.overlaps_kernels()) {
    wanted[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    wanted[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (shape.order == block_order::together) {
    wanted[count].id = cudaLaunchAttributeCooperative;
    wanted[count++].val.cooperative = 1;
  }
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  how.blockDim = dim3(static_cast<unsigned>(shape.threads));
  how.dynamicSmemBytes = static_cast<std::size_t>(shape.scratch_bytes);
  how.stream = res.stream();
  how.attrs = wanted;
  how.numAttrs = count;
  cuda_check(cudaLaunchKernelEx(&how, kernel, Parameters(arguments)...), "launch a kernel");
}

}  // namespace mangrove::detail
