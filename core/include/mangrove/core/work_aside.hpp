#pragma once

#include <utility>

#include "mangrove/core/resources.hpp"

namespace mangrove {

/// Work beside what is queued on some resources: on CUDA it has a stream of its own, which begins where the other one
/// is at the time. For work that the host waits for while the device is busy with what does not depend on it. On the
/// CPU nothing is queued, and it is done where it is asked for.
///
/// Cost on CUDA: the host takes some 4 to 7 µs to begin and 2 to 4 to rejoin. Not thread-safe. Several for the same
/// resources, or copies of them, share the stream, and wait for each other more than they have to.
template <backend B>
class work_aside {
 public:
  /// @throws backend_error
  explicit work_aside(const resources<B>& res) : main_(res), aside_(res.on_second_stream()) { aside_.wait_for(main_); }
  work_aside(const work_aside&) = delete;
  work_aside& operator=(const work_aside&) = delete;
  ~work_aside() {
    try {
      rejoin();
    } catch (...) {
      return;  // the device has failed, which whoever waits for it is told
    }
  }

  /// What to queue the work with.
  [[nodiscard]] const resources<B>& res() const noexcept { return aside_; }

  /// What is queued from here on, on the resources that it was made for, waits for the work. @throws backend_error
  void rejoin() {
    if (std::exchange(open_, false)) main_.wait_for(aside_);
  }

 private:
  resources<B> main_;
  resources<B> aside_;
  bool open_ = true;
};

}  // namespace mangrove
