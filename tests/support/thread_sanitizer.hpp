#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

/// @file
/// What tests leave out under ThreadSanitizer, which slows them down to a tenth: it looks for races, and those come up
/// in the first few of many turns, and for the first few of many types. The other builds leave out nothing.

namespace mangrove::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif

template <class All, class Indices>
struct types_at;
template <class All, std::size_t... I>
struct types_at<All, std::index_sequence<I...>> {
  using type = testing::Types<std::tuple_element_t<I, All>...>;
};

/// A typed suite's types; the first `Few`, between them, take every path that differs in how threads meet.
template <std::size_t Few, class... All>
using types_to_test =
    typename types_at<std::tuple<All...>, std::make_index_sequence<thread_sanitizer ? Few : sizeof...(All)>>::type;

/// How often a test does what it usually does so many times.
constexpr std::uint32_t repetitions(std::uint32_t usual) {
  return thread_sanitizer ? (usual + 4) / 5 : usual;
}

}  // namespace mangrove::test
