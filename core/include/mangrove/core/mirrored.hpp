#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "mangrove/core/buffer.hpp"

namespace mangrove {

namespace detail {
/// Host memory that the device can copy to without a detour. @throws memory_error
std::shared_ptr<void> pinned_bytes(const cuda_resources& res, std::size_t bytes);
}  // namespace detail

/// One object that kernels write and the host reads, made to be fetched often and soon. On the CPU both are one.
template <backend B, class T>
class mirrored {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// @throws memory_error
  explicit mirrored(const resources<B>& res) : object_(res, 1) {
    if constexpr (std::is_same_v<B, cuda>) pinned_ = detail::pinned_bytes(res, sizeof(T));
  }

  /// The object, in the backend's memory.
  [[nodiscard]] T* data() noexcept { return object_.data(); }

  void clear(const resources<B>& res) { fill_bytes(res, object_.data(), 0, 1); }

  /// The object as it is after all work before; valid until the next call. Waits.
  const T& fetch(const resources<B>& res) {
    if constexpr (std::is_same_v<B, cuda>) {
      copy(res, static_cast<T*>(pinned_.get()), object_.data(), 1);
      res.synchronize();
    }
    return last();
  }

  /// What `fetch` gave last. Does not wait.
  [[nodiscard]] const T& last() const noexcept {
    if constexpr (std::is_same_v<B, cuda>) {
      return *static_cast<const T*>(pinned_.get());
    } else {
      return *object_.data();
    }
  }

 private:
  buffer<B, T> object_;
  std::shared_ptr<void> pinned_;
};

}  // namespace mangrove
