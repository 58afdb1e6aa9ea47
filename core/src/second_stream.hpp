#pragma once

#include <memory>
#include <mutex>

#include "mangrove/core/resources.hpp"

namespace mangrove::detail {

/// A stream for work beside another one's, and the event by which either waits for the other, made when they are first
/// asked for. Thread-safety: may be used from several threads at once.
class second_stream {
 public:
  /// @throws backend_error
  std::shared_ptr<CUstream_st> get(const cuda_resources& res);

  /// Lets what is queued with some resources from here on wait for all that has been queued with others.
  /// @throws backend_error
  void let_wait(const cuda_resources& waiting, const cuda_resources& others);

 private:
  std::mutex busy_;
  std::shared_ptr<CUstream_st> stream_;
  std::shared_ptr<CUevent_st> reached_;
};

}  // namespace mangrove::detail
