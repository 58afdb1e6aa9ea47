#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/slab_size.hpp"

namespace mangrove {

/// Address of an extent in a pool: the number of its first granule.
using slab_index = std::uint32_t;

/// How many extents of each class a batch operation takes from a pool and gives back to it.
struct pool_demand {
  std::array<std::uint32_t, size_classes> taken{};
  std::array<std::uint32_t, size_classes> given{};
};

/// What kernels need to take and give extents that a `slab_pool` has granted. Trivially copyable.
///
/// The caller numbers its requests within a class: the k-th request to take gets the k-th granted extent, and asking
/// twice gets the same one. Takes and gives may happen at the same time.
class pool_ref {
 public:
  struct class_entry {
    slab_index* ring;         ///< freed extents; a power of two of slots
    std::uint32_t mask;       ///< slots of the ring less one
    std::uint32_t head;       ///< where the granted ones start
    std::uint32_t available;  ///< how many of the ring's are granted
    std::uint32_t tail;       ///< where the first one given goes
    slab_index fresh;         ///< first granule of new extents, for requests beyond `available`
  };

  pool_ref() = default;
  explicit pool_ref(const class_entry* classes) : classes_(classes) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE slab_index take(std::uint32_t size_class, std::uint32_t k) const {
    const class_entry& entry = classes_[size_class];
    if (k < entry.available) return entry.ring[(entry.head + k) & entry.mask];
    return entry.fresh + (k - entry.available) * size_class_granules(size_class);
  }

  MANGROVE_HOST_DEVICE void give(std::uint32_t size_class, std::uint32_t k, slab_index extent) const {
    const class_entry& entry = classes_[size_class];
    entry.ring[(entry.tail + k) & entry.mask] = extent;
  }

 private:
  const class_entry* classes_ = nullptr;
};

/// A pool's freed extents by class, each class in a ring, all rings in one piece of memory. Packed, since a launch
/// takes the host and the device the longer the more parameters it has: a microsecond for 6 KB.
class freed_extents {
 public:
  struct ring {
    slab_index* extents;
    std::uint32_t slots;  ///< a power of two, or 0
    std::uint32_t head;   ///< counts on and on; its low bits are the slot
    std::uint32_t count;
  };
  /// Slots of a ring that has any, at least; all rings begin at multiples.
  static constexpr std::uint32_t least_slots = 64;
  /// Slots that all rings can have together.
  static constexpr std::uint64_t most_slots = std::uint64_t{least_slots} << 27;

  freed_extents() = default;
  explicit freed_extents(slab_index* memory) : memory_(memory) {}

  /// @param first slot of the ring, among those of all
  void set(std::uint32_t size_class, std::uint64_t first, std::uint32_t slots, std::uint32_t head,
           std::uint32_t count) noexcept {
    const auto log = slots == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(slots)) - 1;
    packed_[size_class] = {static_cast<std::uint32_t>(first / least_slots) << log_bits | log, head, count};
  }
  /// Books what has been taken from a ring's head and put behind its tail.
  void book(std::uint32_t size_class, std::uint32_t taken, std::uint32_t given) noexcept {
    packed_[size_class].head += taken;
    packed_[size_class].count += given - taken;
  }
  void set_count(std::uint32_t size_class, std::uint32_t count) noexcept { packed_[size_class].count = count; }

  [[nodiscard]] MANGROVE_HOST_DEVICE ring operator[](std::size_t size_class) const {
    const packed_ring& of = packed_[size_class];
    const std::uint32_t log = of.place & ((1U << log_bits) - 1);
    slab_index* const extents = memory_ + std::uint64_t{of.place >> log_bits} * least_slots;
    return {extents, log == 0 ? 0 : 1U << log, of.head, of.count};
  }

 private:
  static constexpr std::uint32_t log_bits = 5;

  struct packed_ring {
    std::uint32_t place;  ///< its first slot, in `least_slots`, and the logarithm of its slots
    std::uint32_t head;
    std::uint32_t count;
  };

  slab_index* memory_ = nullptr;
  std::array<packed_ring, size_classes> packed_{};
};

/// A pool's books, by value: what a demand can be granted from.
struct pool_snapshot {
  freed_extents rings;
  std::uint64_t end;    ///< granules handed out so far
  std::uint64_t limit;  ///< granules there is memory for
};

/// What a demand comes to; zero at first.
struct pool_verdict {
  std::uint64_t fresh;    ///< granules of extents that were never handed out before
  std::uint32_t refused;  ///< not 0 when there is no room for what may be given
  std::uint32_t unused;
};

/// Body, once per size class: where the extents of a class come from, if the pool can meet the demand as it is. Leaves
/// out classes that are not asked for.
///
/// Lets kernels decide without asking the host; it runs on host memory too.
struct grant_extents {
  pool_snapshot pool;
  const pool_demand* demand;
  pool_ref::class_entry* classes;  ///< one per size class
  pool_verdict* verdict;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t taken = demand->taken[i];
    const std::uint32_t given = demand->given[i];
    if ((taken | given) == 0) return;  // nobody will ask, and lanes read one ring after the other
    const freed_extents::ring ring = pool.rings[i];
    const std::uint32_t reused = taken < ring.count ? taken : ring.count;
    // Whole slabs, whatever the class, so that the extents of all classes stay aligned.
    const std::uint64_t fresh =
        align_to_slab(std::uint64_t{taken - reused} * size_class_granules(static_cast<std::uint32_t>(i)));
    const std::uint64_t first = fresh == 0 ? 0 : align_to_slab(pool.end) + fetch_add(&verdict->fresh, fresh);
    if (std::uint64_t{ring.count} + given > ring.slots) store_relaxed(&verdict->refused, 1U);
    classes[i] = {ring.extents, ring.slots - 1,         ring.head,
                  reused,       ring.head + ring.count, static_cast<slab_index>(first)};
  }

  MANGROVE_HOST_DEVICE static constexpr std::uint64_t align_to_slab(std::uint64_t granules) {
    return (granules + granules_per_slab - 1) / granules_per_slab * granules_per_slab;
  }
  /// Granules handed out once the demand is met.
  MANGROVE_HOST_DEVICE static constexpr std::uint64_t end_of(std::uint64_t end, const pool_verdict& verdict) {
    return align_to_slab(end) + verdict.fresh;
  }
};

}  // namespace mangrove
