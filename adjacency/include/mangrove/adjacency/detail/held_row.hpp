#pragma once

#include <cstdint>

#include "mangrove/adjacency/detail/blink_access.hpp"
#include "mangrove/adjacency/detail/row_places.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// A row that was read at once: each lane holds neighbouring slots. Of a row that changes meanwhile each lane may have
/// seen another state.
template <std::uint32_t Slots, class Tile, class T>
class held_row {
  static constexpr int own = Slots > Tile::lanes ? static_cast<int>(Slots) / Tile::lanes : 1;

 public:
  MANGROVE_HOST_DEVICE held_row(const Tile& tile, const T* from)
      : first_(static_cast<std::uint32_t>(tile.lane()) * own) {
    if constexpr (Tile::lanes > static_cast<int>(Slots)) held_[0] = T{};
    if (holds()) node_load_row(from + first_, held_);
  }

  /// What this lane holds in its k-th slot.
  [[nodiscard]] MANGROVE_HOST_DEVICE T operator[](int k) const { return held_[k]; }

  /// Looks for a key among the first `count` slots.
  [[nodiscard]] MANGROVE_HOST_DEVICE key_match match(const Tile& tile, T key, std::uint32_t count) const {
    std::uint32_t at = own;
    unrolled<own>([&](int k) {
      if (held_[k] == key && first_ + k < count) at = k;
    });
    return {tile.ballot(at != own), at};
  }

  /// The same in a row that is in no order.
  [[nodiscard]] MANGROVE_HOST_DEVICE key_match scan(const Tile& tile, T value, std::uint32_t count) const {
    return match(tile, value, count);
  }

  /// What stands where a row of keys has a match.
  [[nodiscard]] MANGROVE_HOST_DEVICE T at(const Tile& tile, key_match match) const {
    T here = held_[0];
    unrolled<own>([&](int k) { here = match.own >= static_cast<std::uint32_t>(k) ? held_[k] : here; });
    return tile.broadcast(here, match.lanes == 0 ? 0 : static_cast<int>(lowest_bit(match.lanes)));
  }

  /// Writes what a row of keys has a match for.
  MANGROVE_HOST_DEVICE void assign(T* to, key_match match, T value) const {
    if (match.own < own) node_store(to + first_ + match.own, value);
  }

