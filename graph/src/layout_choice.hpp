#pragma once

#include <cstdint>

#include "mangrove/graph/detail/vertex_entry.hpp"
#include "mangrove/graph/graph_options.hpp"

namespace mangrove::detail {

/// How a vertex will keep its neighbours after a batch.
struct layout_choice {
  adjacency_kind kind;
  std::uint32_t granules;  ///< of its extent; 0 when inlined
  bool same_extent;        ///< the extent it has stays
};

/// The adjacency policy: which representation for which degree, and when to change it.
///
/// Between growing and shrinking lies a factor of two or more, so that no vertex flips back and forth at a border.
template <class Bits>
class layout_policy {
  using layout = entry_layout<Bits>;

 public:
  /// Largest share of a table's slots in use; above it probes get long.
  static constexpr std::uint32_t max_load_percent = 88;
  /// Load of a table that is made at once, and of one that has outgrown the last one and is likely to grow again.
  static constexpr std::uint32_t built_load_percent = 80;
  static constexpr std::uint32_t grown_load_percent = 65;
  /// Below this share of slots in use, a table is made smaller.
  static constexpr std::uint32_t min_load_percent = 30;
  /// Tombstones beyond this share of slots are flushed.
  static constexpr std::uint32_t tombstone_percent = 25;

  static constexpr std::uint32_t largest_array = layout::array_slots(granules_per_slab);

  MANGROVE_HOST_DEVICE explicit layout_policy(adjacency_policy policy) : policy_(policy) {}

  /// @param degree neighbours after the batch
  /// @param erased neighbours that the batch erases, each of which may leave a tombstone
  [[nodiscard]] MANGROVE_HOST_DEVICE layout_choice choose(const vertex_entry& old, std::uint32_t degree,
                                                          std::uint32_t erased) const {
    if (degree <= layout::inline_capacity) return {adjacency_kind::inlined, 0, false};
    const adjacency_kind was = layout::kind(old);
    if (policy_ == adjacency_policy::by_degree) {
      const std::uint32_t limit = was == adjacency_kind::hash ? largest_array / 2 : largest_array;
      if (degree <= limit) return array(old, was, degree);
    }
    return table(old, was, degree, erased);
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE static layout_choice array(const vertex_entry& old, adjacency_kind was,
                                                                std::uint32_t degree) {
    std::uint32_t granules = (degree * layout::bytes_per_neighbor + granule_bytes - 1) / granule_bytes;
    while (layout::array_slots(granules) < degree) ++granules;  // what alignment takes
    if (was == adjacency_kind::array) {
      const std::uint32_t has = old.granules();
      if (granules <= has && has <= 2 * granules) return {adjacency_kind::array, has, true};
    }
    return {adjacency_kind::array, granules, false};
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static layout_choice table(const vertex_entry& old, adjacency_kind was,
                                                                std::uint32_t degree, std::uint32_t erased) {
    constexpr std::uint64_t slab_slots = layout::table::slots;
    const std::uint64_t wanted = degree;
    if (was == adjacency_kind::hash) {
      const std::uint64_t slots = old.granules() / granules_per_slab * slab_slots;
      const bool roomy = wanted * 100 <= slots * max_load_percent;
      const bool filled = wanted * 100 >= slots * min_load_percent || old.granules() == granules_per_slab;
      const bool clean = (std::uint64_t{old.tombstones()} + erased) * 100 <= slots * tombstone_percent;
      if (roomy && filled && clean) return {adjacency_kind::hash, old.granules(), true};
    }
    const std::uint64_t load =
        was == adjacency_kind::hash && degree > old.degree ? grown_load_percent : built_load_percent;
    const std::uint64_t slabs = (wanted * 100 + load * slab_slots - 1) / (load * slab_slots);
    const auto granules = static_cast<std::uint32_t>(slabs * granules_per_slab);
    return {adjacency_kind::hash, size_class_granules(size_class_of(granules)), false};
  }

  adjacency_policy policy_;
};

}  // namespace mangrove::detail
