#pragma once

#include <bit>
#include <cstdint>

#include "mangrove/core/backend.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove {

/// Things to work on of which each lane of a tile has some, dealt out evenly: in each round every lane gets one,
/// whosever it is. For lanes with very different numbers of them, where each would wait for the one with the most.
///
/// All lanes call the members together. Refers to the tile. Cost on CUDA: a scan, and a few shuffles a round.
template <class Tile>
class shared_items {
 public:
  static constexpr std::uint32_t in_round = Tile::lanes;

  /// @param count of this lane's things
  MANGROVE_HOST_DEVICE shared_items(const Tile& tile, std::uint32_t count)
      : tile_(tile), begin_(tile.sum_before(count)), end_(begin_ + count), all_(tile.broadcast(end_, last_lane)) {}

  /// Things of all lanes.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t all() const { return all_; }

  struct item {
    bool is_there;
    int owner;        ///< the lane whose thing it is
    std::uint32_t k;  ///< which of the owner's
  };

  /// What this lane gets. @param round begins with this one of all things: a multiple of `in_round` below `all()`
  [[nodiscard]] MANGROVE_HOST_DEVICE item mine(std::uint32_t round) const {
    const std::uint32_t number = round + static_cast<std::uint32_t>(tile_.lane());
    // The last lane whose things begin here or before: those after it that have none begin where its things end.
    int owner = 0;
    unrolled<steps>([&](int k) {
      const int later = owner + (Tile::lanes >> (k + 1));
      if (tile_.broadcast(begin_, later) <= number) owner = later;
    });
    return {number < all_, owner, number - tile_.broadcast(begin_, owner)};
  }

  /// The lanes, as bits, that get things of this lane.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t lanes_with_own(std::uint32_t round) const {
    const std::uint32_t from = begin_ > round ? begin_ - round : 0;
    const std::uint32_t to = end_ > round ? end_ - round : 0;
    return below(to) & ~below(from);
  }

 private:
  static constexpr int last_lane = Tile::lanes - 1;
  static constexpr int steps = std::bit_width(static_cast<unsigned>(Tile::lanes)) - 1;  ///< of halving the lanes

  MANGROVE_HOST_DEVICE static std::uint32_t below(std::uint32_t lane) {
    return lane >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << lane) - 1;
  }

  const Tile& tile_;
  std::uint32_t begin_;  ///< of this lane's things, among all
  std::uint32_t end_;
  std::uint32_t all_;
};

}  // namespace mangrove
