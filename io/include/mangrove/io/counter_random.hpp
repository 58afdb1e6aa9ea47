#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"
#include "mangrove/core/hash.hpp"

/// @file
/// Random numbers that are a function of a seed and a position. What is made from them is the same whatever the
/// number of threads, the order of work and the backend; everything is in integers for the same reason.

namespace mangrove::io {

/// An endless sequence of random 64-bit numbers, of which any one can be asked for.
class counter_random {
 public:
  /// @param stream tells sequences of one seed apart
  MANGROVE_HOST_DEVICE constexpr counter_random(std::uint64_t seed, std::uint64_t stream)
      : key_(mix(mix(seed + step) + stream * step)) {}

  /// The number at `position`. Cost: a few multiplications.
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t position) const {
    return mix(key_ + position * step);
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15ULL;  // 2^64 over the golden ratio

  std::uint64_t key_;
};

/// A probability as the number of 32-bit values that count as a hit.
class probability {
 public:
  /// @param p in [0, 1]
  constexpr explicit probability(double p) : hits_(static_cast<std::uint64_t>(p * 4294967296.0)) {}

  /// Whether a random 64-bit number is a hit; its upper half decides.
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr bool hit(std::uint64_t random) const { return random >> 32 < hits_; }

  /// How many of the 2^32 values are hits.
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr std::uint64_t hits() const { return hits_; }

 private:
  std::uint64_t hits_;
};

/// A random permutation of [0, count), of which any one element can be asked for.
class random_permutation {
 public:
  MANGROVE_HOST_DEVICE constexpr random_permutation(std::uint64_t seed, std::uint64_t stream, std::uint64_t count)
      : random_(seed, stream), count_(count) {
    while (bits_ < 63 && std::uint64_t{1} << bits_ < count) ++bits_;
  }

  /// Where `x` goes. @pre x < count. Cost: two rounds of mixing in the mean, at most.
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t x) const {
    // A bijection of the next power of two; following it until it comes back into the range is one of the range.
    do x = scramble(x);
    while (x >= count_);
    return x;
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr std::uint64_t scramble(std::uint64_t x) const {
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    const int shift = bits_ / 2 + 1;
    for (std::uint64_t round = 0; round < 3; ++round) {
      x = (x * (random_(2 * round) | 1) + random_(2 * round + 1)) & mask;
      x ^= x >> shift;
    }
    return x;
  }

  counter_random random_;
  std::uint64_t count_;
  int bits_ = 0;
};

}  // namespace mangrove::io
