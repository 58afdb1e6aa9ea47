#pragma once

#include <cstddef>
#include <vector>

#include "mangrove/core/resources.hpp"

/// @file
/// A range of virtual addresses that memory is mapped into as it is needed: growth copies nothing and moves nothing.

namespace mangrove::detail {

/// What newly mapped memory holds.
enum class fresh_memory {
  zeros,
  anything  ///< for owners who write all that they read; to clear it takes the device as long as to fill it
};

/// Host addresses, reserved with mmap; huge pages are asked for. Mapped memory always starts out as zeros.
class host_region {
 public:
  /// Reserves `capacity` bytes of addresses. @throws memory_error
  host_region(const cpu_resources& res, std::size_t capacity, fresh_memory holds = fresh_memory::zeros);
  host_region(host_region&& other) noexcept;
  host_region& operator=(host_region&& other) noexcept;
  ~host_region();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t committed() const noexcept { return committed_; }

  /// Makes at least the first `bytes` usable. @throws memory_error with the region as it was
  void commit(std::size_t bytes);

 private:
  cpu_resources resources_;
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t committed_ = 0;
};

/// Device addresses, reserved with cuMemAddressReserve, memory mapped by cuMemMap.
class device_region {
 public:
  device_region(const cuda_resources& res, std::size_t capacity, fresh_memory holds = fresh_memory::zeros);
  device_region(device_region&& other) noexcept;
  device_region& operator=(device_region&& other) noexcept;
  ~device_region();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t committed() const noexcept { return committed_; }

  void commit(std::size_t bytes);

 private:
  struct chunk {
    unsigned long long handle;
    std::size_t bytes;
  };
  void release() noexcept;
  void map_chunk(std::size_t bytes);

  cuda_resources resources_;
  fresh_memory holds_;
  std::byte* data_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t committed_ = 0;
  std::size_t granularity_ = 0;
  std::vector<chunk> chunks_;
};

template <backend B>
struct region_for {
  using type = host_region;
};
template <>
struct region_for<cuda> {
  using type = device_region;
};
template <backend B>
using region = typename region_for<B>::type;

}  // namespace mangrove::detail
