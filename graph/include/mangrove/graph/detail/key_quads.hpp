#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"

/// @file
/// Reading neighbours four at a time: one load of a lane, all of which is under way before the first key is used. Tiles
/// may be parts of others that know no lanes, only how to share out a loop.

namespace mangrove::detail {

struct alignas(16) key_quad {
  static constexpr std::uint32_t size = 4;

  std::uint32_t keys[size];
};

/// Calls `f(i, keys[i])` for i in the quad with number `quad`, as far as i is below `count`. For one lane on CUDA.
/// @param keys aligned to 16 bytes, readable to the end of the quad
template <class F>
MANGROVE_HOST_DEVICE void for_each_in_quad(const std::uint32_t* keys, std::uint32_t quad, std::uint32_t count, F f) {
  const key_quad read = reinterpret_cast<const key_quad*>(keys)[quad];
  for (std::uint32_t j = 0; j < key_quad::size; ++j) {
    if (quad * key_quad::size + j < count) f(quad * key_quad::size + j, read.keys[j]);
  }
}

/// Calls `f(i, keys[i])` for every i in [0, count), in a lane each; a lane's calls ascend. On CUDA a lane reads a quad,
/// on the CPU loops over single keys become SIMD.
template <class Tile, class F>
MANGROVE_HOST_DEVICE void for_each_key(const Tile& tile, const std::uint32_t* keys, std::uint32_t count, F f) {
#if defined(__CUDA_ARCH__)
  tile.strided((count + key_quad::size - 1) / key_quad::size,
               [&](std::size_t quad) { for_each_in_quad(keys, static_cast<std::uint32_t>(quad), count, f); });
#else
  tile.strided(count, [&](std::size_t i) { f(static_cast<std::uint32_t>(i), keys[i]); });
#endif
}

/// The same for at most `Most` keys: without a loop where the lanes read them all at once.
template <std::uint32_t Most, class Tile, class F>
MANGROVE_HOST_DEVICE void for_few_keys(const Tile& tile, const std::uint32_t* keys, std::uint32_t count, F f) {
#if defined(__CUDA_ARCH__)
  if constexpr (requires { requires Tile::lanes* key_quad::size >= Most; }) {
    const auto quad = static_cast<std::uint32_t>(tile.lane());
    if (quad * key_quad::size < count) for_each_in_quad(keys, quad, count, f);
    return;
  }
#endif
  for_each_key(tile, keys, count, f);
}

/// Calls `f(i)` for every i in [0, count), in a lane each: for so few that code for long loops would not pay.
template <class Tile, class F>
MANGROVE_HOST_DEVICE void for_each_of_few(const Tile& tile, std::uint32_t count, F f) {
#if defined(__CUDA_ARCH__)
  if constexpr (requires { tile.lane(); }) {
#pragma unroll 1
    for (std::uint32_t i = tile.lane(); i < count; i += Tile::lanes) f(i);
    return;
  }
#endif
  tile.strided(count, [&](std::size_t i) { f(static_cast<std::uint32_t>(i)); });
}

}  // namespace mangrove::detail
