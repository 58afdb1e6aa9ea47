#pragma once

#include "blink_gather_bodies.hpp"
#include "mangrove/core/tile_part.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// What applying a batch takes that was dealt out.
template <class Key>
struct dealt_batch {
  blink_view<Key> tree;  ///< as it was
  bin_arrays<Key> bins;
  const void* values;  ///< the caller's, by source
  on_existing existing;
  std::uint8_t* inserted;  ///< where the caller wants to know, else null
  std::uint32_t granted;   ///< new leaves that there is memory for
  dealt_tally* tally;
};

/// Where a key comes to lie.
struct leaf_place {
  node_index leaf;
  std::uint32_t slot;
};

/// The keys of a leaf and those that it gets, held by the lanes of a tile.
/// @tparam Value bits of values, or none
/// @tparam Tile part of a warp that goes in step with others, which is faster for few keys: votes are cheap then, but
/// all wait for the one that gets the most
/// @tparam Most keys that it can get
template <class Key, class Value, class Tile, int Most>
class leaf_merge {
  static_assert(Tile::lanes <= 8, "lanes search for different keys, which wider tiles cannot");
  static constexpr std::uint32_t slots = blink_nodes<Key>::slots;
  static constexpr int rows = (slots + Tile::lanes - 1) / Tile::lanes;
  static constexpr int given_rows = (Most + Tile::lanes - 1) / Tile::lanes;

