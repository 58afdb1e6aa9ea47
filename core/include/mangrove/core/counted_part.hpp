#pragma once

#include <cstddef>
#include <cstdint>

namespace mangrove {

/// One of several loops that `for_each_counted_of` runs side by side: `body(tile, i)` for i in [0, *count).
/// @tparam Width lanes of its tiles
template <int Width, class Body>
struct counted_part {
  static constexpr int width = Width;

  const std::uint32_t* count;  ///< in the backend's memory; counted by the work before
  std::size_t limit;           ///< `*count` is at most this
  Body body;
};

}  // namespace mangrove
