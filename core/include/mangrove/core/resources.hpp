#pragma once

#include <memory>
#include <string>
#include <utility>

#include "mangrove/core/backend.hpp"
#include "mangrove/core/memory_resource.hpp"

struct CUstream_st;

namespace mangrove {

class thread_arena;

/// When a kernel begins: after the one before it on the stream, or beside it, once all that was queued before that one
/// is done.
enum class kernel_start { after_last, beside_last };

namespace detail {
class mailbox;
class prepared_kernels;
class second_stream;
}  // namespace detail

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

  /// Work is done where it is asked for, so there is nothing to work beside, nor to wait for.
  [[nodiscard]] const cpu_resources& on_second_stream() const noexcept { return *this; }
  void wait_for(const cpu_resources&) const noexcept {}

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

  /// When the next kernel that is queued with these resources begins.
  [[nodiscard]] kernel_start next_start() const noexcept {
    if (group_ == nullptr) return kernel_start::after_last;
    return std::exchange(*group_, kernel_start::beside_last);
  }

  /// The same stream, for the kernels of a group. @param next_start of its next kernel; must outlive the result
  [[nodiscard]] cuda_resources in_group(kernel_start& next_start) const {
    cuda_resources same = *this;
    same.group_ = &next_start;
    return same;
  }

  /// The same on a second stream of the device, which all copies of these resources share.
  [[nodiscard]] cuda_resources on_second_stream() const;

  /// What is queued on the stream from here on waits for all that has been queued on another one of the same device.
  /// @throws backend_error
  void wait_for(const cuda_resources& other) const;

  /// How small objects come back from the device.
  [[nodiscard]] detail::mailbox& mail() const noexcept { return *mail_; }

  /// What the driver has been told about kernels.
  [[nodiscard]] detail::prepared_kernels& kernels() const noexcept { return *kernels_; }

  /// Waits until all work submitted to the stream is done. @throws backend_error when some of it failed
  void synchronize() const;

  /// Makes the device current for the calling thread.
  void activate() const;

 private:
  int device_;
  std::shared_ptr<CUstream_st> stream_;
  std::shared_ptr<memory_resource> memory_;
  std::shared_ptr<detail::mailbox> mail_;
  std::shared_ptr<detail::prepared_kernels> kernels_;
  std::shared_ptr<detail::second_stream> second_;
  bool overlaps_kernels_;
  kernel_start* group_ = nullptr;
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

/// Loops that may run side by side: none reads or writes what another one writes. On CUDA each begins where the one
/// before leaves room, and whatever is queued after the last one waits for all; on the CPU they run one after the
/// other. Loops of `for_each_tile` wait for the one before them all the same: what ends a kernel that need not costs
/// registers, and they are the loops that many short searches are made by.
template <backend B>
class independent_loops {
 public:
  /// @param first when the first one begins
  explicit independent_loops(const resources<B>& res, kernel_start first = kernel_start::after_last)
      : next_start_(first), res_(in_group(res)) {}
  independent_loops(const independent_loops&) = delete;
  independent_loops& operator=(const independent_loops&) = delete;

  /// What to queue each of them with.
  [[nodiscard]] const resources<B>& res() const noexcept { return res_; }

 private:
  const cpu_resources& in_group(const cpu_resources& res) { return res; }
  cuda_resources in_group(const cuda_resources& res) { return res.in_group(next_start_); }

  kernel_start next_start_;
  resources<B> res_;
};

}  // namespace mangrove
