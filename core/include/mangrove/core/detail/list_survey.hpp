#pragma once

#include <algorithm>
#include <cstdint>

#include "mangrove/core/detail/class_counts.hpp"
#include "mangrove/core/freed_extents.hpp"

namespace mangrove::detail {

/// What lists of freed extents shall have room for.
struct list_room {
  wide_class_counts certain{};   ///< extents of each list, all at once: there are pages for them
  wide_class_counts possible{};  ///< extents of each list at most: there are places for their pages
  std::uint64_t pages = 0;       ///< spare ones besides, for what is possible
  std::uint32_t classes = 0;     ///< up to the last one of which there may be any
  std::uint32_t ahead = 1;       ///< lists get pages for as many times as much to come, as far as there are pages
};

/// How many pages may be left for a grant to deal.
enum class pages_left : std::uint32_t {
  few = 8,     ///< where they can be dealt beside other work, or for many batches at once
  many = 2048  ///< where a launch of its own would have to deal them
};

/// What there is too little of.
struct list_shortage {
  std::uint64_t pages;
  bool any_directory;
};

/// How much room lists have, and what they lack. On the host, from the lists' books alone.
class list_survey {
 public:
  explicit list_survey(const freed_extents& lists) : lists_(lists) {}

  /// Whether lists lack pages for so many extents more, or few spare ones would be left for others. Takes less time
  /// than `suffices`.
  [[nodiscard]] bool is_tight_for(const class_counts& more) const noexcept {
    page_turn all{};
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      if (more[c] != 0) add(all, c, std::uint64_t{lists_[c].count} + more[c]);
    }
    constexpr auto few = static_cast<std::uint32_t>(pages_left::few);
    return all.more + all.round > few || std::uint64_t{all.more} + few > lists_.spare().count;
  }

  /// Whether there is room, or nearly so, and no more pages have to be dealt than may be left.
  [[nodiscard]] bool suffices(const list_room& room, pages_left left) const noexcept {
    page_turn all{};
    for (std::uint32_t c = 0; c < room.classes; ++c) {
      if (most_pages_of(c, room) > lists_[c].places()) return false;
      add(all, c, room.certain[c]);
    }
    return all.more + all.round <= static_cast<std::uint32_t>(left) &&
           all.more + room.pages / 2 <= lists_.spare().count;
  }

  /// Of the extents that are certain, those that lists have pages for.
  [[nodiscard]] class_counts kept_for(const list_room& room) const noexcept {
    class_counts kept = counts();
    for (std::uint32_t c = 0; c < room.classes; ++c) {
      const std::uint64_t wanted = std::max<std::uint64_t>(room.certain[c], lists_[c].count);
      kept[c] = static_cast<std::uint32_t>(std::min(wanted, lists_[c].room()));
    }
    return kept;
  }

  /// What lists lack. @param kept extents for which they keep their pages: others serve again
  [[nodiscard]] list_shortage shortage_of(const list_room& room, const class_counts& kept) const noexcept {
    list_shortage lacking{room.pages, false};
    for (std::uint32_t c = 0; c < room.classes; ++c) {
      lacking.pages += lists_[c].lacks(room.certain[c]);
      lacking.any_directory = lacking.any_directory || most_pages_of(c, room) > lists_[c].places();
    }
    lacking.pages -= std::min(lacking.pages, lists_.spare().count + unneeded(kept));
    return lacking;
  }

  /// Extents to get pages for: those that are certain and as many times as many as are yet to come as there are pages
  /// for, which leaves as many spare. @param kept those for which lists have pages
  [[nodiscard]] class_counts with_room_ahead(const class_counts& kept, const list_room& room) const noexcept {
    for (std::uint32_t times = room.ahead; times != 0; times /= 2) {
      const class_counts all = kept_ahead(kept, room, times);
      if (lack(all) <= lists_.spare().count / (times == 1 ? 1 : 2)) return all;
    }
    return kept;
  }

  /// Pages that a list may need.
  [[nodiscard]] std::uint32_t most_pages_of(std::uint32_t c, const list_room& room) const noexcept {
    return lists_[c].pages_for(std::max(room.certain[c], room.possible[c]));
  }

  [[nodiscard]] class_counts counts() const noexcept {
    class_counts all{};
    for (std::uint32_t c = 0; c < size_classes; ++c) all[c] = lists_[c].count;
    return all;
  }

 private:
  /// Adds what a grant would do for a list that is to have room for so many extents.
  void add(page_turn& all, std::uint32_t c, std::uint64_t extents) const noexcept {
    const page_turn turn = lists_[c].turn(0, extents, list_pages::all);
    all.more += turn.more;
    all.round += turn.round;
  }

  /// Pages that lists lack for so many extents.
  [[nodiscard]] std::uint64_t lack(const class_counts& extents) const noexcept {
    std::uint64_t pages = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      if (extents[c] != 0) pages += lists_[c].lacks(extents[c]);
    }
    return pages;
  }

  /// Pages that lists do not need for so many extents.
  [[nodiscard]] std::uint64_t unneeded(const class_counts& extents) const noexcept {
    std::uint64_t pages = 0;
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      const page_turn turn = lists_[c].turn(0, extents[c], list_pages::needed);
      pages += turn.front + turn.back;
    }
    return pages;
  }

  /// @param times as many extents as are yet to come are asked for, where a list has places for their pages
  [[nodiscard]] class_counts kept_ahead(class_counts all, const list_room& room, std::uint32_t times) const noexcept {
    for (std::uint32_t c = 0; c < room.classes; ++c) {
      const freed_extents::list list = lists_[c];
      const std::uint64_t certain = std::max<std::uint64_t>(room.certain[c], list.count);
      const std::uint64_t ahead = list.count + times * (certain - list.count);
      all[c] = static_cast<std::uint32_t>(list.pages_for(ahead) <= list.places() ? ahead : certain);
    }
    return all;
  }

  const freed_extents& lists_;
};

}  // namespace mangrove::detail
