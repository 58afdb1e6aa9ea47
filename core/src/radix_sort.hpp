#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/thread_arena.hpp"

namespace mangrove::detail {

/// Sorts 64-bit keys by a few of their bits, stably: the lowest digit first, one counting and one moving pass a digit.
/// Beats sorting by comparisons where one or two digits will do.
class radix_sort {
 public:
  /// Bits for which it is worth while.
  static constexpr int most_bits = 22;

  /// @throws memory_error
  radix_sort(const cpu_resources& res, std::uint64_t* keys, std::size_t count)
      : res_(res),
        keys_(keys),
        count_(count),
        chunks_(count < parallel_minimum ? 1 : static_cast<std::size_t>(res.threads())),
        moved_(res, count),
        offsets_(chunks_) {}

  /// Sorts by the bits [first_bit, last_bit).
  void run(int first_bit, int last_bit) {
    const int digits = std::max(1, (last_bit - first_bit + digit_bits - 1) / digit_bits);
    std::uint64_t* from = keys_;
    std::uint64_t* to = moved_.data();
    for (int k = 0; k < digits; ++k) {
      const int begin = first_bit + (last_bit - first_bit) * k / digits;
      const int end = first_bit + (last_bit - first_bit) * (k + 1) / digits;
      move_by_digit(from, to, begin, (std::uint64_t{1} << (end - begin)) - 1);
      std::swap(from, to);
    }
    if (from != keys_)
      each_chunk([&](auto, auto first, auto last) { std::copy(from + first, from + last, to + first); });
  }

 private:
  static constexpr int digit_bits = 11;
  static constexpr std::size_t parallel_minimum = std::size_t{1} << 13;
  using digit_counts = std::array<std::uint32_t, std::size_t{1} << digit_bits>;

  template <class F>
  void each_chunk(const F& f) {
    if (chunks_ == 1) return f(std::size_t{0}, std::size_t{0}, count_);
    res_.arena().run([&] {
      tbb::parallel_for(std::size_t{0}, chunks_,
                        [&](std::size_t k) { f(k, count_ * k / chunks_, count_ * (k + 1) / chunks_); });
    });
  }

  void move_by_digit(const std::uint64_t* from, std::uint64_t* to, int shift, std::uint64_t mask) {
    each_chunk([this, from, shift, mask](auto chunk, auto first, auto last) {
      digit_counts& counts = offsets_[chunk];
      std::fill_n(counts.begin(), mask + 1, 0);
      count_digits(from + first, from + last, counts, shift, mask);
    });
    std::uint32_t next = 0;
    for (std::size_t digit = 0; digit <= mask; ++digit) {
      for (digit_counts& counts : offsets_) next += std::exchange(counts[digit], next);
    }
    each_chunk([this, from, to, shift, mask](auto chunk, auto first, auto last) {
      move_keys(from + first, from + last, to, offsets_[chunk], shift, mask);
    });
  }

  static void count_digits(const std::uint64_t* first, const std::uint64_t* last, digit_counts& counts, int shift,
                           std::uint64_t mask) {
    for (; first != last; ++first) ++counts[*first >> shift & mask];
  }

  /// Asks for the memory that a digit's next keys go to, which is in no cache.
  static void move_keys(const std::uint64_t* first, const std::uint64_t* last, std::uint64_t* to, digit_counts& places,
                        int shift, std::uint64_t mask) {
    for (; first != last; ++first) {
      std::uint64_t* const place = to + places[*first >> shift & mask]++;
      *place = *first;
      prefetch(place + 8);
    }
  }

  const cpu_resources& res_;
  std::uint64_t* keys_;
  std::size_t count_;
  std::size_t chunks_;
  buffer<cpu, std::uint64_t> moved_;
  std::vector<digit_counts> offsets_;  ///< by chunk: first its keys' count by digit, then where they go
};

}  // namespace mangrove::detail
