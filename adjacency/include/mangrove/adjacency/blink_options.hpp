#pragma once

#include <cstdint>

namespace mangrove {

/// How full the leaves of a B-link tree are made.
struct blink_options {
  double fill = 0.75;  ///< keys over slots in leaves that are built or split by batches; from 0.25 to 1
};

/// What a caller knows about the keys of a bulk build.
enum class key_sequence : std::uint8_t {
  unsorted,  ///< in any order; of equal keys the last one's value stays
  sorted     ///< ascending; of equal keys the last one's value stays
};

}  // namespace mangrove
