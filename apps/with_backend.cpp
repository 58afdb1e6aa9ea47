#include "apps/with_backend.hpp"

#include <fmt/format.h>

#include <fstream>

#include "mangrove/core/error.hpp"

namespace mangrove::app {

namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace

std::string device_name(const cpu_resources& res) {
  return fmt::format("{}, {} {}", processor_name(), res.threads(), res.threads() == 1 ? "thread" : "threads");
}

#if defined(MANGROVE_HAS_CUDA)

std::string device_name(const cuda_resources& res) {
  return cuda_device_name(res.device());
}

bool use_cuda(backend_choice choice) {
  if (choice == backend_choice::cpu) return false;
  if (cuda_device_count() > 0) return true;
  if (choice == backend_choice::automatic) return false;
  throw backend_error("--backend cuda: no usable NVIDIA GPU and driver were found; --backend cpu works without");
}

#else

bool use_cuda(backend_choice choice) {
  if (choice != backend_choice::cuda) return false;
  throw backend_error(
      "--backend cuda: this program was built without CUDA; build it where a CUDA toolkit is, or use --backend cpu");
}

#endif

}  // namespace mangrove::app
