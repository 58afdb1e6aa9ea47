#pragma once

#include <cstdint>

#include "layout_choice.hpp"

namespace mangrove::detail {

/// Between which degrees neighbours in an entry, or in an array, may stay where they are, by the granules of their
/// extent: a table of what `layout_policy::fits_in_place` computes, for a thread of the CPU that asks it very often.
template <class Bits>
class extent_bounds {
  using layout = entry_layout<Bits>;

 public:
  /// Kinds of adjacency by granules; 0 of an entry.
  static constexpr std::uint32_t kinds[granules_per_slab + 1] = {2, 0, 0, 0, 0};
  static_assert(static_cast<int>(adjacency_kind::array) == 0 && static_cast<int>(adjacency_kind::inlined) == 2);

  explicit extent_bounds(const layout_policy<Bits>& policy) {
    ranges_[0] = {0, layout::inline_capacity + 1};
    for (std::uint32_t granules = 1; granules <= granules_per_slab; ++granules) {
      ranges_[granules] = policy.array_degrees(granules);
    }
  }

  /// Granules of what a vertex has: 0 where its neighbours are in the entry, more than a slab's where they are neither
  /// there nor in an array.
  [[nodiscard]] static std::uint32_t granules_of(const vertex_entry& entry) {
    const std::uint32_t with_kind = entry.words[1];  // which is 0 of an array
    return with_kind & -static_cast<std::uint32_t>(entry.degree > layout::inline_capacity);
  }

  /// What `layout_policy::choose` gives a vertex whose neighbours are in its entry or an array and may not stay there,
  /// as far as that is another array; else no array.
  [[nodiscard]] layout_choice other_array(std::uint32_t degree) const {
    std::uint32_t granules = 1;
    while (granules < granules_per_slab && layout::array_slots(granules) < degree) ++granules;
    return {suit(granules, degree) ? adjacency_kind::array : adjacency_kind::hash, granules, false};
  }

  [[nodiscard]] bool suit(std::uint32_t granules, std::uint32_t degree) const {
    return degree - ranges_[granules].least < ranges_[granules].count;
  }

 private:
  degree_range ranges_[granules_per_slab + 1];
};

}  // namespace mangrove::detail
