#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "mangrove/core/error.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/transfer.hpp"

namespace mangrove {

/// An owning, fixed-size, uninitialised array in a backend's memory. Movable, not copyable.
///
/// Freed in stream order, so a buffer may go out of scope while kernels that use it are still queued.
template <backend B, class T>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  buffer() = default;

  /// @throws memory_error when memory is refused
  buffer(const resources<B>& res, std::size_t count) : resources_(std::make_unique<resources<B>>(res)), size_(count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw memory_error("an array of " + std::to_string(count) + " elements is larger than any memory");
    }
    if (count != 0) data_ = static_cast<T*>(res.memory().allocate(count * sizeof(T), res.stream()));
    allocated_ = count;
  }

  buffer(buffer&& other) noexcept { swap(other); }
  buffer& operator=(buffer&& other) noexcept {
    buffer(std::move(other)).swap(*this);
    return *this;
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;
  ~buffer() {
    if (data_ != nullptr) resources_->memory().deallocate(data_, allocated_ * sizeof(T), resources_->stream());
  }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Makes the array shorter, where its size was not known when it was made. The memory stays the buffer's.
  /// @param count at most `size()`
  void truncate(std::size_t count) noexcept { size_ = count; }

  /// The memory will be freed once the work that is queued on these resources is done, not those that it was asked of:
  /// for who uses it last there. Waits for that work if they have another source of memory.
  void free_in_order_of(const resources<B>& res) {
    if (data_ == nullptr) return;
    if (&res.memory() == &resources_->memory()) {
      *resources_ = res;
    } else {
      res.synchronize();
    }
  }

  void swap(buffer& other) noexcept {
    std::swap(resources_, other.resources_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(allocated_, other.allocated_);
  }

 private:
  std::unique_ptr<resources<B>> resources_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t allocated_ = 0;  ///< elements
};

/// A buffer that holds a copy of `count` elements, read from the host or the backend's memory.
template <backend B, class T>
buffer<B, T> make_buffer(const resources<B>& res, const T* from, std::size_t count) {
  buffer<B, T> result(res, count);
  copy(res, result.data(), from, count);
  return result;
}

}  // namespace mangrove
