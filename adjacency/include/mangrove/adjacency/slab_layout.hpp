#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "mangrove/core/none.hpp"
#include "mangrove/core/slab_size.hpp"

namespace mangrove {

/// Where keys and values lie in an extent: all keys first, then all values, so that a probe reads keys alone.
///
/// @tparam Key an unsigned integer of 4 or 8 bytes
/// @tparam Value a trivially copyable type of 4 or 8 bytes, or `none`
template <class Key, class Value>
struct slab_layout {
  static_assert(std::is_unsigned_v<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8));
  static_assert(is_none<Value> || (std::is_trivially_copyable_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8)));

  static constexpr std::uint32_t value_bytes = is_none<Value> ? 0 : sizeof(Value);

  /// Bytes from an extent's start to the values, when it has `slots` slots.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t value_offset(std::uint32_t slots) {
    const std::uint32_t keys = slots * static_cast<std::uint32_t>(sizeof(Key));
    return value_bytes == 8 ? (keys + 7) / 8 * 8 : keys;
  }

  /// Slots that fit into `bytes`.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t slots(std::uint32_t bytes) {
    const std::uint32_t count = bytes / (static_cast<std::uint32_t>(sizeof(Key)) + value_bytes);
    return value_offset(count) + count * value_bytes > bytes ? count - 1 : count;
  }

  /// Slots of one slab, at most 32.
  static constexpr std::uint32_t slab_slots = slots(slab_bytes);

  MANGROVE_HOST_DEVICE static Key* keys(std::byte* extent) { return reinterpret_cast<Key*>(extent); }

  MANGROVE_HOST_DEVICE static Value* values(std::byte* extent, std::uint32_t slots) {
    return reinterpret_cast<Value*>(extent + value_offset(slots));
  }
};

/// Keys that mark slots of a slab hash table. They take the three largest values of the key type; a container that
/// allows every key value keeps these three keys elsewhere.
template <class Key>
struct slot_mark {
  static constexpr Key empty = std::numeric_limits<Key>::max();  ///< never used since the table was cleared
  static constexpr Key tombstone = empty - 1;                    ///< erased; probes go on past it
  static constexpr Key busy = empty - 2;                         ///< claimed, its key and value are being written

  /// Whether `key` can be stored in a slot.
  MANGROVE_HOST_DEVICE static constexpr bool storable(Key key) { return key < busy; }
  /// Whether a slot that holds `key` can take a new one.
  MANGROVE_HOST_DEVICE static constexpr bool free(Key key) { return key >= tombstone; }
};

}  // namespace mangrove
