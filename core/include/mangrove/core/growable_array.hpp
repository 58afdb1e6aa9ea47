#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include "mangrove/core/error.hpp"
#include "mangrove/core/mapped_region.hpp"

namespace mangrove {

/// An array in a backend's memory that grows in place: elements never move, so pointers stay valid.
///
/// New elements are zero bytes. Growing costs the pages mapped, not the elements held.
template <backend B, class T>
class growable_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// @param capacity the most elements it may ever hold; only addresses are set aside for them
  /// @param beyond elements after the last that may be read as well; what they hold means nothing
  growable_array(const resources<B>& res, std::size_t capacity, std::size_t beyond = 0)
      : region_(res, (capacity + beyond) * sizeof(T)), capacity_(capacity), beyond_(beyond) {}

  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(region_.data()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return region_.committed(); }
  /// Elements that there is memory for.
  [[nodiscard]] std::size_t room() const noexcept {
    const std::size_t all = region_.committed() / sizeof(T);
    return all < beyond_ ? 0 : std::min(capacity_, all - beyond_);
  }

  /// Makes sure that growing to `count` elements cannot fail. @throws memory_error with the array as it was
  void reserve(std::size_t count) {
    if (count > capacity_) {
      throw memory_error("an array cannot grow to " + std::to_string(count) + " elements: it was made for at most " +
                         std::to_string(capacity_));
    }
    region_.commit((count + beyond_) * sizeof(T));
  }

  /// Grows to `count` elements; never shrinks.
  void grow(std::size_t count) {
    if (count <= size_) return;
    reserve(count);
    size_ = count;
  }

 private:
  detail::region<B> region_;
  std::size_t capacity_;
  std::size_t beyond_;
  std::size_t size_ = 0;
};

}  // namespace mangrove
