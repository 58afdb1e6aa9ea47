#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/backend.hpp"

namespace mangrove::detail {

/// Outcomes that bodies write, one byte a key. Others than `nothing` are truths.
struct outcome {
  static constexpr std::uint8_t nothing = 0;
  static constexpr std::uint8_t done = 1;
  static constexpr std::uint8_t done_with_tombstone = 2;
};

/// Adds up the outcomes of a chunk: all that are truths, and those with a tombstone.
struct sum_outcomes_of_chunk {
  static constexpr std::size_t chunk = 4096;
  const std::uint8_t* outcomes;
  std::size_t count;
  std::uint64_t* counters;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint8_t* const from = outcomes + i * chunk;
    std::uint32_t done = 0;
    std::uint32_t tombstones = 0;
    tile.strided(count - i * chunk < chunk ? count - i * chunk : chunk, [&](std::size_t j) {
      done += from[j] != outcome::nothing;
      tombstones += from[j] == outcome::done_with_tombstone;
    });
    done = tile.sum(done);
    tombstones = tile.sum(tombstones);
    if (tile.lane() != 0) return;
    if (done != 0) fetch_add(counters, std::uint64_t{done});
    if (tombstones != 0) fetch_add(counters + 1, std::uint64_t{tombstones});
  }
};

}  // namespace mangrove::detail
