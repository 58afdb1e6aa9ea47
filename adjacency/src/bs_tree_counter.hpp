#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace mangrove::detail {

/// A count that many threads change: each adds to a cache line of its own, as far as there are enough.
template <bool Shared>
class bs_tree_counter {
 public:
  void add(std::ptrdiff_t change) {
    if constexpr (Shared) {
      lines_[my_line()].count.fetch_add(change, std::memory_order_relaxed);
    } else {
      lines_[0].count += change;
    }
  }

  /// Exact when nobody changes it meanwhile.
  [[nodiscard]] std::size_t value() const {
    std::ptrdiff_t sum = 0;
    for (const line& each : lines_) sum += each.count;
    return static_cast<std::size_t>(sum);
  }

 private:
  static std::size_t my_line() {
    static std::atomic<std::size_t> next{0};
    thread_local const std::size_t mine = next++ % lines;
    return mine;
  }

  using number = std::conditional_t<Shared, std::atomic<std::ptrdiff_t>, std::ptrdiff_t>;
  static constexpr std::size_t lines = Shared ? 64 : 1;
  struct alignas(64) line {
    number count{0};
  };
  std::array<line, lines> lines_{};
};

}  // namespace mangrove::detail
