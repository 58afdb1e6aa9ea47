#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string>

#include "mangrove/core/error.hpp"

namespace mangrove::detail {

/// Turns a failed CUDA call into an exception that says what was being done, and where.
inline void cuda_check(cudaError_t status, const char* doing,
                       const std::source_location& where = std::source_location::current()) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  const std::string message = std::string("CUDA failed to ") + doing + ": " + cudaGetErrorString(status) + " (" +
                              where.file_name() + ":" + std::to_string(where.line()) + ")";
  if (status == cudaErrorMemoryAllocation) throw memory_error(message);
  throw backend_error(message);
}

}  // namespace mangrove::detail
