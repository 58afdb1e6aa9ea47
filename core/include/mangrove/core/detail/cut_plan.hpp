#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mangrove/core/detail/class_counts.hpp"
#include "mangrove/core/detail/row_of.hpp"
#include "mangrove/core/freed_extents.hpp"

/// @file
/// Cutting freed extents into smaller ones. The host decides how many of which class become what, by their numbers
/// alone; the extents themselves stay where they are, and kernels write the pieces down.

namespace mangrove::detail {

/// Out of each of some extents of a class: pieces of a smaller class, side by side.
struct extent_cut {
  std::uint32_t from;      ///< class of the extents
  std::uint32_t to;        ///< class of the pieces
  std::uint32_t position;  ///< of the first extent, counted from the head of its list
  std::uint32_t pieces;    ///< of each extent
  std::uint32_t offset;    ///< granules of an extent before its first piece
  std::uint32_t target;    ///< where the first piece goes, counted from the tail of its list
};

/// Cuts that are made at once. What is cut was there before: pieces are not cut again.
struct cut_plan {
  std::vector<extent_cut> cuts;
  std::vector<std::uint64_t> offsets;  ///< pieces of the cuts before each, and of all
  class_counts used{};                 ///< extents cut
  class_counts made{};                 ///< pieces; all granules of what is used are in them
};

/// Plans cuts for the classes that are short, the largest first, from the nearest larger ones that have extents to
/// spare. What is left of an extent becomes as few pieces as can be.
/// @param free freed extents @param wanted how many there should be
/// Cost: on the host, a step for each class, and for each with extents to spare that a class which is short looks at.
[[nodiscard]] cut_plan plan_cuts(const class_counts& free, const class_counts& wanted);

/// Body, once per piece: makes the pieces of some cuts of a plan, which it has with it: to ask for memory and to copy
/// them there takes the host longer than a launch.
struct cut_extents {
  static constexpr std::size_t most_cuts = 96;

  freed_extents lists;  ///< with pages for what the plan makes
  std::uint32_t count = 0;
  std::array<std::uint32_t, most_cuts + 1> offsets{};  ///< pieces of the cuts before each, and of all
  std::array<extent_cut, most_cuts> cuts{};

  /// @param first of the plan's cuts that are made
  cut_extents(const freed_extents& lists, const cut_plan& plan, std::size_t first);

  [[nodiscard]] std::size_t pieces() const noexcept { return offsets[count]; }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::size_t at = row_of(offsets.data(), count, static_cast<std::uint32_t>(i));
    const extent_cut& cut = cuts[at];
    const std::uint32_t piece = static_cast<std::uint32_t>(i) - offsets[at];
    const freed_extents::list to = lists[cut.to];
    const slab_index extent = lists[cut.from][cut.position + piece / cut.pieces];
    to[to.count + cut.target + piece] = extent + cut.offset + piece % cut.pieces * size_class_granules(cut.to);
  }
};

}  // namespace mangrove::detail
