#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "mangrove/core/counted_part.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/run_in_parts.hpp"
#include "mangrove/core/tile.hpp"

/// @file
/// Running a body over tiles on the CPU backend; `core/for_each.cuh` is the same for CUDA.
///
/// Closures here name what they capture: g++ and nvcc order implicit captures differently, and a program that has this
/// header from both would read one layout as the other.

namespace mangrove {

/// A body that waits for memory says so: before `body(tile, i)` the CPU backend calls `body.prefetch<0>(i)`, then
/// `prefetch<1>(i)` and so on, for a group of operations at a time, so that their loads overlap.
template <class Body>
concept staged_body = requires {
  Body::prefetch_stages;
};

namespace detail {

/// Operations whose loads are in flight together, which hides the latency of memory.
inline constexpr std::size_t operations_in_flight = 40;

/// Operations below which starting threads costs more than it gains.
inline constexpr std::size_t parallel_grain = 1024;

template <int Stage, class Body>
void prefetch_group(const Body& body, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) body.template prefetch<Stage>(i);
}

template <class Body, int... Stages>
void prefetch_stages(const Body& body, std::size_t first, std::size_t last, std::integer_sequence<int, Stages...>) {
  (prefetch_group<Stages>(body, first, last), ...);
}

/// Calls `f(i)` for i in [first, last), what the body waits for being under way.
template <class Body, class F>
void run_staged(const Body& body, std::size_t first, std::size_t last, F f) {
  if constexpr (staged_body<Body>) {
    for (std::size_t group = first; group < last; group += operations_in_flight) {
      const std::size_t end = std::min(group + operations_in_flight, last);
      prefetch_stages(body, group, end, std::make_integer_sequence<int, Body::prefetch_stages>());
      for (std::size_t i = group; i < end; ++i) f(i);
    }
  } else {
    for (std::size_t i = first; i < last; ++i) f(i);
  }
}

/// What a loop calls: a copy of the body, which nothing that calls write can change, so that much of it stays in
/// registers; or the body itself, where a copy may be more than bytes.
template <class Body>
using called_body = std::conditional_t<std::is_trivially_copyable_v<Body>, const Body, const Body&>;

template <int Width, class Body>
void run_tiles(const Body& body, std::size_t first, std::size_t last) {
  const cpu_tile<Width> tile;
  called_body<Body> own = body;
  if constexpr (summing_body<Body>) {
    typename Body::sums_type sums;
    run_staged(own, first, last, [&sums, &own, &tile](std::size_t i) { sums += make_call(own, tile, i); });
    own.book(sums);
  } else {
    run_staged(own, first, last, [&own, &tile](std::size_t i) { make_call(own, tile, i); });
  }
}

/// `run_tiles` as a `part_function`.
template <int Width, class Body>
void run_tiles_of(const void* body, std::size_t first, std::size_t last) {
  run_tiles<Width>(*static_cast<const Body*>(body), first, last);
}

}  // namespace detail

/// Calls `body(tile, i)` for every i in [0, count), on all threads of `res`, in no particular order. A trivially
/// copyable body is copied for each part of them: what a call changes in it, is lost.
/// @tparam Width lanes of a tile; on the CPU a hint of how much work one operation is
template <int Width, class Body>
void for_each_tile(const cpu_resources& res, std::size_t count, const Body& body) {
  if (count <= detail::parallel_grain || res.threads() == 1) {
    detail::run_tiles<Width>(body, 0, count);
    return;
  }
  detail::run_in_parts(res, count, detail::parallel_grain, &detail::run_tiles_of<Width, Body>, &body);
}

/// As `for_each_tile` for a number of calls that earlier bodies have counted: `*count`, at most `limit`.
/// On CUDA a last argument may say how many are likely.
template <int Width, class Body>
void for_each_counted(const cpu_resources& res, const std::uint32_t* count, std::size_t limit, const Body& body,
                      std::size_t = 0) {
  for_each_tile<Width>(res, std::min<std::size_t>(*count, limit), body);
}

/// As `for_each_counted` for each part. Parts must not depend on each other: on CUDA they share one launch and run side
/// by side.
template <int... Widths, class... Bodies>
void for_each_counted_of(const cpu_resources& res, const counted_part<Widths, Bodies>&... parts) {
  (for_each_counted<Widths>(res, parts.count, parts.limit, parts.body), ...);
}

/// The same if a gate is open; else no call is made.
template <class Gate, int... Widths, class... Bodies>
void for_each_counted_if(const cpu_resources& res, const Gate& gate, const counted_part<Widths, Bodies>&... parts) {
  if (gate.is_late()) gate.wait();
  if (gate.is_open()) for_each_counted_of(res, parts...);
}

/// As `for_each_tile`. On CUDA neighbours, which may contend for memory, are kept apart; here they share caches.
template <int Width, class Body>
void for_each_scattered(const cpu_resources& res, std::size_t count, const Body& body) {
  for_each_tile<Width>(res, count, body);
}

/// Calls `body(tile, i)` for every i in [0, count) where one call may be much work: threads share even a few calls.
template <int Width, class Body>
void for_each_task(const cpu_resources& res, std::size_t count, const Body& body) {
  if (count <= 1 || res.threads() == 1) {
    detail::run_tiles<Width>(body, 0, count);
    return;
  }
  detail::run_in_parts(res, count, 1, &detail::run_tiles_of<Width, Body>, &body);
}

}  // namespace mangrove
