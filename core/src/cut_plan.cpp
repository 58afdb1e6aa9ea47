#include "mangrove/core/detail/cut_plan.hpp"

#include <algorithm>
#include <array>

namespace mangrove::detail {

namespace {

class cut_planner {
 public:
  cut_planner(const class_counts& free, const class_counts& wanted) : free_(free), wanted_(wanted) {
    for (std::uint32_t c = size_classes; c-- != 0;) {
      spare_[c] = free[c] - std::min(free[c], wanted[c]);
      next_[c] = spare_[c] != 0 ? c : next_[c + 1];
    }
  }

  cut_plan run() {
    for (std::uint32_t c = size_classes; c-- != 0;) serve(c);
    plan_.offsets.push_back(pieces_);
    return std::move(plan_);
  }

 private:
  static constexpr std::array<std::uint32_t, size_classes + 1> all_ends() {
    std::array<std::uint32_t, size_classes + 1> ends{};
    ends.fill(size_classes);
    return ends;
  }

  /// Makes what the class lacks, as far as larger ones can give it.
  void serve(std::uint32_t to) {
    std::uint64_t there = std::uint64_t{free_[to]} + plan_.made[to];
    for (std::uint32_t from = next_spare(to + 1); from < size_classes && there < wanted_[to];
         from = next_spare(from + 1)) {
      if (size_class_alignment(from) < size_class_alignment(to)) continue;
      there += cut(from, to, static_cast<std::uint32_t>(wanted_[to] - there));
    }
  }

  /// The first class from `c` on that has extents to spare; `size_classes` without one. What it passes by is not looked
  /// at again.
  std::uint32_t next_spare(std::uint32_t c) {
    std::uint32_t found = next_[c];
    while (found < size_classes && spare_[found] == 0) found = next_[found + 1];
    return next_[c] = found;
  }

  /// Cuts extents into as many pieces as fit, and one more for the pieces that are still missing.
  std::uint32_t cut(std::uint32_t from, std::uint32_t to, std::uint32_t missing) {
    const std::uint32_t fit = size_class_granules(from) / size_class_granules(to);
    const std::uint32_t whole = std::min(spare_[from], missing / fit);
    cut(from, to, whole, fit);
    const std::uint32_t rest = missing - whole * fit;
    if (rest == 0 || spare_[from] == 0) return whole * fit;
    const std::uint32_t last = std::min(rest, fit);
    cut(from, to, 1, last);
    return whole * fit + last;
  }

  void cut(std::uint32_t from, std::uint32_t to, std::uint32_t extents, std::uint32_t pieces) {
    if (extents == 0) return;
    const std::uint32_t all = size_class_granules(from);
    add(from, to, extents, pieces, 0);
    for (std::uint32_t offset = pieces * size_class_granules(to); offset < all;) {
      const std::uint32_t rest = first_piece_class(offset, all - offset, size_class_alignment(from));
      add(from, rest, extents, 1, offset);
      offset += size_class_granules(rest);
    }
    plan_.used[from] += extents;
    spare_[from] -= extents;
  }

  void add(std::uint32_t from, std::uint32_t to, std::uint32_t extents, std::uint32_t pieces, std::uint32_t offset) {
    plan_.cuts.push_back({from, to, plan_.used[from], pieces, offset, plan_.made[to]});
    plan_.offsets.push_back(pieces_);
    plan_.made[to] += extents * pieces;
    pieces_ += std::uint64_t{extents} * pieces;
  }

  const class_counts& free_;
  const class_counts& wanted_;
  class_counts spare_{};  ///< extents that may be cut
  /// By class: the first one from it on that has any, or had when that was last asked. One more, for the end.
  std::array<std::uint32_t, size_classes + 1> next_ = all_ends();
  cut_plan plan_;
  std::uint64_t pieces_ = 0;
};

}  // namespace

cut_plan plan_cuts(const class_counts& free, const class_counts& wanted) {
  return cut_planner(free, wanted).run();
}

cut_extents::cut_extents(const freed_extents& of, const cut_plan& plan, std::size_t first)
    : lists(of), count(static_cast<std::uint32_t>(std::min(most_cuts, plan.cuts.size() - first))) {
  std::copy_n(plan.cuts.begin() + static_cast<std::ptrdiff_t>(first), count, cuts.begin());
  for (std::uint32_t k = 0; k <= count; ++k) {
    offsets[k] = static_cast<std::uint32_t>(plan.offsets[first + k] - plan.offsets[first]);
  }
}

}  // namespace mangrove::detail
