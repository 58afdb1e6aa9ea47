#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/prefetch.hpp"
#include "mangrove/graph/detail/array_search.hpp"
#include "mangrove/graph/detail/tree_directory.hpp"
#include "mangrove/graph/detail/vertex_entry.hpp"

namespace mangrove::detail {

/// A vertex's B-tree: leaves of one slab each, and the directory that finds them. A trivially copyable view.
///
/// A leaf holds its keys ascending from the slab's start; slots without one hold `empty`, which no vertex is. Leaves
/// without any keys are allowed.
template <class Weight>
class tree_leaves {
  using layout = entry_layout<Weight>;

 public:
  static constexpr std::uint32_t slots = layout::slab::slab_slots;
  static constexpr std::uint32_t empty = slot_mark<std::uint32_t>::empty;

  MANGROVE_HOST_DEVICE tree_leaves(std::byte* pool, const vertex_entry& entry)
      : pool_(pool),
        directory_(reinterpret_cast<std::uint32_t*>(layout::extent(pool, entry.extent())), entry.leaves()) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE const tree_directory& directory() const { return directory_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t leaves() const { return directory_.leaves(); }

  /// The keys and weights of a slab that is a leaf.
  [[nodiscard]] MANGROVE_HOST_DEVICE static neighbor_array<Weight> in_slab(std::byte* pool, slab_index slab) {
    return neighbor_array<Weight>::in_extent(pool, slab, granules_per_slab);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE neighbor_array<Weight> leaf(std::uint32_t number) const {
    return in_slab(pool_, directory_.slabs()[number]);
  }

  /// Where v is. Same result in every lane.
  struct place {
    std::uint32_t leaf;
    std::uint32_t slot;  ///< `no_slot` when v is not there
  };
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE place find(const Tile& tile, std::uint32_t v) const {
    const std::uint32_t number = directory_.find(tile, v);
    return {number, find_in_array(tile, leaf(number).keys, slots, v)};
  }

  /// Number of keys of a leaf. Same result in every lane.
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t size(const Tile& tile, const std::uint32_t* keys) {
    return count_bits(tile.template match<slots>([keys](int i) { return keys[i] != empty; }));
  }

  /// Calls `f(v, weight)` for the neighbours in leaves [first, last), in a lane each. A lane's calls ascend.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each(const Tile& tile, std::uint32_t first, std::uint32_t last, F f) const {
    if constexpr (Tile::simd) {
      for (std::uint32_t number = first; number < last; ++number) {
        ask_for(number + ahead);
        const auto in = leaf(number);
        for (std::uint32_t i = 0; i < slots && in.keys[i] != empty; ++i) f(in.keys[i], in.weights + i);
      }
    } else {
      tile.strided(static_cast<std::size_t>(last - first) * slots, [&](std::size_t i) {
        const auto in = leaf(first + static_cast<std::uint32_t>(i / slots));
        const std::uint32_t v = in.keys[i % slots];
        if (v != empty) f(v, in.weights + i % slots);
      });
    }
  }

  /// Calls `f(v, weight)` for the neighbours in [low, high), in a lane each. A lane's calls ascend.
  /// Cost: two searches in the directory, and a read of the leaves between.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_in(const Tile& tile, std::uint32_t low, std::uint32_t high, F f) const {
    if (low >= high) return;
    for_each(tile, directory_.find(tile, low), directory_.find(tile, high - 1) + 1,
             [&](std::uint32_t v, const Weight* weight) {
               if (v >= low && v < high) f(v, weight);
             });
  }

 private:
  /// Leaves that the CPU asks for before it comes to them: they may lie anywhere.
  static constexpr std::uint32_t ahead = 4;

  MANGROVE_HOST_DEVICE void ask_for(std::uint32_t number) const {
    if (number >= leaves()) return;
    const std::byte* const slab = layout::extent(pool_, directory_.slabs()[number]);
    prefetch(slab);
    prefetch(slab + slab_bytes / 2);
  }

  std::byte* pool_;
  tree_directory directory_;
};

}  // namespace mangrove::detail
