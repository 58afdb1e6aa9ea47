#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "mangrove/core/buffer.hpp"
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

/// Freed extents by class, first in, first out, so that what is given never overwrites what is being taken.
template <backend B>
class free_rings {
 public:
  [[nodiscard]] class_counts counts() const noexcept {
    class_counts all{};
    for (std::uint32_t c = 0; c < size_classes; ++c) all[c] = rings_[c].count;
    return all;
  }

  /// The rings as they are, for kernels.
  [[nodiscard]] std::array<pool_snapshot::ring, size_classes> snapshot() noexcept {
    std::array<pool_snapshot::ring, size_classes> all{};
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      ring& one = rings_[c];
      all[c] = {one.extents.data(), static_cast<std::uint32_t>(one.extents.size()), one.head, one.count};
    }
    return all;
  }

  /// Makes sure that every ring has so many slots. @throws memory_error with all rings as they were
  void make_room(const resources<B>& res, const ring_room& slots) {
    std::array<buffer<B, slab_index>, size_classes> larger;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      if (slots[c] <= rings_[c].extents.size()) continue;
      larger[c] = buffer<B, slab_index>(res, std::bit_ceil(std::max<std::uint64_t>(slots[c] + slots[c] / 2, 64)));
    }
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      if (!larger[c].empty()) move_to(res, rings_[c], std::move(larger[c]));
    }
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
    buffer<B, slab_index> extents;  ///< a power of two of slots
    std::uint32_t head = 0;         ///< counts on and on; its low bits are the slot
    std::uint32_t count = 0;
  };

  static void move_to(const resources<B>& res, ring& one, buffer<B, slab_index>&& larger) {
    if (one.count != 0) {
      const std::size_t slots = one.extents.size();
      const std::size_t first = one.head & (slots - 1);
      const std::size_t unbroken = std::min<std::size_t>(one.count, slots - first);
      copy(res, larger.data(), one.extents.data() + first, unbroken);
      copy(res, larger.data() + unbroken, one.extents.data(), one.count - unbroken);
    }
    one.extents = std::move(larger);
    one.head = 0;
  }

  std::array<ring, size_classes> rings_;
};

}  // namespace mangrove::detail
