#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/adjacency/detail/held_row.hpp"
#include "mangrove/adjacency/detail/lone_row.hpp"
#include "mangrove/core/none.hpp"

/// @file
/// The keys or values of a leaf, as the lanes of a tile read them beside writers, and change them under the leaf's
/// lock. Classes with the same members: rows that lanes hold, and rows that a lane alone reads in memory.
///
/// On CUDA a vote or a shuffle among fewer lanes than a warp takes some ten instructions, for it has to make sure that
/// they are together; so rows are changed with as few of them as go.

namespace mangrove::detail {

/// The values of keys that have none.
class no_row {
 public:
  template <class Tile>
  MANGROVE_HOST_DEVICE no_row(const Tile&, const none*) {}
  [[nodiscard]] MANGROVE_HOST_DEVICE none operator[](int) const { return {}; }
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE none at(const Tile&, key_match) const {
    return {};
  }
  MANGROVE_HOST_DEVICE void assign(none*, key_match, none) const {}
  template <class Tile>
  [[nodiscard]] MANGROVE_HOST_DEVICE none in_slot(const Tile&, std::uint32_t) const {
    return {};
  }
  MANGROVE_HOST_DEVICE void copy_upper(none*, none) const {}
  template <class Tile, class Row, class Key>
  MANGROVE_HOST_DEVICE void insert_beside(const Tile&, const Row&, const new_key<Key>&, none*, std::uint32_t,
                                          none) const {}
  template <class Tile, class Row, class Key>
  MANGROVE_HOST_DEVICE void remove_beside(const Tile&, const Row&, none*, std::uint32_t, Key, none) const {}
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t any_word() const { return 0; }
};

/// A row that is copied from.
template <std::uint32_t Slots, class Tile, class T>
using copied_row = std::conditional_t<is_none<T>, no_row, held_row<Slots, Tile, T>>;

/// A row that is searched, or changed.
template <std::uint32_t Slots, class Tile, class T>
using node_row = std::conditional_t<Tile::lanes == 1 && !is_none<T>, lone_row<Slots, T>, copied_row<Slots, Tile, T>>;

}  // namespace mangrove::detail
