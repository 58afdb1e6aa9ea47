#pragma once

#include <cuda_runtime_api.h>

#include "mangrove/core/detail/cuda_check.hpp"
#include "mangrove/core/resources.hpp"

namespace mangrove::bench {

/// Seconds between two events on the stream, around all that `work` does: kernels, copies, and the host's waiting.
template <class Work>
double seconds_of(const cuda_resources& res, const Work& work) {
  cudaEvent_t start{};
  cudaEvent_t stop{};
  detail::cuda_check(cudaEventCreate(&start), "make an event");
  detail::cuda_check(cudaEventCreate(&stop), "make an event");
  detail::cuda_check(cudaEventRecord(start, res.stream()), "record an event");
  work();
  detail::cuda_check(cudaEventRecord(stop, res.stream()), "record an event");
  detail::cuda_check(cudaEventSynchronize(stop), "wait for an event");
  float milliseconds = 0;
  detail::cuda_check(cudaEventElapsedTime(&milliseconds, start, stop), "read events");
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return milliseconds * 1e-3;
}

}  // namespace mangrove::bench
