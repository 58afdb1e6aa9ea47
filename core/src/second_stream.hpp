#pragma once

#include <memory>
#include <mutex>

#include "mangrove/core/resources.hpp"

namespace mangrove::detail {

/// A stream for work beside another one's, made when it is first asked for. Thread-safety: may be used from several
/// threads at once.
class second_stream {
 public:
  /// @throws backend_error
  std::shared_ptr<CUstream_st> get(const cuda_resources& res);

 private:
  std::mutex busy_;
  std::shared_ptr<CUstream_st> stream_;
};

}  // namespace mangrove::detail
