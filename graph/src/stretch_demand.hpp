#pragma once

#include <algorithm>
#include <cstdint>

#include "vertex_runs.hpp"

namespace mangrove::detail {

/// The extents that a stretch of runs takes, for arrays, and may give back, counted by one thread of the CPU: it adds
/// them to those of other threads at once. Until then numbers of extents that are taken begin at 0.
class stretch_demand {
 public:
  void give(std::uint32_t size_class) {
    ++given_[size_class];
    classes_given_ = std::max(classes_given_, size_class + 1);
  }
  /// The same for an array, on a condition that nothing predicts; without an extent where there are 0 granules.
  void give_array_if(bool condition, std::uint32_t granules) { arrays_given_[granules] += condition ? 1 : 0; }
  /// @param size_class of an array
  std::uint32_t take(std::uint32_t size_class) { return taken_[size_class]++; }

  /// Adds all up. Numbers of extents that are taken begin at others from here on.
  void add_to(pool_demand& all) {
    for (std::uint32_t granules = 1; granules <= granules_per_slab; ++granules) {
      count_up_by(&all.given[size_class_of(granules)], arrays_given_[granules]);
    }
    for (std::uint32_t of = 0; of < classes_given_; ++of) count_up_by(&all.given[of], given_[of]);
    for (std::uint32_t of = 0; of < array_classes; ++of) taken_[of] = count_up_by(&all.taken[of], taken_[of]);
  }

  /// Number of the first extent of a run's class. @pre the run has an array plan
  [[nodiscard]] std::uint32_t first_of(const vertex_run& run) const { return taken_[size_class_of(run.granules())]; }

 private:
  static constexpr std::uint32_t array_classes = size_class_of(granules_per_slab) + 1;

  std::uint32_t taken_[array_classes] = {};  ///< how many; once they are added up, the first one's number
  std::uint32_t arrays_given_[granules_per_slab + 1] = {};  ///< by granules, besides those below
  std::uint32_t given_[size_classes] = {};
  std::uint32_t classes_given_ = 0;  ///< one more than the largest of which some are given
};

}  // namespace mangrove::detail