  /// How many slots hold keys below `key`.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t slots_below(const Tile& tile, T key) const {
    std::uint32_t below = 0;
    unrolled<own>([&](int k) { below += held_[k] < key ? 1 : 0; });
    const std::uint32_t full = count_bits(tile.ballot(holds() && below == own));
    const std::uint32_t lane = full < Slots / own ? full : Slots / own - 1;
    return lane * own + tile.broadcast(below, static_cast<int>(lane));
  }

  /// What a slot holds.
  [[nodiscard]] MANGROVE_HOST_DEVICE T in_slot(const Tile& tile, std::uint32_t slot) const {
    return at(tile, {1U << (slot / own), slot % own});
  }

  /// Calls `f(slot, k)` for slots from `begin` to before `end`, each in the lane that holds it as its k-th.
  template <class F>
  MANGROVE_HOST_DEVICE void for_slots(std::uint32_t begin, std::uint32_t end, F f) const {
    unrolled<own>([&](int k) {
      const std::uint32_t slot = first_ + k;
      if (slot >= begin && slot < end) f(slot, k);
    });
  }

  /// What inserting a key takes, of this row of keys.
  [[nodiscard]] MANGROVE_HOST_DEVICE new_key<T> prepare(const Tile& tile, T key) const {
    const T before = tile.from_before(held_[own - 1]);
    return {key, before, first_ == 0 || before < key};
  }

  /// Writes this row of keys back with one more. @param count keys in it, fewer than slots
  MANGROVE_HOST_DEVICE void insert(const new_key<T>& add, T* to, std::uint32_t count) const {
    write_with(*this, add, to, count, add.key, add.before);
  }

  /// The same for the values of a row of keys.
  template <class Key>
  MANGROVE_HOST_DEVICE void insert_beside(const Tile& tile, const held_row<Slots, Tile, Key>& keys,
                                          const new_key<Key>& add, T* to, std::uint32_t count, T value) const {
    write_with(keys, add, to, count, value, tile.from_before(held_[own - 1]));
  }

  /// Writes this row of keys back without one that is in it. @param filler what an unused slot holds
  MANGROVE_HOST_DEVICE void remove(const Tile& tile, T* to, std::uint32_t count, T key, T filler) const {
    remove_beside(tile, *this, to, count, key, filler);
  }

  template <class Key>
  MANGROVE_HOST_DEVICE void remove_beside(const Tile& tile, const held_row<Slots, Tile, Key>& keys, T* to,
                                          std::uint32_t count, Key key, T filler) const {
    const T after = tile.from_after(held_[0]);
    T now[own];
    unrolled<own>([&](int k) {
      const T shifted = k + 1 == own ? after : held_[k + 1 == own ? 0 : k + 1];
      now[k] = keys[k] < key ? held_[k] : first_ + k + 1 == Slots ? filler : shifted;
    });
    if (first_ < count && !(keys[own - 1] < key)) node_store_row(to + first_, now);
  }

  /// Writes this row back with `value` in a slot, what was there and after it one slot further, and unused slots that
  /// repeat the last one.
  MANGROVE_HOST_DEVICE void open(const Tile& tile, T* to, std::uint32_t slot, std::uint32_t count, T value) const {
    T before = tile.from_before(held_[own - 1]);
    T now[own];
    unrolled<own>([&](int k) {
      const bool is_new = first_ + k == slot || (first_ + k > slot && slot == count);
      now[k] = first_ + k < slot ? held_[k] : is_new ? value : before;
      before = held_[k];
    });
    if (holds() && first_ + own > slot) node_store_row(to + first_, now);
  }

  /// Writes the upper half of this row to the lower half of another, and `filler` to the upper half.
  MANGROVE_HOST_DEVICE void copy_upper(T* to, T filler) const {
    if (is_upper()) {
      node_store_row(to + first_ - Slots / 2, held_);
    } else if (holds()) {
      fill(to + first_ + Slots / 2, filler);
    }
  }

  /// Writes `filler` to the upper half of a row.
  MANGROVE_HOST_DEVICE static void fill_upper(const Tile& tile, T* row, T filler) {
    const std::uint32_t first = static_cast<std::uint32_t>(tile.lane()) * own;
    if (first >= Slots / 2 && first < Slots) fill(row + first, filler);
  }

  /// Some word that is not known before the row has been read.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t any_word() const {
    T any = held_[0];
    unrolled<own>([&](int k) { any |= held_[k]; });
    return static_cast<std::uint32_t>(any);
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE bool holds() const {
    return Tile::lanes <= static_cast<int>(Slots) || first_ < Slots;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_upper() const { return holds() && first_ >= Slots / 2; }

  MANGROVE_HOST_DEVICE static void fill(T* to, T filler) {
    T row[own];
    unrolled<own>([&](int k) { row[k] = filler; });
    node_store_row(to, row);
  }

  template <class Key>
  MANGROVE_HOST_DEVICE void write_with(const held_row<Slots, Tile, Key>& keys, const new_key<Key>& add, T* to,
                                       std::uint32_t count, T value, T before) const {
    T now[own];
    bool follows = add.follows;
    unrolled<own>([&](int k) {
      const bool is_below = keys[k] < add.key;
      now[k] = is_below ? held_[k] : follows ? value : before;
      before = held_[k];
      follows = is_below;
    });
    if (first_ <= count && !(keys[own - 1] < add.key)) node_store_row(to + first_, now);
  }

  std::uint32_t first_;
  T held_[own];
};

}  // namespace mangrove::detail
