#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove {

/// Mixes 64 bits so that every input bit changes about half of the output bits (the finaliser of MurmurHash3).
MANGROVE_HOST_DEVICE constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

/// The number that `mix` turns into `x`: no two are mixed alike.
MANGROVE_HOST_DEVICE constexpr std::uint64_t unmix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0x9cb4b2f8129337dbULL;  // the inverses of the factors above
  x = (x ^ (x >> 33)) * 0x4f74430c22a54005ULL;
  return x ^ (x >> 33);
}

/// Mixes 32 bits (the 32-bit finaliser of MurmurHash3).
MANGROVE_HOST_DEVICE constexpr std::uint32_t mix(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bU;
  x = (x ^ (x >> 13)) * 0xc2b2ae35U;
  return x ^ (x >> 16);
}

/// Maps a mixed 32-bit hash onto [0, range) with a multiplication instead of a division.
MANGROVE_HOST_DEVICE constexpr std::uint32_t reduce_range(std::uint32_t hash, std::uint32_t range) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(hash) * range) >> 32);
}

}  // namespace mangrove
