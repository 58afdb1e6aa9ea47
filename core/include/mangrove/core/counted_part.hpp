#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove {

/// N numbers that the calls of a body add up to.
template <int N>
struct call_sums {
  static constexpr int size = N;

  std::uint32_t of[N] = {};

  MANGROVE_HOST_DEVICE call_sums& operator+=(const call_sums& other) {
    for (int k = 0; k < N; ++k) of[k] += other.of[k];
    return *this;
  }
};

/// A body whose calls return `call_sums`, which are added up over all lanes, says so: with the sums of many calls
/// `body.book(sums)` is called, by many threads at the same time. For the loops whose number of calls is counted, and
/// those with scratch.
template <class Body>
concept summing_body = requires {
  typename Body::sums_type;
};

/// A body says so whose tiles, of less than a warp, go in step on CUDA: it is called as `body(part, i, is_there)` with
/// a `tile_part` of a warp, also for i at the end or beyond, where `is_there` is false, and where it may return no more
/// than zeros. For loops whose number of calls is counted.
template <class Body>
concept body_in_step = requires {
  requires Body::in_step;
};

/// A body for tiles with scratch says so whose calls can begin in scratch before the work that was queued before is
/// done: `body.prepare(tile, i, scratch)` comes before `body(tile, i, scratch)`, and may use no memory but scratch and
/// its members. On CUDA for tiles of more than a warp.
template <class Body, class Tile>
concept preparing_body = requires(const Body& body, const Tile& tile, std::size_t i, std::byte* scratch) {
  body.prepare(tile, i, scratch);
};

/// One of several loops that `for_each_counted_of` runs side by side: `body(tile, i)` for i in [0, *count).
/// @tparam Width lanes of its tiles
template <int Width, class Body>
struct counted_part {
  static constexpr int width = Width;
  using body_type = Body;

  const std::uint32_t* count;  ///< in the backend's memory; counted by the work before
  std::size_t limit;           ///< `*count` is at most this
  Body body;
};

/// A body says so, for one lane, that can ask for what a call reads before it is known whether calls are made: it is
/// called as `body(tile, body.ask(i))`. For loops whose number of calls is counted.
template <class Body>
concept asking_body = !body_in_step<Body> && requires {
  typename Body::asked_type;
};

/// Makes call i of a body.
template <class Body, class Tile>
MANGROVE_HOST_DEVICE auto make_call(const Body& body, const Tile& tile, std::size_t i) {
  if constexpr (asking_body<Body>) {
    return body(tile, body.ask(i));
  } else {
    return body(tile, i);
  }
}

/// What `for_each_counted_if` asks before it makes calls: one that is open. Others may be decided by work that still
/// goes on when the loop begins beside it.
struct open_gate {
  /// Whether it is known how many calls there are, and what these may ask for, although the gate may not be decided.
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr bool lets_ask() const { return true; }
  /// Whether it may not be decided when the loop begins.
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr bool is_late() const { return false; }
  /// Waits until it is decided. By one lane; others see what that one does once they have met.
  MANGROVE_HOST_DEVICE constexpr void wait() const {}
  /// Whether calls are made; the same for all who ask. @pre it is decided
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr bool is_open() const { return true; }
};

}  // namespace mangrove
