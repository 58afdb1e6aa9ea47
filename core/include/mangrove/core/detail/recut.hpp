#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "mangrove/core/detail/cut_plan.hpp"
#include "mangrove/core/detail/extent_join.hpp"
#include "mangrove/core/detail/free_rings.hpp"

namespace mangrove::detail {

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

  /// Freed extents that there are then.
  [[nodiscard]] class_counts after() const noexcept {
    class_counts counts = free_;
    for (std::uint32_t c = 0; c < size_classes; ++c) counts[c] += plan_.made[c] - plan_.used[c];
    return counts;
  }

  /// Slots that rings need for the change, and for so many extents given after it.
  [[nodiscard]] ring_room room(const class_counts& given) const noexcept {
    ring_room slots{};
    for (std::uint32_t c = 0; c < size_classes; ++c) slots[c] = std::uint64_t{free_[c]} + plan_.made[c] + given[c];
    return slots;
  }

  /// Makes the change. Allocates nothing. @param rings have room
  void make(const resources<B>& res, free_rings<B>& rings) {
    if (joined_) joined_->write(res, rings);
    if (plan_.cuts.empty()) return;
    for (std::size_t first = 0; first < plan_.cuts.size(); first += cut_extents::most_cuts) {
      const cut_extents body(rings.snapshot(), plan_, first);
      for_each_tile<1>(res, body.pieces(), body);
    }
    rings.book(plan_.used, plan_.made);
  }

 private:
  std::optional<joined_extents<B>> joined_;
  class_counts free_;  ///< that the plan is for
  cut_plan plan_;
};

}  // namespace mangrove::detail
