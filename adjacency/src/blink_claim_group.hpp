#pragma once

#include "mangrove/adjacency/detail/blink_claims.hpp"
#include "mangrove/adjacency/detail/blink_view.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// The keys of a batch that claim one leaf, dealt out to the lanes of a tile, and what becomes of each.
/// @tparam Most how many there can be
template <class Key, class Tile, int Most>
class claim_group {
  static_assert(Tile::lanes <= 8, "lanes search for different keys, which wider tiles cannot");

 public:
  static constexpr int rows = (Most + Tile::lanes - 1) / Tile::lanes;

  /// One key, in the lane that holds it.
  struct claim {
    Key key;
    std::uint32_t source;  ///< its number in the batch
    std::uint32_t slot;    ///< keys of the leaf that are below it
    std::uint32_t before;  ///< new keys that are below it
  };

  /// Reads a chain of `count` keys.
  MANGROVE_HOST_DEVICE claim_group(const Tile& tile, const chained_key<Key>* keys, std::uint32_t last,
                                   std::uint32_t count)
      : count_(static_cast<int>(count)) {
    for (int j = 0; j < count_; ++j) {
      const chained_key<Key> next = keys[last - 1];
      keep(tile, j, next.key, last - 1);
      last = next.before;
    }
  }

  /// Finds out which keys are new, and which of equal ones win: with `assign` the last, else the first.
  /// @param row the leaf's keys @param held how many there are
  MANGROVE_HOST_DEVICE void resolve(const Tile& tile, const Key* row, std::uint32_t held, on_existing existing) {
    unrolled<rows>([&](int r) {
      claims_[r].slot = 0;
      claims_[r].before = 0;
      bool is_there = false;
      if (r * Tile::lanes + tile.lane() < count_) {
        const Key key = claims_[r].key;
        claims_[r].slot =
            slots_below<blink_nodes<Key>::slots>(tile, [&](std::uint32_t slot) { return row[slot] < key; });
        is_there = claims_[r].slot < held && row[claims_[r].slot] == key;
        (is_there ? there_ : new_) |= 1U << r;
      }
    });
    drop_repeats(tile, existing);
    each(tile, [&](int from, int lane) {
      const Key key = tile.broadcast(claims_[from].key, lane);
      const bool is_new = tile.broadcast(new_ >> from & 1, lane) != 0;
      unrolled<rows>([&](int r) { claims_[r].before += is_new && key < claims_[r].key ? 1 : 0; });
    });
  }

  /// How many keys are new. Same in every lane.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_new(const Tile& tile) const {
    std::uint32_t all = 0;
    unrolled<rows>([&](int r) { all += count_bits(tile.ballot((new_ >> r & 1) != 0)); });
    return all;
  }

  /// Calls `f(slot)` in all lanes for every new key.
  template <class F>
  MANGROVE_HOST_DEVICE void each_new_slot(const Tile& tile, F f) const {
    each(tile, [&](int from, int lane) {
      const std::uint32_t slot = tile.broadcast(claims_[from].slot, lane);
      if (tile.broadcast(new_ >> from & 1, lane) != 0) f(slot);
    });
  }

  /// Calls `f(row, source)` for the keys that this lane holds.
  template <class F>
  MANGROVE_HOST_DEVICE void own(const Tile& tile, F f) const {
    unrolled<rows>([&](int r) {
      if (r * Tile::lanes + tile.lane() < count_) f(r, claims_[r].source);
    });
  }

  /// Calls `f(row, claim)` for the new keys that this lane holds.
  template <class F>
  MANGROVE_HOST_DEVICE void own_new(F f) const {
    unrolled<rows>([&](int r) {
      if ((new_ >> r & 1) != 0) f(r, claims_[r]);
    });
  }

  /// Calls `f(row, n, claim)` for the keys of this lane that are there already and have won, the n-th of them in the
  /// tile.
  /// @return how many there are in the tile
  template <class F>
  MANGROVE_HOST_DEVICE std::uint32_t own_there(const Tile& tile, F f) const {
    std::uint32_t met = 0;
    unrolled<rows>([&](int r) {
      const bool is_there = (there_ >> r & 1) != 0;
      const std::uint32_t lanes = tile.ballot(is_there);
      if (is_there) f(r, met + count_bits(lanes & ((1U << tile.lane()) - 1)), claims_[r]);
      met += count_bits(lanes);
    });
    return met;
  }

 private:
  MANGROVE_HOST_DEVICE void keep(const Tile& tile, int j, Key key, std::uint32_t source) {
    if constexpr (Tile::lanes == 1) {
      claims_[j].key = key;
      claims_[j].source = source;
    } else {
      unrolled<rows>([&](int r) {
        if (r * Tile::lanes + tile.lane() != j) return;
        claims_[r].key = key;
        claims_[r].source = source;
      });
    }
  }

  /// Calls `f(row, lane)` in all lanes for every key.
  template <class F>
  MANGROVE_HOST_DEVICE void each(const Tile&, F f) const {
    unrolled<rows>([&](int r) {
      for (int lane = 0; lane < Tile::lanes && r * Tile::lanes + lane < count_; ++lane) f(r, lane);
    });
  }

  MANGROVE_HOST_DEVICE void drop_repeats(const Tile& tile, on_existing existing) {
    each(tile, [&](int from, int lane) {
      const Key key = tile.broadcast(claims_[from].key, lane);
      const std::uint32_t source = tile.broadcast(claims_[from].source, lane);
      unrolled<rows>([&](int r) {
        const bool is_beaten =
            existing == on_existing::assign ? source > claims_[r].source : source < claims_[r].source;
        if (key != claims_[r].key || !is_beaten) return;
        new_ &= ~(1U << r);
        there_ &= ~(1U << r);
      });
    });
  }

  int count_;
  claim claims_[rows] = {};
  std::uint32_t new_ = 0;    ///< bit r: the key in row r is new
  std::uint32_t there_ = 0;  ///< bit r: it is there already
};

}  // namespace mangrove::detail
