#pragma once

#include <array>
#include <cstdint>

#include "vertex_runs.hpp"

namespace mangrove::detail {

/// Extents that a thread of the CPU gives back once it is done with a stretch of runs: it then takes numbers for all of
/// a class at once, where threads that took one for every extent would wait for each other.
class gift_list {
 public:
  /// Runs of a stretch; each gives two extents at most.
  static constexpr std::size_t stretch = 256;

  MANGROVE_HOST_DEVICE void add(const vertex_entry& extent) {
    const std::uint32_t size_class = size_class_of(extent.granules());
    gifts_[size_++] = {size_class, extent.extent()};
    ++next_[size_class];
  }

  /// Gives all. @param returned extents given so far, by class; other threads may be counting there
  void give(const pool_ref& pool, std::array<std::uint32_t, size_classes>& returned) {
    if (size_ == 0) return;
    for (std::uint32_t of = 0; of < size_classes; ++of) {
      if (next_[of] != 0) next_[of] = count_up_by(&returned[of], next_[of]);
    }
    for (std::uint32_t k = 0; k < size_; ++k) {
      const gift& one = gifts_[k];
      pool.give(one.size_class, next_[one.size_class]++, one.extent);
    }
  }

 private:
  struct gift {
    std::uint32_t size_class;
    slab_index extent;
  };

  std::uint32_t size_ = 0;
  std::array<std::uint32_t, size_classes> next_{};  ///< by class: how many there are, then the next one's number
  std::array<gift, 2 * stretch> gifts_;
};

}  // namespace mangrove::detail