 public:
  /// Reads everything.
  MANGROVE_HOST_DEVICE leaf_merge(const Tile& tile, const dealt_batch<Key>& batch, const dealt_leaf& of)
      : batch_(batch), of_(of) {
    const Key* const keys = batch.tree.nodes.keys_of(of.leaf);
    const Value* const values = values_of(of.leaf);
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Tile::lanes + tile.lane();
      held_[row] = keys[slot];
      held_values_[row] = load_bits<Value>(values, slot);
      moved_by_[row] = 0;
    });
    unrolled<given_rows>([&](int row) { read_given(tile, row); });
    if constexpr (!is_tile_part<Tile>) unrolled<given_rows>([&](int row) { look_up(tile, row, keys); });
    compare_given(tile);
    unrolled<given_rows>([&](int row) {
      const bool loses = (lost_ >> row & 1) != 0;
      const bool is_there = (there_ >> row & 1) != 0;
      fresh_ |= tile.ballot(is_given(tile, row) && !loses && !is_there) << (row * Tile::lanes);
    });
    each_given(tile, [&](int row, int lane, bool) {
      const std::uint32_t below = tile.broadcast(below_[row], lane);
      if ((fresh_ >> (row * Tile::lanes + lane) & 1) != 0) make_way(tile, below);
    });
  }

  /// How many keys are new. Same in every lane.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t fresh() const { return count_bits(fresh_); }

  /// Writes all that does not lie where it shall. @param place_of gives the `leaf_place` of the n-th key of the leaf
  /// and the new ones together @param put called for each key that is written or stays, with its number
  template <class PlaceOf, class Put>
  MANGROVE_HOST_DEVICE void write(const Tile& tile, PlaceOf place_of, Put put) const {
    tile.sync();  // all have read what some write now
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Tile::lanes + tile.lane();
      if (slot >= of_.held) return;
      const std::uint32_t n = slot + moved_by_[row];
      const leaf_place to = place_of(n);
      if (to.slot != slot || to.leaf != of_.leaf) store(to, held_[row], held_values_[row]);
      put(n, held_[row]);
    });
    unrolled<given_rows>([&](int row) {
      if ((fresh_ >> (row * Tile::lanes + tile.lane()) & 1) == 0) return;
      const std::uint32_t n = number_of(row);
      store(place_of(n), given_[row], given_values_[row]);
      put(n, given_[row]);
      if (batch_.inserted != nullptr) batch_.inserted[sources_[row]] = 1;
    });
    if (batch_.existing == on_existing::keep || is_none<Value>) return;
    tile.sync();  // values that were there have moved
    unrolled<given_rows>([&](int row) {
      if (((there_ & ~lost_) >> row & 1) == 0) return;
      const leaf_place to = place_of(number_of(row));
      store_bits(values_of(to.leaf), to.slot, given_values_[row]);
    });
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE int given() const { return static_cast<int>(of_.count()); }

  [[nodiscard]] MANGROVE_HOST_DEVICE Value* values_of(node_index leaf) const {
    return reinterpret_cast<Value*>(batch_.tree.nodes.leaf_values) + std::size_t{leaf} * slots;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_given(const Tile& tile, int row) const {
    return row * Tile::lanes + tile.lane() < given();
  }

  MANGROVE_HOST_DEVICE void read_given(const Tile& tile, int row) {
    if (!is_given(tile, row)) return;
    const std::uint32_t at = of_.first + row * Tile::lanes + tile.lane();
    given_[row] = batch_.bins.keys[at];
    sources_[row] = batch_.bins.sources[at];
    given_values_[row] = load_bits<Value>(batch_.values, sources_[row]);
  }

  MANGROVE_HOST_DEVICE void look_up(const Tile& tile, int row, const Key* keys) {
    if (!is_given(tile, row)) return;
    const Key key = given_[row];
    const std::uint32_t slot = slots_below<slots>(tile, [&](std::uint32_t slot) { return keys[slot] < key; });
    below_[row] = slot < of_.held ? slot : of_.held;
    if (slot < of_.held && keys[slot] == key) there_ |= 1U << row;
  }

  /// The same for a key that one lane holds, by all that hold keys of the leaf.
  MANGROVE_HOST_DEVICE void look_up_by_votes(const Tile& tile, int from, int lane, Key key, bool is_given_here) {
    std::uint32_t below = 0;
    std::uint32_t same = 0;
    unrolled<rows>([&](int row) {
      const bool holds = row * Tile::lanes + tile.lane() < of_.held;
      below += count_bits(tile.ballot(holds && held_[row] < key));
      same |= tile.ballot(holds && held_[row] == key);
    });
    if (tile.lane() != lane) return;
    below_[from] = below;
    if (is_given_here && same != 0) there_ |= 1U << from;
  }

  /// Calls `f(row, lane, is_there)` in all lanes for every key that the leaf gets, or others in step with it.
  template <class F>
  MANGROVE_HOST_DEVICE void each_given(const Tile& tile, F f) const {
    unrolled<given_rows>([&](int row) {
      for (int lane = 0; lane < Tile::lanes; ++lane) {
        const bool is_there = row * Tile::lanes + lane < given();
        if (!any_in_step(tile, is_there)) break;
        f(row, lane, is_there);
      }
    });
  }

  /// Finds out which keys are less than which, and which of equal ones lose: all but the first, or, where values are
  /// assigned, the last.
  MANGROVE_HOST_DEVICE void compare_given(const Tile& tile) {
    each_given(tile, [&](int from, int lane, bool is_there) {
      const Key key = tile.broadcast(given_[from], lane);
      const std::uint32_t source = tile.broadcast(sources_[from], lane);
      if constexpr (is_tile_part<Tile>) look_up_by_votes(tile, from, lane, key, is_there);
      unrolled<given_rows>([&](int row) {
        if (key < given_[row]) less_[row] |= 1U << (from * Tile::lanes + lane);
        const bool wins = batch_.existing == on_existing::assign ? source > sources_[row] : source < sources_[row];
        if (is_there && key == given_[row] && wins) lost_ |= 1U << row;
      });
    });
  }

  /// Keys from a slot on move by one more.
  MANGROVE_HOST_DEVICE void make_way(const Tile& tile, std::uint32_t from) {
    unrolled<rows>([&](int row) {
      const std::uint32_t slot = row * Tile::lanes + tile.lane();
      moved_by_[row] += from <= slot ? 1 : 0;
    });
  }

  /// Number of a key that the leaf gets, among all.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t number_of(int row) const {
    return below_[row] + count_bits(fresh_ & less_[row]);
  }

  MANGROVE_HOST_DEVICE void store(const leaf_place& to, Key key, Value value) const {
    batch_.tree.nodes.keys_of(to.leaf)[to.slot] = key;
    store_bits(values_of(to.leaf), to.slot, value);
  }

  const dealt_batch<Key>& batch_;
  dealt_leaf of_;
  Key held_[rows];
  Value held_values_[rows];
  std::uint32_t moved_by_[rows];
  Key given_[given_rows] = {};
  Value given_values_[given_rows];
  std::uint32_t sources_[given_rows] = {};
  std::uint32_t below_[given_rows] = {};  ///< keys of the leaf that are below
  std::uint32_t less_[given_rows] = {};   ///< bit j: the j-th key that the leaf gets is less
  std::uint32_t there_ = 0;               ///< bit r: this lane's key in row r is in the leaf already
  std::uint32_t lost_ = 0;                ///< bit r: another one, equal to it, wins
  std::uint32_t fresh_ = 0;               ///< bit j: the j-th key is new; same in every lane
};

}  // namespace mangrove::detail
