#pragma once

#include <tbb/global_control.h>
#include <tbb/info.h>

#include "apps/command_line.hpp"

namespace mangrove::app {

/// Holds all parallel work of the program to the threads that the user allows, while it lives; allows as many as asked
/// for even beyond the machine's.
class thread_limit {
 public:
  explicit thread_limit(const common_options& options)
      : control_(tbb::global_control::max_allowed_parallelism,
                 static_cast<std::size_t>(options.threads != 0 ? options.threads : tbb::info::default_concurrency())) {}

 private:
  tbb::global_control control_;
};

}  // namespace mangrove::app
