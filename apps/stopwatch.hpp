#pragma once

#include <chrono>

namespace mangrove::app {

/// Wall time since it was made or last restarted.
class stopwatch {
 public:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(clock::now() - start_).count(); }

  /// The time until now; the next one starts here.
  double lap() {
    const auto now = clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

}  // namespace mangrove::app
