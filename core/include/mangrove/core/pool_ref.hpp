#pragma once

#include <array>
#include <cstdint>

#include "mangrove/core/freed_extents.hpp"
#include "mangrove/core/slab_size.hpp"

namespace mangrove {

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
    slab_index** directory;   ///< of the list of freed extents; a power of two of places
    std::uint32_t mask;       ///< places of the directory less one
    std::uint32_t head;       ///< where the granted ones start
    std::uint32_t available;  ///< how many of the list's are granted
    std::uint32_t tail;       ///< where the first one given goes
    slab_index fresh;         ///< first granule of new extents, for requests beyond `available`
  };

  pool_ref() = default;
  explicit pool_ref(const class_entry* classes) : classes_(classes) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE slab_index take(std::uint32_t size_class, std::uint32_t k) const {
    const class_entry& entry = classes_[size_class];
    if (k < entry.available) return *page_slot(entry.directory, entry.mask, entry.head + k);
    return entry.fresh + (k - entry.available) * size_class_granules(size_class);
  }

  MANGROVE_HOST_DEVICE void give(std::uint32_t size_class, std::uint32_t k, slab_index extent) const {
    const class_entry& entry = classes_[size_class];
    *page_slot(entry.directory, entry.mask, entry.tail + k) = extent;
  }

 private:
  const class_entry* classes_ = nullptr;
};

}  // namespace mangrove
