#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/lane_share.hpp"
#include "mangrove/core/load_row.hpp"

namespace mangrove {

/// A lane's share of counters in scratch that are summed up in order: a few neighbouring ones, read and written four at
/// a time, which lanes of a warp can do without meeting in the same banks.
class counter_share {
 public:
  static constexpr int pack = 4;

  /// @param all how many counters there are; those up to the next multiple of four, zero, are gone through with them
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE static counter_share of(const Tile& tile, std::uint32_t all) {
    const std::uint32_t packs = (all + pack - 1) / pack;
    return {lane_share::of(tile, packs), packs};
  }

  /// Whether it ends with the last counter, and is not empty.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_last() const { return own_.begin < own_.end && own_.end == packs_; }

  /// Calls `f(i, counter)` for the counters in order. @param counters aligned to 16 bytes
  template <class F>
  MANGROVE_HOST_DEVICE void for_each(const std::uint32_t* counters, F f) const {
    own_.for_each([&](std::uint32_t p) {
      std::uint32_t own[pack];
      load_row<access::plain>(counters + p * pack, own);
      unrolled<pack>([&](int k) { f(p * pack + k, own[k]); });
    });
  }

  /// The same, where `f` may change the counter.
  template <class F>
  MANGROVE_HOST_DEVICE void change_each(std::uint32_t* counters, F f) const {
    own_.for_each([&](std::uint32_t p) {
      std::uint32_t own[pack];
      load_row<access::plain>(counters + p * pack, own);
      unrolled<pack>([&](int k) { f(p * pack + k, own[k]); });
      store_row(counters + p * pack, own);
    });
  }

 private:
  MANGROVE_HOST_DEVICE counter_share(lane_share own, std::uint32_t packs) : own_(own), packs_(packs) {}

  lane_share own_;  ///< of fours
  std::uint32_t packs_;
};

/// Goes through counters in order, all lanes together, each with its share. @param amount what a counter adds to the
/// sum
/// @param f called as `f(i, counter, before)`, `before` being the sum of those before; may change the counter; called
/// also for those up to the next multiple of four
/// @param end called with the whole sum, by one lane; by none where there are no counters
template <class Tile, class Amount, class F, class End>
MANGROVE_HOST_DEVICE void sum_in_order(const Tile& tile, std::uint32_t* counters, std::uint32_t all, Amount amount, F f,
                                       End end) {
  const counter_share mine = counter_share::of(tile, all);
  std::uint32_t own = 0;
  mine.for_each(counters, [&](std::uint32_t, std::uint32_t& count) { own += amount(count); });
  std::uint32_t before = tile.prefix_sum(own);
  mine.change_each(counters, [&](std::uint32_t i, std::uint32_t& counter) {
    const std::uint32_t more = amount(counter);
    f(i, counter, before);
    before += more;
  });
  if (mine.is_last()) end(before);
}

/// From counts to where each one's things begin if they stand in order. All lanes together.
/// @param begins counts at first @param counts gets them @param end called as `sum_in_order` says
template <class Tile, class End>
MANGROVE_HOST_DEVICE void begin_in_order(const Tile& tile, std::uint32_t* begins, std::uint32_t* counts,
                                         std::uint32_t all, End end) {
  sum_in_order(
      tile, begins, all, [](std::uint32_t count) { return count; },
      [&](std::uint32_t i, std::uint32_t& begin, std::uint32_t before) {
        counts[i] = begin;
        begin = before;
      },
      end);
}

/// Zeroes counters, and those up to the next multiple of four.
template <class Tile>
MANGROVE_HOST_DEVICE void clear_counters(const Tile& tile, std::uint32_t* counters, std::uint32_t all) {
  tile.strided((all + counter_share::pack - 1) / counter_share::pack, [&](std::size_t p) {
    const std::uint32_t zeros[counter_share::pack] = {};
    store_row(counters + p * counter_share::pack, zeros);
  });
}

}  // namespace mangrove
