#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/counted_part.hpp"
#include "mangrove/core/resources.hpp"
#include "mangrove/core/run_in_parts.hpp"
#include "mangrove/core/tile.hpp"

/// @file
/// Running a body over tiles that have fast memory of their own, on the CPU backend; `core/for_each_scratch.cuh` is the
/// same for CUDA.

namespace mangrove {

namespace detail {

/// What the stack of any thread has room for.
inline constexpr int largest_scratch = 256 * 1024;

template <int Width, int Bytes, class Body>
void run_with_scratch(const Body& body, std::size_t first, std::size_t last) {
  alignas(128) std::byte scratch[Bytes];
  const cpu_tile<Width> tile;
  const auto call = [&](std::size_t i) {
    if constexpr (preparing_body<Body, cpu_tile<Width>>) body.prepare(tile, i, static_cast<std::byte*>(scratch));
    return body(tile, i, static_cast<std::byte*>(scratch));
  };
  if constexpr (summing_body<Body>) {
    typename Body::sums_type sums;
    for (std::size_t i = first; i < last; ++i) sums += call(i);
    body.book(sums);
  } else {
    for (std::size_t i = first; i < last; ++i) call(i);
  }
}

/// `run_with_scratch` as a `part_function`.
template <int Width, int Bytes, class Body>
void run_with_scratch_of(const void* body, std::size_t first, std::size_t last) {
  run_with_scratch<Width, Bytes>(*static_cast<const Body*>(body), first, last);
}

}  // namespace detail

/// Calls `body(tile, i, scratch)` for every i in [0, count), on all threads of `res`, in no particular order. One call
/// may be much work: threads share even a few. What calls of a `summing_body` return is added up.
///
/// `scratch` is `Bytes` bytes for the tile alone, with undefined content at the start of each call: on CUDA shared
/// memory, here a piece of the stack. It is aligned to 128 bytes, or to the largest power of two that divides `Bytes`.
/// @tparam Width lanes of a tile: those of `for_each_tile`, or 64 to 1024, then with the members of
/// `core/for_each_scratch.cuh`'s block_tile only
template <int Width, int Bytes, class Body>
void for_each_tile_with_scratch(const cpu_resources& res, std::size_t count, const Body& body) {
  static_assert(Bytes > 0 && Bytes <= detail::largest_scratch);
  if (count <= 1 || res.threads() == 1) {
    if (count != 0) detail::run_with_scratch<Width, Bytes>(body, 0, count);
    return;
  }
  detail::run_in_parts(res, count, 1, &detail::run_with_scratch_of<Width, Bytes, Body>, &body);
}

/// As `for_each_tile_with_scratch` for a number of calls that earlier bodies have counted: `*count`, at most `limit`.
/// On CUDA a last argument may say how many are likely.
template <int Width, int Bytes, class Body>
void for_each_counted_with_scratch(const cpu_resources& res, const std::uint32_t* count, std::size_t limit,
                                   const Body& body, std::size_t = 0) {
  for_each_tile_with_scratch<Width, Bytes>(res, std::min<std::size_t>(*count, limit), body);
}

}  // namespace mangrove
