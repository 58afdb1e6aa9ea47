#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "each_chunk.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/resources.hpp"

namespace mangrove::detail {

/// Keys in an array, as a radix sort reads and writes them.
struct key_array {
  std::uint64_t* keys;

  [[nodiscard]] std::uint64_t get(std::size_t i) const { return keys[i]; }
  void put(std::size_t i, std::uint64_t key) const { keys[i] = key; }
  /// Asks for the memory of key i, for writing.
  void ask(std::size_t i) const { prefetch(keys + i); }
};

/// Sorts 64-bit keys by a few of their bits, stably: by one digit, or by the lower and then the upper one of two.
/// Beats sorting by comparisons where that will do.
class radix_sort {
  static constexpr int digit_bits = 12;

 public:
  /// Bits for which it is worth while.
  static constexpr int most_bits = 2 * digit_bits;

  static constexpr bool takes_one_pass(int bits) { return bits <= digit_bits; }

  radix_sort(const cpu_resources& res, std::size_t count)
      : res_(res),
        count_(count),
        chunks_(count < parallel_minimum ? 1 : static_cast<std::size_t>(res.threads())),
        low_(std::make_unique_for_overwrite<digit_places[]>(chunks_)),
        high_(std::make_unique_for_overwrite<digit_places[]>(chunks_)) {}

  /// Sorts an array by the bits [first_bit, last_bit). @param spare room for as many keys again
  void run(std::uint64_t* keys, std::uint64_t* spare, int first_bit, int last_bit) {
    const key_array own{keys};
    const key_array moved{spare};
    if (!takes_one_pass(last_bit - first_bit)) return run(own, moved, own, first_bit, last_bit);
    run(own, moved, first_bit, last_bit);
    in_chunks([keys, spare](auto, auto first, auto last) { std::copy(spare + first, spare + last, keys + first); });
  }

  /// Sorts by one digit, from memory to other memory.
  template <class From, class To>
  void run(const From& from, const To& to, int first_bit, int last_bit) {
    const digit only(first_bit, last_bit - first_bit);
    count(from, only, low_);
    move(from, to, only, low_);
  }

  /// Sorts by two. @param spare room for as many keys @param to may be where they come from
  template <class From, class To>
  void run(const From& from, const key_array& spare, const To& to, int first_bit, int last_bit) {
    const int width = last_bit - first_bit;
    const int low_width = width - width / 2;  // the first pass finds more in the cache
    const digit low(first_bit, low_width);
    const digit high(first_bit + low_width, width - low_width);
    if (chunks_ == 1) {
      count_both(from, low, high);
    } else {
      count(from, low, low_);
    }
    move(from, spare, low, low_);
    if (chunks_ != 1) count(spare, high, high_);  // a chunk has other keys now
    move(spare, to, high, high_);
  }

 private:
  /// Of a batch, two threads sort 2^14 keys in more time than one, 2^17 in less.
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
  void in_chunks(const F& f) {
    each_chunk(res_, chunks_, count_, f);
  }

  template <class From>
  void count(const From& from, digit by, const places_of_chunks& places) {
    in_chunks([from, by, &places](auto chunk, auto first, auto last) {
      digit_places& own = places[chunk];
      clear(own, by);
      for (std::size_t i = first; i < last; ++i) ++own[by.of(from.get(i))];
    });
  }

  /// The same for two digits in one pass, which serves where one chunk is all.
  template <class From>
  void count_both(const From& from, digit low, digit high) {
    clear(low_[0], low);
    clear(high_[0], high);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t key = from.get(i);
      ++low_[0][low.of(key)];
      ++high_[0][high.of(key)];
    }
  }

  /// @param places counts
  template <class From, class To>
  void move(const From& from, const To& to, digit by, const places_of_chunks& places) {
    std::uint32_t next = 0;
    for (std::size_t value = 0; value <= by.mask; ++value) {
      for (std::size_t chunk = 0; chunk < chunks_; ++chunk) next += std::exchange(places[chunk][value], next);
    }
    const auto move_all = [&]<bool Asks>(std::bool_constant<Asks>) {
      in_chunks([from, to, by, &places](auto chunk, auto first, auto last) {
        move_chunk<Asks>(from, first, last, to, by, places[chunk]);
      });
    };
    if (count_ < cached_keys) {
      move_all(std::false_type());
    } else {
      move_all(std::true_type());
    }
  }

  /// @tparam Asks whether to ask for the memory that a digit's next keys go to, which is in no cache
  template <bool Asks, class From, class To>
  static void move_chunk(const From& from, std::size_t first, std::size_t last, const To& to, digit by,
                         digit_places& places) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint64_t key = from.get(i);
      const std::uint32_t place = places[by.of(key)]++;
      to.put(place, key);
      if constexpr (Asks) to.ask(place + 8);
    }
  }

  const cpu_resources& res_;
  std::size_t count_;
  std::size_t chunks_;
  places_of_chunks low_;   ///< by chunk
  places_of_chunks high_;  ///< by chunk
};

}  // namespace mangrove::detail
