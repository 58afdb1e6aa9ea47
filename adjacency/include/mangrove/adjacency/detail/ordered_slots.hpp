#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"
#include "mangrove/core/bits.hpp"

/// @file
/// Searches among few neighbouring keys in order, and among many.

namespace mangrove::detail {

/// How many of a node's slots come before what is sought; `below(slot)` is true for a prefix of the slots, and false
/// for the last slot. Halves them.
template <std::uint32_t Slots, class Below>
MANGROVE_HOST_DEVICE std::uint32_t slots_below_but_last_halving(Below below) {
  std::uint32_t at = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (std::uint32_t step = Slots / 2; step != 0; step /= 2) {
    if (below(at + step - 1)) at += step;
  }
  return at;
}

/// The same where `below` may be true for all slots.
template <std::uint32_t Slots, class Below>
MANGROVE_HOST_DEVICE std::uint32_t slots_below_halving(Below below) {
  const std::uint32_t at = slots_below_but_last_halving<Slots>(below);
  return at + (below(at) ? 1 : 0);
}

/// The same by all lanes of a tile at once. Same result in every lane.
template <std::uint32_t Slots, class Tile, class Below>
MANGROVE_HOST_DEVICE std::uint32_t slots_below_voting(const Tile& tile, Below below) {
  return count_bits(
      tile.template match<static_cast<int>(Slots)>([&](int slot) { return below(static_cast<std::uint32_t>(slot)); }));
}

/// The same in a node that nobody changes: few lanes halve all together, which reads fewer bytes; many vote; a CPU
/// counts with SIMD.
template <std::uint32_t Slots, class Tile, class Below>
MANGROVE_HOST_DEVICE std::uint32_t slots_below([[maybe_unused]] const Tile& tile, Below below) {
#if defined(__CUDA_ARCH__)
  if constexpr (Tile::lanes <= 8) {
    return slots_below_halving<Slots>(below);
  } else {
    return slots_below_voting<Slots>(tile, below);
  }
#else
  std::uint32_t count = 0;
  for (std::uint32_t slot = 0; slot < Slots; ++slot) count += below(slot) ? 1 : 0;
  return count;
#endif
}

/// As `slots_below` where `below` is false for the last slot.
template <std::uint32_t Slots, class Tile, class Below>
MANGROVE_HOST_DEVICE std::uint32_t slots_below_but_last([[maybe_unused]] const Tile& tile, Below below) {
#if defined(__CUDA_ARCH__)
  if constexpr (Tile::lanes <= 8) {
    return slots_below_but_last_halving<Slots>(below);
  } else {
    return slots_below_voting<Slots>(tile, below);
  }
#else
  return slots_below<Slots>(tile, below);
#endif
}

/// How many of `count` ascending keys are below `key`.
template <class Key>
MANGROVE_HOST_DEVICE std::uint32_t keys_below(const Key* keys, std::uint32_t count, Key key) {
  std::uint32_t first = 0;
  while (count != 0) {
    const std::uint32_t half = count / 2;
    if (keys[first + half] < key) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

}  // namespace mangrove::detail
