#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/detail/row_of.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/pool_ref.hpp"

namespace mangrove::detail {

/// How many extents of each size class.
using class_counts = std::array<std::uint32_t, size_classes>;

/// Slots of the ring of each size class.
using ring_room = std::array<std::uint64_t, size_classes>;

/// Granules in so many extents of each class.
[[nodiscard]] constexpr std::uint64_t granules_of(const class_counts& counts) noexcept {
  constexpr class_counts each = [] {  // computed ahead: this is between a small batch's end and the next one
    class_counts granules{};
    for (std::uint32_t c = 0; c < size_classes; ++c) granules[c] = size_class_granules(c);
    return granules;
  }();
  std::uint64_t granules = 0;
  for (std::uint32_t c = 0; c < size_classes; ++c) granules += std::uint64_t{counts[c]} * each[c];
  return granules;
}

/// Body, once per piece of a ring: moves its extents to a larger ring.
struct move_rings {
  static constexpr std::uint32_t piece = 128;  ///< a few for each lane: it waits for each

  freed_extents from;
  freed_extents to;      ///< whose heads are 0
  class_counts offsets;  ///< pieces of the rings before

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const auto number = static_cast<std::uint32_t>(i);
    const std::size_t c = row_of(offsets.data(), size_classes, number);
    const freed_extents::ring old = from[c];
    slab_index* const extents = to[c].extents;
    const std::uint32_t first = (number - offsets[c]) * piece;
    const std::uint32_t left = old.count - first;
    tile.strided(left < piece ? left : piece, [&](std::size_t k) {
      const std::uint32_t at = first + static_cast<std::uint32_t>(k);
      extents[at] = old.extents[(old.head + at) & (old.slots - 1)];
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

  /// Bytes of the memory of all rings.
  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.size() * sizeof(slab_index); }

  /// The rings as they are, for kernels.
  [[nodiscard]] const freed_extents& snapshot() const noexcept { return rings_; }

  /// Makes sure that every ring has so many slots. @throws memory_error with all rings as they were
  void make_room(const resources<B>& res, const ring_room& slots) {
    bool suffices = true;
    ring_room larger{};
    std::uint64_t all = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      const std::uint32_t there = rings_[c].slots;
      suffices = suffices && slots[c] <= there;
      larger[c] = slots_for(slots[c], there);
      all += larger[c];
    }
    if (!suffices) move_to(res, larger, all);
  }

  /// The rings are used with these resources from here on, after what was queued to make them.
  void hand_over_to(const resources<B>& res) { memory_.free_in_order_of(res); }

  /// Books what kernels have taken from the heads and put behind the tails.
  void book(const class_counts& taken, const class_counts& given) noexcept {
    for (std::uint32_t c = 0; c < size_classes; ++c) rings_.book(c, taken[c], given[c]);
  }

  /// Books that kernels have written the rings anew, from their heads on.
  void book_anew(const class_counts& counts) noexcept {
    for (std::uint32_t c = 0; c < size_classes; ++c) rings_.set_count(c, counts[c]);
  }

 private:
  /// Where one ring has to grow, all that would soon have to do: small ones get four times as many slots as they need,
  /// for there are many, and to move them takes the host as long as some launches; large ones an eighth more.
  static std::uint32_t slots_for(std::uint64_t wanted, std::uint32_t there) {
    constexpr std::uint64_t few = std::uint64_t{1} << 14;
    if (wanted + std::min(wanted, few / 2) + wanted / 16 <= there) return there;
    const std::uint64_t generous = wanted + std::min(3 * wanted, few) + wanted / 8;
    return static_cast<std::uint32_t>(std::bit_ceil(std::max<std::uint64_t>(generous, freed_extents::least_slots)));
  }

  /// @param all slots of all rings
  void move_to(const resources<B>& res, const ring_room& slots, std::uint64_t all) {
    if (all > freed_extents::most_slots)
      throw memory_error("more extents are free than a pool can list; build the graph anew from its edges");
    buffer<B, slab_index> memory(res, all);
    freed_extents larger(memory.data());
    class_counts offsets{};
    std::uint32_t pieces = 0;
    std::uint64_t first = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      const std::uint32_t count = rings_[c].count;
      larger.set(c, first, static_cast<std::uint32_t>(slots[c]), 0, count);
      first += slots[c];
      offsets[c] = pieces;
      pieces += (count + move_rings::piece - 1) / move_rings::piece;
    }
    for_each_tile<32>(res, pieces, move_rings{rings_, larger, offsets});
    memory_.free_in_order_of(res);  // which reads it last
    rings_ = larger;
    memory_ = std::move(memory);
  }

  freed_extents rings_;
  buffer<B, slab_index> memory_;
};

}  // namespace mangrove::detail
