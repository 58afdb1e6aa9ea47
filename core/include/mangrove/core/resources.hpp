#pragma once

#include <memory>
#include <string>

#include "mangrove/core/backend.hpp"
#include "mangrove/core/memory_resource.hpp"

struct CUstream_st;

namespace mangrove {

class thread_arena;

/// Where and how the CPU backend works: a set of threads and a source of host memory.
///
/// A cheap handle: copies share the threads. Thread-safety: may be used from several threads at once.
class cpu_resources {
 public:
  /// @param threads how many threads work, 0 for all that the process may use
  /// @param memory where host memory comes from
  /// @throws usage_error when `threads` is negative
  explicit cpu_resources(int threads = 0, std::shared_ptr<memory_resource> memory = default_host_memory());

  [[nodiscard]] int threads() const noexcept { return threads_; }
  [[nodiscard]] memory_resource& memory() const noexcept { return *memory_; }
  [[nodiscard]] void* stream() const noexcept { return nullptr; }

  /// Waits for submitted work; CPU work is done when its call returns, so this does nothing.
  void synchronize() const noexcept {}

  /// The threads; `core/thread_arena.hpp` says what can be done with them.
  [[nodiscard]] thread_arena& arena() const noexcept { return *arena_; }

 private:
  int threads_;
  std::shared_ptr<memory_resource> memory_;
  std::shared_ptr<thread_arena> arena_;
};

/// Where and how the CUDA backend works: a device, a stream on it and a source of device memory.
///
/// A cheap handle: copies share the stream. Work is ordered by the stream. Thread-safety: as the stream's, which is to
/// say that calls from several threads interleave in an order that nobody chose.
class cuda_resources {
 public:
  /// Makes a stream of its own on `device`.
  /// @param device the CUDA device's number, as `cudaGetDeviceCount` counts them
  /// @param memory where device memory comes from; null for the device's stream-ordered pool
  /// @throws backend_error when there is no such device or no usable driver
  explicit cuda_resources(int device = 0, std::shared_ptr<memory_resource> memory = nullptr);

  /// Works on a stream that the caller owns and keeps alive (see `from_raft` in `core/raft.cuh`).
  cuda_resources(int device, CUstream_st* stream, std::shared_ptr<memory_resource> memory = nullptr);

  [[nodiscard]] int device() const noexcept { return device_; }
  [[nodiscard]] CUstream_st* stream() const noexcept { return stream_.get(); }
  [[nodiscard]] memory_resource& memory() const noexcept { return *memory_; }

  /// Whether the device can put a kernel in place before the one before it on the stream has ended.
  [[nodiscard]] bool overlaps_kernels() const noexcept { return overlaps_kernels_; }

  /// Waits until all work submitted to the stream is done. @throws backend_error when some of it failed
  void synchronize() const;

  /// Makes the device current for the calling thread.
  void activate() const;

 private:
  int device_;
  std::shared_ptr<CUstream_st> stream_;
  std::shared_ptr<memory_resource> memory_;
  bool overlaps_kernels_;
};

/// How many CUDA devices this process can use; 0 without a driver. Never throws.
int cuda_device_count() noexcept;

/// The marketing name of a CUDA device, such as "NVIDIA H200".
std::string cuda_device_name(int device);

namespace detail {
template <backend B>
struct resources_for {
  using type = cpu_resources;
};
template <>
struct resources_for<cuda> {
  using type = cuda_resources;
};
}  // namespace detail

/// The resources that go with a backend tag.
template <backend B>
using resources = typename detail::resources_for<B>::type;

}  // namespace mangrove
