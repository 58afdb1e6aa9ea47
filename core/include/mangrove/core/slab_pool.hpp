#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/mapped_region.hpp"
#include "mangrove/core/pool_ref.hpp"
#include "mangrove/core/tile.hpp"

namespace mangrove {

/// A growable pool of extents in one range of addresses; up to 2^32 granules, 128 GiB.
///
/// Batch operations work in three steps: count what they will take and give, `prepare` (which may throw and then has
/// changed nothing that anyone can see), run kernels with the `pool_ref`, and `commit`. One that does not want to wait
/// for its counts lets `grant_extents` decide on a `snapshot`, and calls `prepare` only if that refused. Not
/// thread-safe.
template <backend B>
class slab_pool {
 public:
  static constexpr std::size_t default_capacity = std::size_t{1} << 37;

  /// A granted demand. Dropping it without `commit` leaves the pool as it was.
  struct grant {
    pool_demand demand;
    buffer<B, pool_ref::class_entry> classes;
    std::uint64_t end = 0;  ///< granules in use after the fresh extents

    [[nodiscard]] pool_ref ref() const { return pool_ref(classes.data()); }
  };

  /// Reserves addresses for `capacity` bytes, no memory yet. More than the default cannot be numbered and is not used.
  explicit slab_pool(const resources<B>& res, std::size_t capacity = default_capacity)
      : region_(res, std::min(capacity, default_capacity)) {}

  /// The extent with index 0; extent i starts `i * granule_bytes` bytes after it.
  [[nodiscard]] std::byte* base() const noexcept { return region_.data(); }

  /// Bytes of memory the pool holds, in use or not.
  [[nodiscard]] std::size_t bytes_committed() const noexcept { return region_.committed(); }

  /// Bytes in extents that are in use.
  [[nodiscard]] std::size_t bytes_in_use() const noexcept { return (end_ - free_granules()) * granule_bytes; }

  /// The books as they are, for `grant_extents`.
  [[nodiscard]] pool_snapshot snapshot() noexcept {
    pool_snapshot books{};
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      free_ring& ring = rings_[c];
      books.rings[c] = {ring.extents.data(), static_cast<std::uint32_t>(ring.extents.size()), ring.head, ring.count};
    }
    books.end = end_;
    books.limit = region_.committed() / granule_bytes;
    return books;
  }

  /// Makes memory available for `demand`; what is given may turn out to be less. @throws memory_error with the pool as
  /// it was
  grant prepare(const resources<B>& res, const pool_demand& demand) {
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      make_room(res, rings_[c], std::uint64_t{rings_[c].count} + demand.given[c]);
    }
    std::vector<pool_ref::class_entry> classes(size_classes);
    pool_verdict verdict{};
    const grant_extents place{snapshot(), &demand, classes.data(), &verdict};
    for (std::uint32_t c = 0; c < size_classes; ++c) place(cpu_tile<1>(), c);
    const std::uint64_t end = grant_extents::end_of(end_, verdict);
    if (end > region_.capacity() / granule_bytes) {
      throw memory_error("a slab pool cannot grow beyond " + std::to_string(region_.capacity() >> 20) +
                         " MiB; split the graph or make the pool larger");
    }
    commit_memory(end * granule_bytes);
    return {demand, make_buffer<B>(res, classes.data(), classes.size()), end};
  }

  /// Books what kernels have taken and given with the grant's ref.
  void commit(const grant& granted) noexcept { commit(granted.demand, granted.end); }

  /// Books what kernels have taken and given as `grant_extents` allowed.
  void commit(const pool_demand& demand, const pool_verdict& verdict) noexcept {
    commit(demand, grant_extents::end_of(end_, verdict));
  }

  /// Books what kernels have taken and given. @param end granules handed out, as granted
  void commit(const pool_demand& demand, std::uint64_t end) noexcept {
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      free_ring& ring = rings_[c];
      const std::uint32_t reused = std::min(demand.taken[c], ring.count);
      ring.head += reused;
      ring.count += demand.given[c] - reused;
    }
    end_ = end;
  }

 private:
  /// Freed extents, first in, first out, so that what is given never overwrites what is being taken.
  struct free_ring {
    buffer<B, slab_index> extents;
    std::uint32_t head = 0;  ///< counts on and on; its low bits are the slot
    std::uint32_t count = 0;
  };

  static void make_room(const resources<B>& res, free_ring& ring, std::uint64_t count) {
    if (count <= ring.extents.size()) return;
    buffer<B, slab_index> larger(res, std::bit_ceil(std::max<std::uint64_t>(count + count / 2, 64)));
    if (ring.count != 0) {
      const std::size_t slots = ring.extents.size();
      const std::size_t first = ring.head & (slots - 1);
      const std::size_t unbroken = std::min<std::size_t>(ring.count, slots - first);
      copy(res, larger.data(), ring.extents.data() + first, unbroken);
      copy(res, larger.data() + unbroken, ring.extents.data(), ring.count - unbroken);
    }
    ring.extents = std::move(larger);
    ring.head = 0;
  }

  /// Grows by an eighth at least, so that many small batches map memory seldom; takes less where that is refused.
  void commit_memory(std::size_t bytes) {
    if (bytes <= region_.committed()) return;
    const std::size_t generous = std::min(region_.capacity(), std::max(bytes, region_.committed() / 8 * 9));
    try {
      region_.commit(generous);
    } catch (const memory_error&) {
      region_.commit(bytes);
    }
  }

  [[nodiscard]] std::uint64_t free_granules() const noexcept {
    std::uint64_t granules = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      granules += std::uint64_t{rings_[c].count} * size_class_granules(c);
    }
    return granules;
  }

  detail::region<B> region_;
  std::array<free_ring, size_classes> rings_;
  std::uint64_t end_ = 0;
};

}  // namespace mangrove
