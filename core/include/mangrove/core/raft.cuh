#pragma once

#include <cuda/stream_ref>
#include <raft/core/resource/cuda_stream.hpp>
#include <raft/core/resource/device_id.hpp>
#include <raft/core/resources.hpp>
#include <rmm/mr/per_device_resource.hpp>
#include <rmm/resource_ref.hpp>

#include <memory>
#include <new>
#include <string>

#include "mangrove/core/error.hpp"
#include "mangrove/core/resources.hpp"

/// @file
/// For programs that already use RAFT: Mangrove on RAFT's device and stream, with RMM's memory.

namespace mangrove {

/// Device memory from an RMM resource, such as a pool that the program shares with other RAPIDS libraries.
class rmm_memory final : public memory_resource {
 public:
  /// @param upstream must outlive every container that is made with this memory
  explicit rmm_memory(rmm::device_async_resource_ref upstream) : upstream_(upstream) {}

  void* allocate(std::size_t bytes, void* stream) override {
    try {
      return upstream_.allocate(view_of(stream), bytes, alignment);
    } catch (const std::bad_alloc& refusal) {
      throw memory_error("RMM refused " + std::to_string(bytes) + " bytes of device memory: " + refusal.what());
    }
  }

  void deallocate(void* pointer, std::size_t bytes, void* stream) noexcept override {
    upstream_.deallocate(view_of(stream), pointer, bytes, alignment);
  }

 private:
  static constexpr std::size_t alignment = 256;

  static ::cuda::stream_ref view_of(void* stream) { return ::cuda::stream_ref(static_cast<cudaStream_t>(stream)); }

  rmm::device_async_resource_ref upstream_;
};

/// Resources that work on RAFT's device and stream, with memory from RMM's current resource of that device.
/// @param handle must outlive the result and everything made with it
inline cuda_resources from_raft(const raft::resources& handle) {
  return {raft::resource::get_device_id(handle), raft::resource::get_cuda_stream(handle).get(),
          std::make_shared<rmm_memory>(rmm::mr::get_current_device_resource_ref())};
}

}  // namespace mangrove
