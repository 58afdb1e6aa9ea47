#include "mangrove/core/detail/cut_plan.hpp"

#include <algorithm>

namespace mangrove::detail {

namespace {

class cut_planner {
 public:
  cut_planner(const class_counts& free, const class_counts& wanted) : free_(free), wanted_(wanted) {
    for (std::uint32_t c = 0; c < size_classes; ++c) {
      spare_[c] = free[c] - std::min(free[c], wanted[c]);
      if (spare_[c] != 0) classes_ = c + 1;
    }
  }

  cut_plan run() {
    for (std::uint32_t c = size_classes; c-- != 0;) serve(c);
    plan_.offsets.push_back(pieces_);
    return std::move(plan_);
  }

 private:
  /// Makes what the class lacks, as far as larger ones can give it.
  void serve(std::uint32_t to) {
    std::uint64_t there = std::uint64_t{free_[to]} + plan_.made[to];
    for (std::uint32_t from = to + 1; from < classes_ && there < wanted_[to]; ++from) {
      if (spare_[from] == 0 || size_class_alignment(from) < size_class_alignment(to)) continue;
      there += cut(from, to, static_cast<std::uint32_t>(wanted_[to] - there));
    }
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
  class_counts spare_{};       ///< extents that may be cut
  std::uint32_t classes_ = 0;  ///< up to the largest that has any
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
