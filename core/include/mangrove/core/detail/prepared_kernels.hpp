#pragma once

#include <mutex>
#include <unordered_set>

namespace mangrove::detail {

/// Kernels that the driver knows to need more than others: to tell it anew for each launch takes a quarter of a
/// microsecond. Thread-safety: may be used from several threads at once.
class prepared_kernels {
 public:
  /// Calls `prepare()` unless that has been done for the kernel; if it throws, the next call tries again.
  template <class F>
  void once(const void* kernel, F prepare) {
    const std::lock_guard lock(busy_);
    if (known_.contains(kernel)) return;
    prepare();
    known_.insert(kernel);
  }

 private:
  std::mutex busy_;
  std::unordered_set<const void*> known_;
};

}  // namespace mangrove::detail
