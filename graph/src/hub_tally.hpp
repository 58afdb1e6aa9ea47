#pragma once

#include <cstdint>

#include "hub.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/graph/update.hpp"

/// @file
/// What the updates of a hub come to, counted by tiles that apply a piece of them each.

namespace mangrove::detail {

/// What some updates of a hub come to, as a lane has counted it.
struct hub_counts {
  std::uint32_t inserted = 0;
  std::uint32_t overwritten = 0;
  std::uint32_t erased = 0;
  std::uint32_t tombstones = 0;  ///< modulo 2^32
  edge_outcome loop = edge_outcome::nothing;

  MANGROVE_HOST_DEVICE void add(edge_outcome outcome) {
    inserted += outcome == edge_outcome::insert ? 1 : 0;
    overwritten += outcome == edge_outcome::overwrite ? 1 : 0;
    erased += outcome == edge_outcome::erase ? 1 : 0;
  }

  /// Adds the counts of all lanes to the hub's.
  template <class Tile>
  MANGROVE_HOST_DEVICE void book(const Tile& tile, hub& of) const {
    tile.add_sum(&of.inserted, inserted);
    tile.add_sum(&of.overwritten, overwritten);
    tile.add_sum(&of.erased, erased);
    tile.add_sum(&of.tombstones, tombstones);
    if (loop != edge_outcome::nothing) of.loop = loop;
  }
};

/// What pieces of a hub come to and how many they are, in one word that each of them is added to. Who adds the last one
/// knows all without a fence: one that every tile passes empties the L1 cache of those beside it. For hubs whose pieces
/// are small, and updates of one kind.
class hub_tally {
 public:
  /// Whether a hub with so many updates can be counted so.
  [[nodiscard]] MANGROVE_HOST_DEVICE static constexpr bool suits(std::uint32_t updates) {
    return updates < std::uint32_t{1} << count_bits;
  }

  /// A piece. @param made what this lane has counted
  template <class Tile>
  MANGROVE_HOST_DEVICE hub_tally(const Tile& tile, const hub_counts& made)
      : low_(tile.sum(low_of(made)) + 1), high_(tile.sum(high_of(made))) {}

  /// Adds the piece to others. By one lane. @return the sum
  MANGROVE_HOST_DEVICE hub_tally add_to(std::uint64_t* sum) const {
    const std::uint64_t word = std::uint64_t{high_} << 32 | low_;
    return hub_tally(fetch_add(sum, word) + word);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t pieces() const { return low_ & ((1U << loop_from) - 1); }

  /// @param kind of the updates
  [[nodiscard]] MANGROVE_HOST_DEVICE hub_counts counts(update_kind kind) const {
    const std::uint32_t changed = low_ >> changed_from;
    const bool inserts = kind == update_kind::insert;
    const std::uint32_t overwritten = high_ & ((1U << tombstones_from) - 1);
    const auto loop = static_cast<edge_outcome>(low_ >> loop_from & ((1U << (changed_from - loop_from)) - 1));
    const auto tombstones = static_cast<std::int32_t>(high_) >> tombstones_from;  // with its sign
    return {inserts ? changed : 0, overwritten, inserts ? 0 : changed, static_cast<std::uint32_t>(tombstones), loop};
  }

 private:
  static constexpr std::uint32_t count_bits = 14;  ///< of a number of updates
  static constexpr std::uint32_t loop_from = 10;   ///< bit; below it are pieces, above edges that come or go
  static constexpr std::uint32_t changed_from = 12;
  static constexpr std::uint32_t tombstones_from = 16;  ///< bit; below it are overwritten edges

  static_assert(hub_piece::count_for((1U << count_bits) - 1) < 1U << loop_from);

  explicit MANGROVE_HOST_DEVICE hub_tally(std::uint64_t word)
      : low_(static_cast<std::uint32_t>(word)), high_(static_cast<std::uint32_t>(word >> 32)) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t low_of(const hub_counts& made) {
    return (made.inserted + made.erased) << changed_from | static_cast<std::uint32_t>(made.loop) << loop_from;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t high_of(const hub_counts& made) {
    return (made.tombstones << tombstones_from) + made.overwritten;
  }

  std::uint32_t low_;
  std::uint32_t high_;
};

}  // namespace mangrove::detail
