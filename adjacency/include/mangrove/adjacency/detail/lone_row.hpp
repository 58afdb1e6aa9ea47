#pragma once

#include <cstdint>

#include "mangrove/adjacency/detail/blink_access.hpp"
#include "mangrove/adjacency/detail/ordered_slots.hpp"
#include "mangrove/adjacency/detail/row_places.hpp"

namespace mangrove::detail {

/// For a lane that works alone: it reads what it needs when it needs it.
template <std::uint32_t Slots, class T>
class lone_row {
 public:
  template <class Tile>
  MANGROVE_HOST_DEVICE lone_row(const Tile&, const T* from) : from_(from) {}

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE key_match match(const Tile& tile, T key, std::uint32_t count) const {
    const std::uint32_t slot = slots_below(tile, key);
    return {slot < count && node_load(from_ + slot) == key ? 1U : 0U, slot};
  }
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE key_match scan(const Tile&, T value, std::uint32_t count) const {
    std::uint32_t slot = 0;
    while (slot < count && node_load(from_ + slot) != value) ++slot;
    return {slot < count ? 1U : 0U, slot};
  }
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE T at(const Tile& tile, key_match match) const {
    return in_slot(tile, match.is_hit() ? match.own : 0);
  }
  MANGROVE_HOST_DEVICE void assign(T* to, key_match match, T value) const { node_store(to + match.own, value); }
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t slots_below(const Tile&, T key) const {
    return slots_below(key);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t slots_below(T key) const {
    return slots_below_halving<Slots>([&](std::uint32_t slot) { return node_load(from_ + slot) < key; });
  }
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE T in_slot(const Tile&, std::uint32_t slot) const {
    return node_load(from_ + slot);
  }

  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE new_key<T> prepare(const Tile&, T key) const {
    return {key, key, false};
  }
  MANGROVE_HOST_DEVICE void insert(const new_key<T>& add, T* to, std::uint32_t count) const {
    open(to, slots_below(add.key), count, add.key);
  }
  template <class Tile, class Key>
  MANGROVE_HOST_DEVICE void insert_beside(const Tile&, const lone_row<Slots, Key>& keys, const new_key<Key>& add, T* to,
                                          std::uint32_t count, T value) const {
    open(to, keys.slots_below(add.key), count, value);
  }
  template <class Tile>
  MANGROVE_HOST_DEVICE void remove(const Tile& tile, T* to, std::uint32_t count, T key, T filler) const {
    remove_beside(tile, *this, to, count, key, filler);
  }
  template <class Tile, class Key>
  MANGROVE_HOST_DEVICE void remove_beside(const Tile&, const lone_row<Slots, Key>& keys, T* to, std::uint32_t count,
                                          Key key, T filler) const {
    for (std::uint32_t i = keys.slots_below(key); i + 1 < count; ++i) node_store(to + i, node_load(to + i + 1));
    node_store(to + count - 1, filler);
  }
  template <class Tile>
  MANGROVE_HOST_DEVICE void open(const Tile&, T* to, std::uint32_t slot, std::uint32_t count, T value) const {
    open(to, slot, count, value);
    if (slot < count) return;
    for (std::uint32_t i = slot + 1; i < Slots; ++i) node_store(to + i, value);
  }
  MANGROVE_HOST_DEVICE void copy_upper(T* to, T filler) const {
    for (std::uint32_t i = 0; i < Slots / 2; ++i) node_store(to + i, node_load(from_ + Slots / 2 + i));
    fill_upper(to, filler);
  }
  template <class Tile>
  MANGROVE_HOST_DEVICE static void fill_upper(const Tile&, T* row, T filler) {
    fill_upper(row, filler);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t any_word() const { return 0; }

 private:
  MANGROVE_HOST_DEVICE static void fill_upper(T* row, T filler) {
    for (std::uint32_t i = Slots / 2; i < Slots; ++i) node_store(row + i, filler);
  }
  MANGROVE_HOST_DEVICE static void open(T* row, std::uint32_t slot, std::uint32_t count, T value) {
    for (std::uint32_t i = count; i > slot; --i) node_store(row + i, node_load(row + i - 1));
    node_store(row + slot, value);
  }

  const T* from_;
};

}  // namespace mangrove::detail
