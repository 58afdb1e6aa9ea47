#pragma once

#include <type_traits>
#include <utility>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/transfer.hpp"

namespace mangrove {

/// One object that kernels write and the host reads, made to be read often and soon.
template <backend B, class T>
class mirrored {
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(sizeof(T) <= detail::most_mailed, "it would be copied, which takes longer");

 public:
  /// @throws memory_error
  explicit mirrored(const resources<B>& res) : object_(res, 1) {}

  /// The object, in the backend's memory.
  [[nodiscard]] T* data() noexcept { return object_.data(); }

  /// Makes the object all zero, unless `take` has done so.
  void clear(const resources<B>& res) {
    if (!std::exchange(is_zero_, false)) fill_bytes(res, object_.data(), 0, 1);
  }

  /// The object as it is after all work before. Waits.
  /// @param meanwhile what the host does before it waits for the device; on the CPU nobody waits, and it is left out
  [[nodiscard]] T fetch(const resources<B>& res, const detail::pastime& meanwhile = {}) {
    return read(res, detail::leave::as_it_is, meanwhile);
  }

  /// As `fetch`, and makes the object all zero, as the next batch wants it; `put` brings it back.
  [[nodiscard]] T take(const resources<B>& res, const detail::pastime& meanwhile = {}) {
    const T taken = read(res, detail::leave::zero, meanwhile);
    is_zero_ = true;
    return taken;
  }

  /// Gives the object a value, before all work that is queued after.
  void put(const resources<B>& res, const T& value) {
    is_zero_ = false;
    copy(res, object_.data(), &value, 1);
  }

 private:
  T read(const resources<B>& res, detail::leave what, const detail::pastime& meanwhile) {
    T seen;
    detail::read_object(res, &seen, object_.data(), sizeof(T), what, meanwhile);
    return seen;
  }

  buffer<B, T> object_;
  bool is_zero_ = false;
};

}  // namespace mangrove
