#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace mangrove::test {

/// The seed of this run's random tests: MANGROVE_TEST_SEED, or another one each time.
inline std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* const wanted = std::getenv("MANGROVE_TEST_SEED");
    return wanted == nullptr ? std::uint64_t{std::random_device()()} : std::strtoull(wanted, nullptr, 10);
  }();
  return seed;
}

/// A source of random numbers; failures in its scope name the seed that repeats them.
class seeded_random {
 public:
  using result_type = std::mt19937_64::result_type;

  seeded_random() : trace_(__FILE__, __LINE__, "MANGROVE_TEST_SEED=" + std::to_string(test_seed())) {}

  static constexpr result_type min() { return std::mt19937_64::min(); }
  static constexpr result_type max() { return std::mt19937_64::max(); }
  result_type operator()() { return engine_(); }
  /// A number below `bound`.
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }

 private:
  std::mt19937_64 engine_{test_seed()};
  testing::ScopedTrace trace_;
};

}  // namespace mangrove::test
