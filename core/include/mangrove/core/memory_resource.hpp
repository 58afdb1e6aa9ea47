#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace mangrove {

/// Where a backend's memory comes from: an interface to implement for pools, limits or accounting.
///
/// Thread-safety: implementations must allow concurrent calls. Every function that may refuse throws `memory_error`.
class memory_resource {
 public:
  virtual ~memory_resource() = default;

  /// @param bytes at least 1
  /// @param stream the CUDA stream on which the memory is first used; null for host memory
  /// @return memory of the backend (device or host), aligned to 256 bytes
  virtual void* allocate(std::size_t bytes, void* stream) = 0;

  /// Returns what `allocate(bytes, ...)` gave; on CUDA, once the work already in `stream` is done.
  virtual void deallocate(void* pointer, std::size_t bytes, void* stream) noexcept = 0;

  /// Asked before a growable array or a slab pool maps `bytes` more; throws to refuse.
  virtual void commit(std::size_t bytes) { static_cast<void>(bytes); }

  /// Told after mapped memory was given back, or when a granted `commit` was not used.
  virtual void uncommit(std::size_t bytes) noexcept { static_cast<void>(bytes); }
};

/// The process's ordinary host memory.
std::shared_ptr<memory_resource> default_host_memory();

/// A CUDA device's stream-ordered pool, which keeps what is freed for the next request. Part of `mangrove::cuda`.
/// @throws backend_error when there is no such device
std::shared_ptr<memory_resource> default_device_memory(int device);

/// A resource that passes requests on and refuses what exceeds a budget of bytes or of requests.
///
/// Used to bound an application, and to test what happens when memory is refused at any point.
class limited_memory : public memory_resource {
 public:
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  explicit limited_memory(std::shared_ptr<memory_resource> upstream, std::uint64_t byte_limit = unlimited)
      : upstream_(std::move(upstream)), byte_limit_(byte_limit) {}

  void* allocate(std::size_t bytes, void* stream) override;
  void deallocate(void* pointer, std::size_t bytes, void* stream) noexcept override;
  void commit(std::size_t bytes) override;
  void uncommit(std::size_t bytes) noexcept override;

  /// From now on, `count` requests are granted and all later ones refused; `unlimited` grants all.
  void refuse_after(std::uint64_t count) noexcept { requests_left_ = count; }

  /// Bytes granted and not returned yet.
  [[nodiscard]] std::uint64_t bytes_in_use() const noexcept { return in_use_; }

 private:
  void take(std::size_t bytes);

  std::shared_ptr<memory_resource> upstream_;
  std::uint64_t byte_limit_;
  std::atomic<std::uint64_t> in_use_{0};
  std::atomic<std::uint64_t> requests_left_{unlimited};
};

}  // namespace mangrove
