#pragma once

#include <string>
#include <type_traits>

#include "apps/command_line.hpp"
#include "mangrove/core/backend.hpp"
#include "mangrove/core/resources.hpp"

namespace mangrove::app {

/// The backend tag that goes with a type of resources.
template <class Resources>
using backend_of = std::conditional_t<std::is_same_v<Resources, cuda_resources>, cuda, cpu>;

/// The device as people name it: the processor and the number of threads, or the GPU.
std::string device_name(const cpu_resources& res);
std::string device_name(const cuda_resources& res);

/// Whether to work on CUDA. @throws backend_error it was asked for and is not there
bool use_cuda(backend_choice choice);

/// Calls `f(resources)` with those of the backend that the options choose. The program's only dispatch.
template <class F>
auto with_backend(const common_options& options, F f) {
#if defined(MANGROVE_HAS_CUDA)
  if (use_cuda(options.backend)) return f(cuda_resources());
#else
  static_cast<void>(use_cuda(options.backend));
#endif
  return f(cpu_resources(options.threads));
}

}  // namespace mangrove::app
