#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/detail/page_moves.hpp"

namespace mangrove::detail {

/// What a tile counts while it deals pages; best in its scratch.
struct page_counts {
  std::uint32_t dealt;
  std::uint32_t listed;  ///< moves
};

/// What a tile needs to deal pages.
struct page_notes {
  page_counts counts;
  page_move large[size_classes];  ///< moves of more pages than a lane moves
};

/// Deals spare pages to lists that get extents. By one tile; the host books the same by `freed_extents::book`.
class page_dealer {
 public:
  /// What a tile for it has best.
  static constexpr int width = 256;
  static constexpr int scratch_bytes = static_cast<int>((sizeof(page_notes) + 127) / 128 * 128);

  /// @param large room for moves, as `page_notes` has
  MANGROVE_HOST_DEVICE page_dealer(const freed_extents& lists, page_counts* counts, page_move* large)
      : lists_(lists), counts_(counts), large_(large) {}

  /// To be called first, all lanes together.
  template <class Tile>
  MANGROVE_HOST_DEVICE void begin(const Tile& tile) const {
    if (tile.lane() == 0) *counts_ = {};
    tile.sync();
  }

  /// Gets a list the pages that it lacks for so many extents. By one lane. @return whether there are enough
  template <class Lane>
  MANGROVE_HOST_DEVICE bool deal(const Lane& lane, std::uint32_t size_class, std::uint64_t extents) const {
    const freed_extents::list list = lists_[size_class];
    const std::uint32_t more = list.lacks(extents);
    if (more == 0) return true;
    const std::uint32_t before = fetch_add(&counts_->dealt, more);
    if (std::uint64_t{before} + more > lists_.spare().count || list.pages + more > list.places()) return false;
    for_each_move(lists_, size_class, {0, 0, more}, before, 0, [&](const page_move& what) {
      if (what.count <= most_by_lane) return move_pages(lane, lists_, what);
      large_[count_up(&counts_->listed)] = what;
    });
    return true;
  }

  /// To be called at the end, all lanes together.
  template <class Tile>
  MANGROVE_HOST_DEVICE void finish(const Tile& tile) const {
    tile.sync();
    tile.template for_each_part<32>(counts_->listed,
                                    [&](const auto& part, std::size_t i) { move_pages(part, lists_, large_[i]); });
  }

 private:
  static constexpr std::uint32_t most_by_lane = 16;

  const freed_extents& lists_;
  page_counts* counts_;
  page_move* large_;
};

}  // namespace mangrove::detail
