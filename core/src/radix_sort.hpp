#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/run_in_parts.hpp"

namespace mangrove::detail {

/// Sorts 64-bit keys by a few of their bits, stably: by one digit, or by the lower and then the upper one of two.
/// Beats sorting by comparisons where that will do.
class radix_sort {
  static constexpr int digit_bits = 12;

 public:
  /// Bits for which it is worth while.
  static constexpr int most_bits = 2 * digit_bits;

  /// @param spare room for as many keys again
  radix_sort(const cpu_resources& res, std::uint64_t* keys, std::uint64_t* spare, std::size_t count)
      : res_(res),
        keys_(keys),
        moved_(spare),
        count_(count),
        chunks_(count < parallel_minimum ? 1 : static_cast<std::size_t>(res.threads())),
        low_(std::make_unique_for_overwrite<digit_places[]>(chunks_)),
        high_(std::make_unique_for_overwrite<digit_places[]>(chunks_)) {}

  /// Sorts by the bits [first_bit, last_bit).
  void run(int first_bit, int last_bit) {
    const int width = last_bit - first_bit;
    if (width <= digit_bits) {
      const digit only(first_bit, width);
      count(keys_, only, low_);
      move(keys_, moved_, only, low_);
      each_chunk([this](auto, auto first, auto last) { std::copy(moved_ + first, moved_ + last, keys_ + first); });
      return;
    }
    const int low_width = width - width / 2;  // the first pass finds more in the cache
    const digit low(first_bit, low_width);
    const digit high(first_bit + low_width, width - low_width);
    if (chunks_ == 1) {
      count_both(low, high);
    } else {
      count(keys_, low, low_);
    }
    move(keys_, moved_, low, low_);
    if (chunks_ != 1) count(moved_, high, high_);  // a chunk has other keys now
    move(moved_, keys_, high, high_);
  }

 private:
  /// To wake the threads four times takes longer than they gain with 2^14 keys, but not with 2^17.
  static constexpr std::size_t parallel_minimum = std::size_t{1} << 16;

  /// Keys from which some of the memory that they go to is not in the cache.
  static constexpr std::size_t cached_keys = std::size_t{1} << 16;

  struct digit {
    int shift;
    std::uint64_t mask;

    digit(int first_bit, int width) : shift(first_bit), mask((std::uint64_t{1} << width) - 1) {}
    [[nodiscard]] std::uint64_t of(std::uint64_t key) const { return key >> shift & mask; }
  };
  /// By digit: first how many keys of a chunk have it, then where the next one goes.
  using digit_places = std::array<std::uint32_t, std::size_t{1} << digit_bits>;

  using places_of_chunks = std::unique_ptr<digit_places[]>;

  static void clear(digit_places& places, digit by) { std::fill_n(places.begin(), by.mask + 1, 0); }

  template <class F>
  void each_chunk(const F& f) {
    if (chunks_ == 1) return f(std::size_t{0}, std::size_t{0}, count_);
    run_each(res_, chunks_, [&](std::size_t k) { f(k, count_ * k / chunks_, count_ * (k + 1) / chunks_); });
  }

  void count(const std::uint64_t* from, digit by, const places_of_chunks& places) {
    each_chunk([from, by, &places](auto chunk, auto first, auto last) {
      digit_places& own = places[chunk];
      clear(own, by);
      for (std::size_t i = first; i < last; ++i) ++own[by.of(from[i])];
    });
  }

  /// The same for two digits in one pass, which serves where one chunk is all.
  void count_both(digit low, digit high) {
    clear(low_[0], low);
    clear(high_[0], high);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t key = keys_[i];
      ++low_[0][low.of(key)];
      ++high_[0][high.of(key)];
    }
  }

  /// @param places counts
  void move(const std::uint64_t* from, std::uint64_t* to, digit by, const places_of_chunks& places) {
    std::uint32_t next = 0;
    for (std::size_t value = 0; value <= by.mask; ++value) {
      for (std::size_t chunk = 0; chunk < chunks_; ++chunk) next += std::exchange(places[chunk][value], next);
    }
    const auto move_all = [&]<bool Asks>(std::bool_constant<Asks>) {
      each_chunk([from, to, by, &places](auto chunk, auto first, auto last) {
        move_chunk<Asks>(from + first, from + last, to, by, places[chunk]);
      });
    };
    if (count_ < cached_keys) {
      move_all(std::false_type());
    } else {
      move_all(std::true_type());
    }
  }

  /// @tparam Asks whether to ask for the memory that a digit's next keys go to, which is in no cache
  template <bool Asks>
  static void move_chunk(const std::uint64_t* first, const std::uint64_t* last, std::uint64_t* to, digit by,
                         digit_places& places) {
    for (; first != last; ++first) {
      std::uint64_t* const place = to + places[by.of(*first)]++;
      *place = *first;
      if constexpr (Asks) prefetch(place + 8);
    }
  }

  const cpu_resources& res_;
  std::uint64_t* keys_;
  std::uint64_t* moved_;
  std::size_t count_;
  std::size_t chunks_;
  places_of_chunks low_;   ///< by chunk
  places_of_chunks high_;  ///< by chunk
};

}  // namespace mangrove::detail
