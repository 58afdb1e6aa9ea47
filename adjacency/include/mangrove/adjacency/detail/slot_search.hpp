#pragma once

#include <cstdint>

namespace mangrove::detail {

/// No slot of a bucket.
inline constexpr std::uint32_t no_slot = ~std::uint32_t{0};

/// What a search of a bucket for a key comes to.
struct slot_search {
  std::uint32_t slot;  ///< where the key is, or `no_slot`
  bool ends;           ///< without the key: whether there is an empty slot, so that the key is in no other bucket
};

/// What a search by one lane for a key, or for a slot that can take it, comes to.
struct place_search {
  std::uint32_t slot;  ///< where the key is, or `no_slot`
  std::uint32_t free;  ///< without the key: a slot of the first sector that can take it, or `no_slot`
  bool roomy;          ///< whether the sector of that slot has an empty slot
  bool ends;           ///< without the key: as in `slot_search`
  /// Without the key: all slots of that sector that can take it, as bits from its first slot on. For a lane alone.
  std::uint32_t free_slots = 0;
};

}  // namespace mangrove::detail
