#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// Where a row of keys holds one.
struct key_match {
  std::uint32_t lanes;  ///< bits of the lanes that do; at most one but in a row that changes meanwhile
  std::uint32_t own;    ///< per lane: which of its slots, if any

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_hit() const { return lanes != 0; }
};

/// A key that a row has to take.
template <class Key>
struct new_key {
  Key key;
  Key before;    ///< per lane: the last one of the lane before
  bool follows;  ///< per lane: whether that is below the new key, or there is no such lane
};

}  // namespace mangrove::detail
