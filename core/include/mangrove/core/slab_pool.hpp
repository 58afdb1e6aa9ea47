#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/mapped_region.hpp"
#include "mangrove/core/slab_size.hpp"

namespace mangrove {

/// Address of an extent in a pool: the number of its first granule.
using slab_index = std::uint32_t;

/// How many extents of each class a batch operation takes from a pool and gives back to it.
struct pool_demand {
  std::array<std::uint32_t, size_classes> taken{};
  std::array<std::uint32_t, size_classes> given{};
};

/// What kernels need to take and give extents that a `slab_pool::prepare` has granted. Trivially copyable.
///
/// The caller numbers its requests within a class: the k-th request to take gets the k-th granted extent. All takes
/// must be done (a kernel earlier) before the first give, because both use the same stacks.
class pool_ref {
 public:
  struct class_entry {
    slab_index* stack;        ///< freed extents
    std::uint32_t available;  ///< of them, at the top of the stack, this many are granted
    std::uint32_t height;     ///< entries on the stack once the granted ones are gone
    slab_index fresh;         ///< first granule of new extents, for requests beyond `available`
  };

  pool_ref() = default;
  explicit pool_ref(const class_entry* classes) : classes_(classes) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE slab_index take(std::uint32_t size_class, std::uint32_t k) const {
    const class_entry& entry = classes_[size_class];
    if (k < entry.available) return entry.stack[entry.height + k];
    return entry.fresh + (k - entry.available) * size_class_granules(size_class);
  }

  MANGROVE_HOST_DEVICE void give(std::uint32_t size_class, std::uint32_t k, slab_index extent) const {
    const class_entry& entry = classes_[size_class];
    entry.stack[entry.height + k] = extent;
  }

 private:
  const class_entry* classes_ = nullptr;
};

/// A growable pool of extents in one range of addresses; up to 2^32 granules, 128 GiB.
///
/// Batch operations work in three steps: count what they will take and give, `prepare` (which may throw and then has
/// changed nothing that anyone can see), run kernels with the `pool_ref`, and `commit`. Not thread-safe.
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

  /// Makes memory available for `demand`. @throws memory_error with the pool as it was
  grant prepare(const resources<B>& res, const pool_demand& demand) {
    std::vector<pool_ref::class_entry> entries(size_classes);
    std::uint64_t end = (end_ + granules_per_slab - 1) / granules_per_slab * granules_per_slab;
    for (std::uint32_t c = size_classes; c-- > 0;) {  // large first: slab-sized extents stay aligned to slabs
      free_stack& stack = stacks_[c];
      const std::uint32_t reused = std::min(demand.taken[c], stack.height);
      const std::uint64_t fresh = std::uint64_t{demand.taken[c] - reused} * size_class_granules(c);
      if (size_class_granules(c) % granules_per_slab == 0) end = align_to_slab(end);
      make_room(res, stack, stack.height - reused + demand.given[c]);
      entries[c] = {stack.extents.data(), reused, stack.height - reused, static_cast<slab_index>(end)};
      end += fresh;
    }
    if (end > region_.capacity() / granule_bytes) {
      throw memory_error("a slab pool cannot grow beyond " + std::to_string(region_.capacity() >> 20) +
                         " MiB; split the graph or make the pool larger");
    }
    commit_memory(end * granule_bytes);
    return {demand, make_buffer<B>(res, entries.data(), entries.size()), end};
  }

  /// Books what kernels have taken and given with the grant's ref.
  void commit(const grant& granted) noexcept {
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      stacks_[c].height -= std::min(granted.demand.taken[c], stacks_[c].height);
      stacks_[c].height += granted.demand.given[c];
    }
    end_ = granted.end;
  }

 private:
  struct free_stack {
    buffer<B, slab_index> extents;
    std::uint32_t height = 0;
  };

  static std::uint64_t align_to_slab(std::uint64_t granules) {
    return (granules + granules_per_slab - 1) / granules_per_slab * granules_per_slab;
  }

  static void make_room(const resources<B>& res, free_stack& stack, std::uint64_t height) {
    if (height <= stack.extents.size()) return;
    buffer<B, slab_index> larger(res, std::max<std::size_t>(height, 2 * stack.extents.size()));
    copy(res, larger.data(), stack.extents.data(), stack.height);
    stack.extents = std::move(larger);
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
      granules += std::uint64_t{stacks_[c].height} * size_class_granules(c);
    }
    return granules;
  }

  detail::region<B> region_;
  std::array<free_stack, size_classes> stacks_;
  std::uint64_t end_ = 0;
};

}  // namespace mangrove
