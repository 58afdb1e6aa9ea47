#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/adjacency/slab_table.hpp"
#include "mangrove/core/slab_pool.hpp"

namespace mangrove::detail {

/// How a vertex's neighbours are kept.
enum class adjacency_kind : std::uint32_t {
  array = 0,    ///< sorted, in one extent of up to a slab
  hash = 1,     ///< a slab hash table of whole slabs
  inlined = 2,  ///< sorted, in the dictionary entry itself: two thirds of a road network's vertices
  tree = 3      ///< a B-tree: sorted in leaves of one slab each, which a directory in an extent of its own finds
};

/// Number of kinds.
inline constexpr std::uint32_t adjacency_kinds = 4;

/// Whether neighbours are spread over slabs, which tiles may share.
MANGROVE_HOST_DEVICE constexpr bool has_slabs(adjacency_kind kind) {
  return kind == adjacency_kind::hash || kind == adjacency_kind::tree;
}

/// A vertex's entry in the dictionary: 16 bytes, zero for a vertex without edges.
///
/// Up to the inline capacity of neighbours stand in `words`. Beyond it, words[0] is the extent, words[1] its granules
/// with the kind in the two top bits, words[2] the number of tombstones of a hash table or of leaves of a tree, whose
/// extent is its directory.
struct alignas(16) vertex_entry {
  std::uint32_t degree;
  std::uint32_t words[3];

  static constexpr std::uint32_t kind_shift = 30;

  MANGROVE_HOST_DEVICE static vertex_entry make(std::uint32_t degree, adjacency_kind kind, slab_index extent,
                                                std::uint32_t granules) {
    return {degree, {extent, granules | static_cast<std::uint32_t>(kind) << kind_shift, 0}};
  }
  /// One of two, word by word: they need not be in memory, as what is chosen by address does.
  [[nodiscard]] MANGROVE_HOST_DEVICE static vertex_entry either(bool first, const vertex_entry& a,
                                                                const vertex_entry& b) {
    return {first ? a.degree : b.degree,
            {first ? a.words[0] : b.words[0], first ? a.words[1] : b.words[1], first ? a.words[2] : b.words[2]}};
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE slab_index extent() const { return words[0]; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t granules() const {
    return words[1] & ((std::uint32_t{1} << kind_shift) - 1);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t tombstones() const { return words[2]; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t leaves() const { return words[2]; }
};

/// How an entry and its extent are read when weights are of type `Weight` (or of any type of the same size).
template <class Weight>
struct entry_layout {
  using slab = slab_layout<std::uint32_t, Weight>;
  using table = slab_table<std::uint32_t, Weight>;

  /// Neighbours that fit into the entry: 3 without weights, 1 with.
  static constexpr std::uint32_t inline_capacity = is_none<Weight> ? 3 : 1;

  /// Of an array, but for what alignment takes.
  static constexpr std::uint32_t bytes_per_neighbor = sizeof(std::uint32_t) + slab::value_bytes;

  MANGROVE_HOST_DEVICE static adjacency_kind kind(const vertex_entry& entry) {
    return entry.degree <= inline_capacity ? adjacency_kind::inlined : kind_of_extent(entry);
  }

  /// What an entry's extent is, for who knows that there is one, whatever the degree.
  MANGROVE_HOST_DEVICE static adjacency_kind kind_of_extent(const vertex_entry& entry) {
    return static_cast<adjacency_kind>(entry.words[1] >> vertex_entry::kind_shift);
  }

  MANGROVE_HOST_DEVICE static std::byte* extent(std::byte* pool, slab_index index) {
    return pool + static_cast<std::size_t>(index) * granule_bytes;
  }

  /// Slots of a sorted array in an extent.
  MANGROVE_HOST_DEVICE static constexpr std::uint32_t array_slots(std::uint32_t granules) {
    return slab::slots(granules * granule_bytes);
  }

  /// Slabs of a table, leaves of a tree, whatever the degree.
  MANGROVE_HOST_DEVICE static std::uint32_t slabs(const vertex_entry& entry) {
    return kind_of_extent(entry) == adjacency_kind::tree ? entry.leaves() : entry.granules() / granules_per_slab;
  }

  MANGROVE_HOST_DEVICE static table table_of(std::byte* pool, const vertex_entry& entry) {
    return table(extent(pool, entry.extent()), entry.granules() / granules_per_slab);
  }
};

/// A sorted array of neighbours, in an entry or in an extent.
template <class Weight>
struct neighbor_array {
  std::uint32_t* keys;
  Weight* weights;

  MANGROVE_HOST_DEVICE static neighbor_array of(std::byte* pool, vertex_entry* entry) {
    using layout = entry_layout<Weight>;
    if (layout::kind(*entry) == adjacency_kind::inlined) return inlined(entry);
    return in_extent(pool, entry->extent(), entry->granules());
  }
  /// For who only reads. @param entry in memory: a copy in registers would be put there, by every lane
  MANGROVE_HOST_DEVICE static neighbor_array of(std::byte* pool, const vertex_entry* entry) {
    return of(pool, const_cast<vertex_entry*>(entry));
  }
  MANGROVE_HOST_DEVICE static neighbor_array inlined(vertex_entry* entry) {
    return {entry->words, reinterpret_cast<Weight*>(entry->words + 1)};
  }
  MANGROVE_HOST_DEVICE static neighbor_array in_extent(std::byte* pool, slab_index extent, std::uint32_t granules) {
    using layout = entry_layout<Weight>;
    std::byte* const bytes = layout::extent(pool, extent);
    return {layout::slab::keys(bytes), layout::slab::values(bytes, layout::array_slots(granules))};
  }
};

}  // namespace mangrove::detail
