#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

/// @file
/// What tests leave out under sanitizers, which slow them down, and their compilation. ThreadSanitizer looks for races,
/// and those come up in the first few of many turns; AddressSanitizer with UndefinedBehaviorSanitizer looks for
/// accesses that are out of place, which depend on how wide keys and values are, and little on what they mean. The
/// other builds leave out nothing.

namespace mangrove::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

inline constexpr bool sanitized = thread_sanitizer || address_sanitizer;

/// How many of a list's first types are tested under sanitizers.
struct types_kept {
  std::size_t by_threads;  ///< these take, between them, every path that differs in how threads meet
  std::size_t by_widths;   ///< these differ in how wide keys and values are

  constexpr types_kept(std::size_t under_both) : by_threads(under_both), by_widths(under_both) {}
  constexpr types_kept(std::size_t threads, std::size_t widths) : by_threads(threads), by_widths(widths) {}

  /// Of `all`, in this build.
  [[nodiscard]] constexpr std::size_t here(std::size_t all) const {
    if (thread_sanitizer) return by_threads;
    return address_sanitizer ? by_widths : all;
  }
};

template <class All, class Indices>
struct types_at;
template <class All, std::size_t... I>
struct types_at<All, std::index_sequence<I...>> {
  using type = testing::Types<std::tuple_element_t<I, All>...>;
};

/// A typed suite's types.
template <types_kept Kept, class... All>
using types_to_test = typename types_at<std::tuple<All...>, std::make_index_sequence<Kept.here(sizeof...(All))>>::type;

/// How often a test does what it usually does so many times.
constexpr std::uint32_t repetitions(std::uint32_t usual) {
  return sanitized ? (usual + 4) / 5 : usual;
}

}  // namespace mangrove::test
