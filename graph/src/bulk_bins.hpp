#pragma once

#include <cstddef>
#include <cstdint>

#include "layout_choice.hpp"

/// @file
/// What a bulk build's rows are, and the bins that they go into.

namespace mangrove::detail {

/// How a vertex's row is kept that does not fit into its entry, and by which launch it is filled.
enum class bulk_bin : std::uint32_t {
  few,     ///< at most 4 edges, sorted by a lane
  tiny,    ///< at most 8 edges, sorted by a tile of 4
  small,   ///< at most 32 edges, sorted by a tile of 8
  table,   ///< a hash table of at most 4 KiB, built in the scratch of a warp
  large,   ///< a hash table of at most 32 KiB, built in the scratch of a block
  larger,  ///< a hash table of at most 192 KiB, built in most of an SM's shared memory
  hub,     ///< a larger one, built in place by many tiles
  tree     ///< a B-tree, whose leaves are dealt out by many tiles
};
inline constexpr std::uint32_t bulk_bins = 8;

/// The edges of one vertex: [begin, end) of the arrays of targets and weights. Repeats are possible.
struct alignas(16) bulk_row {
  std::uint32_t vertex;
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t request;  ///< number of its request to the pool, within the size class

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t size() const { return end - begin; }
};

/// What planning counts: of one stretch of edges in a tile's scratch, of all in the backend's memory.
struct bulk_totals {
  std::uint32_t taken[size_classes];  ///< requests to the pool
  std::uint32_t rows[bulk_bins];
  std::uint32_t chunks;    ///< of hubs
  std::uint32_t doubtful;  ///< rows that may or may not fit into the entry
  std::uint32_t sampled;   ///< edges of rows that were looked at for repeats
  std::uint32_t repeated;  ///< edges of those of them in which one edge, the middle one, occurs again

  static constexpr std::size_t words = size_classes + bulk_bins + 4;

  /// Whether rows should be made again without repeats. Where a quarter of the edges has another one like it, an eighth
  /// at least need not be stored, which is about what the rounding of sizes wastes.
  [[nodiscard]] bool wants_no_repeats() const { return doubtful != 0 || repeated * std::uint64_t{4} > sampled; }
};
static_assert(sizeof(bulk_totals) == bulk_totals::words * sizeof(std::uint32_t));

/// `bulk_totals` as all tiles add to them: neighbouring words, which they do at the same time, lie in sectors of 32
/// bytes apart, since atomics on one sector wait for each other.
struct spread_totals {
  static constexpr std::size_t sectors = (bulk_totals::words + 7) / 8;
  std::uint32_t words[sectors * 8];

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t* word(std::size_t k) {
    return words + k % sectors * 8 + k / sectors;
  }
  [[nodiscard]] bulk_totals together() {
    bulk_totals all{};
    auto* const to = reinterpret_cast<std::uint32_t*>(&all);
    for (std::size_t k = 0; k < bulk_totals::words; ++k) to[k] = *word(k);
    return all;
  }
};

/// How the rows of a bin are filled.
struct bulk_limits {
  static constexpr std::uint32_t few_edges = 4;
  static constexpr std::uint32_t tiny_edges = 8;
  static constexpr std::uint32_t small_edges = 32;
  static constexpr std::uint32_t table_slabs = 32;
  static constexpr std::uint32_t large_slabs = 256;
  static constexpr std::uint32_t larger_slabs = 1536;
  static constexpr std::uint32_t chunk_edges = 512;  ///< of a hub, for one tile
};

/// A part of a hub's edges, and the same share of its slabs.
struct hub_chunk {
  std::uint32_t row;  ///< among the hubs
  std::uint32_t number;

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t count_for(std::uint32_t edges) {
    return (edges + bulk_limits::chunk_edges - 1) / bulk_limits::chunk_edges;
  }
};

/// Rows by bin.
struct bulk_lists {
  bulk_row* of_bin[bulk_bins];
  hub_chunk* chunks;
};

/// Which representation suits a row that has no repeats to speak of.
template <class Bits>
class bulk_chooser {
  using layout = entry_layout<Bits>;

 public:
  explicit bulk_chooser(const adjacency_rule& rule) : policy_(rule) {}

  /// Representation of `edges` neighbours, more than the entry has room for.
  [[nodiscard]] MANGROVE_HOST_DEVICE layout_choice choose(std::uint32_t edges) const {
    return policy_.choose(vertex_entry{}, edges, 0);
  }

  /// Size class of the extent for them.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t class_for(std::uint32_t edges) const {
    return size_class_of(choose(edges).granules);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bulk_bin bin_for(std::uint32_t edges) const {
    const layout_choice choice = choose(edges);
    if (choice.kind == adjacency_kind::tree) return bulk_bin::tree;
    if (choice.kind != adjacency_kind::hash) return sorted_bin(edges);
    const std::uint32_t slabs = choice.granules / granules_per_slab;
    if (slabs <= bulk_limits::table_slabs) return bulk_bin::table;
    if (slabs <= bulk_limits::large_slabs) return bulk_bin::large;
    return slabs <= bulk_limits::larger_slabs ? bulk_bin::larger : bulk_bin::hub;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static bulk_bin sorted_bin(std::uint32_t edges) {
    if (edges <= bulk_limits::few_edges) return bulk_bin::few;
    return edges <= bulk_limits::tiny_edges ? bulk_bin::tiny : bulk_bin::small;
  }

  /// Fewest edges of a row in a bin, or less: what sizes the lists.
  [[nodiscard]] std::uint32_t fewest_edges(bulk_bin bin) const {
    constexpr std::uint32_t half_full = layout::table::slots / 2;  // tables are fuller, also once sizes are rounded up
    constexpr std::uint32_t beyond_entry = layout::inline_capacity + 1;
    const bool has_arrays = choose(beyond_entry).kind == adjacency_kind::array;
    switch (bin) {
      case bulk_bin::few:
      case bulk_bin::tree:
        return beyond_entry;
      case bulk_bin::tiny:
        return bulk_limits::few_edges + 1;
      case bulk_bin::small:
        return bulk_limits::tiny_edges + 1;
      case bulk_bin::table:
        return has_arrays ? layout_policy<Bits>::largest_array + 1 : beyond_entry;
      case bulk_bin::large:
        return bulk_limits::table_slabs * half_full;
      case bulk_bin::larger:
        return bulk_limits::large_slabs * half_full;
      default:
        return bulk_limits::larger_slabs * half_full;
    }
  }

 private:
  layout_policy<Bits> policy_;
};

}  // namespace mangrove::detail
