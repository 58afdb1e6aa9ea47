#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/detail/row_of.hpp"
#include "mangrove/core/pool_ref.hpp"

namespace mangrove::detail {

/// How many extents of each size class.
using class_counts = std::array<std::uint32_t, size_classes>;

/// Slots of the ring of each size class.
using ring_room = std::array<std::uint64_t, size_classes>;

/// Granules in so many extents of each class.
[[nodiscard]] constexpr std::uint64_t granules_of(const class_counts& counts) noexcept {
  std::uint64_t granules = 0;
  for (std::uint32_t c = 0; c < size_classes; ++c) granules += std::uint64_t{counts[c]} * size_class_granules(c);
  return granules;
}

/// Body, once per piece of a ring: moves its extents to a larger ring.
struct move_rings {
  static constexpr std::uint32_t piece = 1024;

  using snapshot = std::array<pool_snapshot::ring, size_classes>;

  snapshot from;
  snapshot to;           ///< whose heads are 0
  class_counts offsets;  ///< pieces of the rings before

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto number = static_cast<std::uint32_t>(i);
    const std::size_t c = row_of(offsets.data(), size_classes, number);
    const pool_snapshot::ring& old = from[c];
    const std::uint32_t first = (number - offsets[c]) * piece;
    const std::uint32_t left = old.count - first;
    tile.strided(left < piece ? left : piece, [&](std::size_t k) {
      const std::uint32_t at = first + static_cast<std::uint32_t>(k);
      to[c].extents[at] = old.extents[(old.head + at) & (old.slots - 1)];
    });
  }
};

/// Freed extents by class, first in, first out, so that what is given never overwrites what is being taken. All rings
/// share one piece of memory: there are many, and to ask a device for memory takes the host some microseconds.
template <backend B>
class free_rings {
 public:
  [[nodiscard]] class_counts counts() const noexcept {
    class_counts all{};
    for (std::uint32_t c = 0; c < size_classes; ++c) all[c] = rings_[c].count;
    return all;
  }

  /// The rings as they are, for kernels.
  [[nodiscard]] move_rings::snapshot snapshot() noexcept { return placed(rings_, memory_.data()); }

  /// Makes sure that every ring has so many slots. @throws memory_error with all rings as they were
  void make_room(const resources<B>& res, const ring_room& slots) {
    bool suffices = true;
    for (std::uint32_t c = 0; c < size_classes; ++c) suffices = suffices && slots[c] <= rings_[c].slots;
    if (suffices) return;
    std::array<ring, size_classes> larger{};
    std::size_t all = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      larger[c] = {all, slots_for(slots[c], rings_[c].slots), 0, rings_[c].count};
      all += larger[c].slots;
    }
    buffer<B, slab_index> memory(res, all);
    move_to(res, placed(larger, memory.data()));
    rings_ = larger;
    memory_ = std::move(memory);
  }

  /// Books what kernels have taken from the heads and put behind the tails.
  void book(const class_counts& taken, const class_counts& given) noexcept {
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      rings_[c].head += taken[c];
      rings_[c].count += given[c] - taken[c];
    }
  }

  /// Books that kernels have written the rings anew, from their heads on.
  void book_anew(const class_counts& counts) noexcept {
    for (std::uint32_t c = 0; c < size_classes; ++c) rings_[c].count = counts[c];
  }

 private:
  struct ring {
    std::size_t first = 0;    ///< slot in the memory of all
    std::uint32_t slots = 0;  ///< a power of two, or 0
    std::uint32_t head = 0;   ///< counts on and on; its low bits are the slot
    std::uint32_t count = 0;
  };

  /// Where one ring has to grow, all that are more than two thirds full do.
  static std::uint32_t slots_for(std::uint64_t wanted, std::uint32_t there) {
    const std::uint64_t generous = wanted + wanted / 2;
    if (generous <= there) return there;
    return static_cast<std::uint32_t>(std::bit_ceil(std::max<std::uint64_t>(generous, 64)));
  }

  static move_rings::snapshot placed(const std::array<ring, size_classes>& rings, slab_index* memory) {
    move_rings::snapshot all{};
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      const ring& one = rings[c];
      all[c] = {memory + one.first, one.slots, one.head, one.count};
    }
    return all;
  }

  void move_to(const resources<B>& res, const move_rings::snapshot& larger) {
    class_counts offsets{};
    std::uint32_t pieces = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      offsets[c] = pieces;
      pieces += (rings_[c].count + move_rings::piece - 1) / move_rings::piece;
    }
    for_each_tile<32>(res, pieces, move_rings{snapshot(), larger, offsets});
  }

  std::array<ring, size_classes> rings_;
  buffer<B, slab_index> memory_;
};

}  // namespace mangrove::detail
