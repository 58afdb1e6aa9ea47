#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/detail/page_moves.hpp"

namespace mangrove::detail {

/// What a tile counts while it deals pages.
struct page_counts {
  std::uint32_t dealt;      ///< spare pages
  std::uint32_t for_parts;  ///< moves that a part of the tile makes
  std::uint32_t for_all;    ///< moves that all lanes make together
};

/// What a tile needs to deal pages, in its scratch.
struct page_notes {
  page_counts counts;
  freed_extents lists;            ///< whose parameters lanes would read one after the other
  page_move large[size_classes];  ///< moves of more pages than a lane moves; those for all lanes from the end on
};

/// Gets lists pages for what they are given: their own that were read, and spare ones. By one tile; the host books the
/// same by `freed_extents::book`. Where it does not, lists and spare pages are as they were.
class page_dealer {
 public:
  /// What a tile for it has.
  static constexpr int width = 256;
  static constexpr int scratch_bytes = static_cast<int>((sizeof(page_notes) + 127) / 128 * 128);

  /// @param notes with the pool's lists
  MANGROVE_HOST_DEVICE explicit page_dealer(page_notes& notes) : notes_(notes) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE const freed_extents& lists() const { return notes_.lists; }

  /// To be called first, all lanes together.
  template <class Tile>
  MANGROVE_HOST_DEVICE void begin(const Tile& tile) const {
    if (tile.lane() == 0) notes_.counts = {};
    tile.sync();
  }

  /// Gets a list the pages that it lacks for so many extents. By one lane. @return whether there are enough
  template <class Lane>
  MANGROVE_HOST_DEVICE bool deal(const Lane& lane, std::uint32_t size_class, std::uint64_t extents) const {
    const freed_extents::list list = lists()[size_class];
    const page_turn turn = list.turn(0, extents, list_pages::all);
    if ((turn.more | turn.round) == 0) return true;
    const std::uint32_t before = turn.more == 0 ? 0 : fetch_add(&notes_.counts.dealt, turn.more);
    if (std::uint64_t{before} + turn.more > lists().spare().count || list.pages + turn.more > list.places())
      return false;
    for_each_move(lists(), size_class, turn, before, 0, [&](const page_move& what) { make_or_note(lane, what); });
    return true;
  }

  /// To be called at the end, all lanes together.
  template <class Tile>
  MANGROVE_HOST_DEVICE void finish(const Tile& tile) const {
    tile.sync();
    const std::uint32_t for_all = notes_.counts.for_all;
    for (std::uint32_t i = 0; i < for_all; ++i) put_behind(tile, lists(), notes_.large[size_classes - 1 - i]);
    tile.template for_each_part<32>(
        notes_.counts.for_parts, [&](const auto& part, std::size_t i) { put_behind(part, lists(), notes_.large[i]); });
  }

 private:
  static constexpr std::uint32_t most_by_lane = 16;
  static constexpr std::uint32_t most_by_part = 256;

  /// Makes a move, or leaves it to more lanes: one waits for memory with every few pages.
  template <class Lane>
  MANGROVE_HOST_DEVICE void make_or_note(const Lane& lane, const page_move& what) const {
    const std::uint32_t pages = what.count + what.round;
    if (pages <= most_by_lane) {
      put_behind(lane, lists(), what);
    } else if (pages <= most_by_part) {
      notes_.large[count_up(&notes_.counts.for_parts)] = what;
    } else {
      notes_.large[size_classes - 1 - count_up(&notes_.counts.for_all)] = what;
    }
  }

  page_notes& notes_;
};

}  // namespace mangrove::detail
