#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/for_each_scratch.hpp"
#include "mangrove/core/phase.hpp"

/// @file
/// Running a body over tiles that all meet between its phases, on the CPU backend; `core/for_each_phase.cuh` is the
/// same for CUDA.

namespace mangrove {

namespace detail {

/// A phase as a body of its own; each tile's scratch is where the phases before left it.
template <int P, int Bytes, class Body>
struct phase_alone {
  const Body& body;
  std::byte* scratch;

  template <class Tile>
  void operator()(const Tile& tile, std::size_t i, std::byte*) const {
    body(phase<P>(), tile, i, scratch + i * Bytes);
  }
};

/// The same for the last phase of a body whose calls return sums.
template <int P, int Bytes, class Body>
struct summing_phase : phase_alone<P, Bytes, Body> {
  using sums_type = typename Body::sums_type;

  template <class Tile>
  sums_type operator()(const Tile& tile, std::size_t i, std::byte*) const {
    return this->body(phase<P>(), tile, i, this->scratch + i * Bytes);
  }
  void book(const sums_type& all) const { this->body.book(all); }
};

}  // namespace detail

/// How many tiles `for_each_tile_in_phases` can have.
template <int Width, int Bytes, phased_body Body>
std::size_t most_tiles_in_phases(const cpu_resources&) {
  return ~std::size_t{0};
}

/// Calls `body(phase<P>(), tile, i, scratch)` for every i in [0, count) and every P in [0, Body::phases). A phase
/// begins when the one before has ended for all i, and sees what it wrote. What a call leaves in its scratch is there
/// in the next phase. What calls of the last phase of a `summing_body` return is added up.
///
/// On CUDA that is one launch, whose tiles are all in place together: `count` is at most `most_tiles_in_phases`.
/// @tparam Width lanes of a tile, 64 to 1024 @tparam Bytes of a tile's scratch, as `for_each_tile_with_scratch` says
/// @param met a word in the backend's memory that is zero: CUDA's tiles meet there. What loops of `independent_loops`
/// that begin beside the last phase read of the phases before, they see after they have read this word by
/// `load_acquire`
template <int Width, int Bytes, phased_body Body>
void for_each_tile_in_phases(const cpu_resources& res, std::size_t count, const Body& body, std::uint32_t* met) {
  static_cast<void>(met);
  buffer<cpu, std::byte> scratch(res, count * Bytes);
  detail::run_phases<Body>([&]<int P>(phase<P>) {
    if constexpr (summing_body<Body> && P == Body::phases - 1) {
      const detail::summing_phase<P, Bytes, Body> last{{body, scratch.data()}};
      for_each_tile_with_scratch<Width, 1>(res, count, last);
    } else {
      for_each_tile_with_scratch<Width, 1>(res, count, detail::phase_alone<P, Bytes, Body>{body, scratch.data()});
    }
  });
}

}  // namespace mangrove
