#pragma once

#include <cstddef>

#include "mangrove/core/detail/cuda_check.hpp"
#include "mangrove/core/resources.hpp"

/// @file
/// Launching kernels so that the start of one overlaps the end of the one before: on devices of compute capability 9.0
/// and later a kernel's blocks are put in place while the kernel before still runs, and wait there for its end.

namespace mangrove::detail {

/// What every kernel that `launch` starts does first: waits for the one before, and lets the next one be put in place.
/// In this order: the next one may begin at once, and must find all done that was queued before this one.
__device__ inline void begin_kernel(kernel_start start = kernel_start::after_last) {
#if __CUDA_ARCH__ >= 900
  if (start == kernel_start::after_last) asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// What a kernel does last that may have begun beside the one before: it is done after that one, so that what comes
/// next waits for both.
__device__ inline void end_kernel(kernel_start start) {
#if __CUDA_ARCH__ >= 900
  if (start == kernel_start::beside_last) asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
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

/// Blocks of a launch whose work is dealt out to them evenly: about 8 for each of 132 multiprocessors, and so many that
/// all of them are busy to the end.
template <class Body>
constexpr std::size_t fair_blocks() {
  constexpr int at_once = blocks_at_once<Body>() == 0 ? 8 : blocks_at_once<Body>();
  static_assert(at_once <= 8, "no block would be launched");
  return 132 * (8 / at_once * at_once);
}

struct launch_shape {
  std::size_t blocks;
  int threads;        ///< of a block
  int scratch_bytes;  ///< of a block
};

/// Queues a kernel that begins with `begin_kernel` on the stream of `res`. @throws backend_error
template <class... Parameters, class... Arguments>
void launch(const cuda_resources& res, const launch_shape& shape, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
  res.activate();
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t how{};
  how.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  how.blockDim = dim3(static_cast<unsigned>(shape.threads));
  how.dynamicSmemBytes = static_cast<std::size_t>(shape.scratch_bytes);
  how.stream = res.stream();
  how.attrs = &overlap;
  how.numAttrs = res.overlaps_kernels() ? 1 : 0;
  cuda_check(cudaLaunchKernelEx(&how, kernel, Parameters(arguments)...), "launch a kernel");
}

}  // namespace mangrove::detail
