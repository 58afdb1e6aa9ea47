#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/transfer.hpp"

namespace mangrove::test {

/// Resources of a backend: two threads, or the first device.
template <backend B>
resources<B> make_resources(std::shared_ptr<memory_resource> memory = nullptr) {
  if constexpr (std::same_as<B, cpu>) {
    return cpu_resources(2, memory != nullptr ? std::move(memory) : default_host_memory());
  } else {
    return cuda_resources(0, std::move(memory));
  }
}

/// Memory of the backend that a test can make refuse.
template <backend B>
std::shared_ptr<limited_memory> make_limited_memory() {
  if constexpr (std::same_as<B, cpu>) {
    return std::make_shared<limited_memory>(default_host_memory());
  } else {
    return std::make_shared<limited_memory>(default_device_memory(0));
  }
}

template <class Resources>
struct backend_of;
template <>
struct backend_of<cpu_resources> {
  using type = cpu;
};
template <>
struct backend_of<cuda_resources> {
  using type = cuda;
};

/// A copy of a host vector in the backend's memory.
template <class Resources, class T>
auto upload(const Resources& res, const std::vector<T>& values) {
  auto copied = make_buffer<typename backend_of<Resources>::type>(res, values.data(), values.size());
  res.synchronize();
  return copied;
}

template <class Resources, class Buffer>
auto download(const Resources& res, const Buffer& values) {
  return to_host(res, values.data(), values.size());
}

/// Calls `attempt` with memory that refuses the first, the second, ... request, until it succeeds.
/// @param unchanged is called after each refusal
template <class Attempt, class Unchanged>
void refuse_every_request(limited_memory& memory, const Attempt& attempt, const Unchanged& unchanged) {
  for (std::uint64_t granted = 0;; ++granted) {
    ASSERT_LT(granted, 1000U) << "never succeeds";
    memory.refuse_after(granted);
    bool refused = false;
    try {
      attempt();
    } catch (const memory_error&) {
      refused = true;
    }
    memory.refuse_after(limited_memory::unlimited);
    if (!refused) return;
    unchanged();
  }
}

}  // namespace mangrove::test
