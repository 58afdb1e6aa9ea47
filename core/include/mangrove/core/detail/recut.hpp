#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "mangrove/core/detail/cut_plan.hpp"
#include "mangrove/core/detail/extent_join.hpp"
#include "mangrove/core/detail/free_lists.hpp"

namespace mangrove::detail {

/// Extents that will be given back.
struct gifts {
  class_counts expected{};  ///< of each class
  class_counts possible{};  ///< of each class at most, besides
  std::uint64_t more = 0;   ///< of those, in all
  std::uint32_t ahead = 8;  ///< times that as much may be expected, for which lists get pages if there are some
};

/// A change of the freed extents, joined and cut or neither, which is ready to be made: what it takes is allocated.
template <backend B>
class recut {
 public:
  /// Changes nothing.
  explicit recut(const class_counts& free) : free_(free) {}

  /// Cuts. @param wanted how many extents there should be
  recut(const class_counts& free, const class_counts& wanted) : free_(free), plan_(plan_cuts(free, wanted)) {}

  /// Joins, and cuts what comes of it.
  recut(joined_extents<B>&& joined, const class_counts& wanted) : recut(joined.made(), wanted) {
    joined_.emplace(std::move(joined));
  }

  [[nodiscard]] bool joins() const noexcept { return joined_.has_value(); }
  [[nodiscard]] bool cuts() const noexcept { return !plan_.cuts.empty(); }

  /// Freed extents that there are then.
  [[nodiscard]] class_counts after() const noexcept {
    class_counts counts = free_;
    for (std::uint32_t c = 0; c < size_classes; ++c) counts[c] += plan_.made[c] - plan_.used[c];
    return counts;
  }

  /// Room that lists need for the change, and for what is given after it.
  [[nodiscard]] list_room room(const gifts& given) const noexcept {
    list_room room{{}, {}, given.more / page_extents, 0, given.ahead};
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      room.certain[c] = std::uint64_t{free_[c]} + plan_.made[c] + given.expected[c];
      room.possible[c] = room.certain[c] + given.possible[c];
      room.pages += given.possible[c] != 0 ? 1 : 0;  // one of each class will not be full
      if (room.possible[c] != 0) room.classes = c + 1;
    }
    return room;
  }

  /// Makes the change. Allocates nothing. @param lists have room
  void make(const resources<B>& res, free_lists<B>& lists) {
    if (joined_) joined_->write(res, lists);
    if (plan_.cuts.empty()) return;
    class_counts extents = lists.counts();
    for (std::uint32_t c = 0; c < size_classes; ++c) extents[c] += plan_.made[c];
    const freed_extents before = lists.snapshot();
    lists.turn(res, plan_.used, extents, after(), list_pages::all);
    for (std::size_t first = 0; first < plan_.cuts.size(); first += cut_extents::most_cuts) {
      const cut_extents body(before, plan_, first);
      for_each_tile<1>(res, body.pieces(), body);
    }
  }

 private:
  std::optional<joined_extents<B>> joined_;
  class_counts free_;  ///< that the plan is for
  cut_plan plan_;
};

}  // namespace mangrove::detail
