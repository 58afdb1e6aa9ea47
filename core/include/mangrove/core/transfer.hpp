#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "mangrove/core/resources.hpp"

/// @file
/// Moving bytes: within a backend's memory, and between it and the host. Calls are ordered by the resources' stream;
/// `copy` from or to pageable host memory returns once the host side may be reused.

namespace mangrove {

namespace detail {
void copy_bytes(const cpu_resources& res, void* to, const void* from, std::size_t bytes);
void copy_bytes(const cuda_resources& res, void* to, const void* from, std::size_t bytes);
void fill_bytes(const cpu_resources& res, void* to, int value, std::size_t bytes);
void fill_bytes(const cuda_resources& res, void* to, int value, std::size_t bytes);

/// What becomes of an object once it is read.
enum class leave { as_it_is, zero };

/// What the host does while it waits for a device, where it has one to wait for; must not wait itself.
using pastime = std::function<void()>;

/// Bytes of an object that comes back from a device without a copy by its engine, which would take several times as
/// long.
inline constexpr std::size_t most_mailed = 4096;

/// Copies a small object of the backend's memory to the host. Waits for all work before.
void read_object(const cpu_resources& res, void* to, void* object, std::size_t bytes, leave what,
                 const pastime& meanwhile = {});
void read_object(const cuda_resources& res, void* to, void* object, std::size_t bytes, leave what,
                 const pastime& meanwhile = {});
}  // namespace detail

/// Copies `count` elements; either side may be host memory or the backend's.
template <class Resources, class T>
void copy(const Resources& res, T* to, const T* from, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count != 0) detail::copy_bytes(res, to, from, count * sizeof(T));
}

/// Sets every byte of `count` elements in the backend's memory.
template <class Resources, class T>
void fill_bytes(const Resources& res, T* to, int value, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count != 0) detail::fill_bytes(res, static_cast<void*>(to), value, count * sizeof(T));
}

/// Copies `count` elements of the backend's memory to the host and waits for them.
template <class Resources, class T>
std::vector<T> to_host(const Resources& res, const T* from, std::size_t count) {
  std::vector<T> host(count);
  copy(res, host.data(), from, count);
  res.synchronize();
  return host;
}

/// Reads one element of the backend's memory. Waits for all work before it.
template <class Resources, class T>
T read_back(const Resources& res, const T* from) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  detail::read_object(res, &value, const_cast<T*>(from), sizeof(T), detail::leave::as_it_is);
  return value;
}

}  // namespace mangrove
