#pragma once

#include "mangrove/adjacency/detail/ordered_types.hpp"
#include "mangrove/adjacency/detail/value_bits.hpp"
#include "mangrove/adjacency/key_order.hpp"

/// @file
/// Queries to ordered containers that nobody changes meanwhile. A container is a trivially copyable view with
///   key_type, place               bits of keys; where a key is, or would be
///   codec                         a key_codec
///   lower_bound(tile, key)        the place of the first key that is not below `key`
///   lower_bounds(tile, keys, n, places)   the same for n keys at a time, whose loads overlap
///   holds(place, key)             whether `key` is at the place that lower_bound gave for it
///   walk_from(tile, place, high, limit, each)   calls each(n, place, size) for stretches of neighbouring keys
///   is_key(place), step_back(place)   whether a key is there, or before; makes the place that key's
///   keys_at(place), values_at(place), value_width()   keys and values from there to the end of the stretch
///
/// Every query searches for one key and goes on from there: it has
///   view                          the container
///   wanted(i)                     the key that the i-th query searches for
///   answer(tile, i, place)        does the rest, from the place that lower_bound gave

namespace mangrove::detail {

/// Body, once per query.
template <class Query>
struct search_one {
  Query query;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    query.answer(tile, i, query.view.lower_bound(tile, query.wanted(i)));
  }
};

/// Body, once per group of queries: all keys of the group go down together, so that a CPU waits for memory once for all
/// of them.
template <class Query>
struct search_group {
  static constexpr std::size_t group = 16;
  Query query;
  std::size_t count;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    using view_type = decltype(query.view);
    const std::size_t begin = i * group;
    const std::size_t size = count - begin < group ? count - begin : group;
    typename view_type::key_type keys[group];
    typename view_type::place at[group];
    for (std::size_t k = 0; k < size; ++k) keys[k] = query.wanted(begin + k);
    query.view.lower_bounds(tile, keys, size, at);
    for (std::size_t k = 0; k < size; ++k) query.answer(tile, begin + k, at[k]);
  }
};

/// Query: the value of a key.
template <class View>
struct find_ordered_key {
  using key_type = typename View::key_type;
  View view;
  const void* keys;
  void* values;  ///< null when nobody wants them
  std::uint8_t* found;

  [[nodiscard]] MANGROVE_HOST_DEVICE key_type wanted(std::size_t i) const {
    return view.codec.encode(load_bits<key_type>(keys, i));
  }
  template <class Tile>
  MANGROVE_HOST_DEVICE void answer(const Tile& tile, std::size_t i, const typename View::place& at) const {
    if (tile.lane() != 0) return;
    const bool is_found = view.holds(at, wanted(i)) && !view.codec.refuses(load_bits<key_type>(keys, i));
    found[i] = is_found ? 1 : 0;
    if (is_found && values != nullptr) move_value(values, i, view.values_at(at), 0, view.value_width());
  }
};

/// Query: the nearest key below or above a key.
template <class View>
struct find_neighbor {
  using key_type = typename View::key_type;
  View view;
  const void* keys;
  neighbor_side side;
  void* neighbors;
  void* values;  ///< null when nobody wants them
  std::uint8_t* found;

  /// The first key that can be above; none is above the greatest.
  [[nodiscard]] MANGROVE_HOST_DEVICE key_type wanted(std::size_t i) const {
    const key_type key = view.codec.encode(load_bits<key_type>(keys, i));
    return side == neighbor_side::after && key != greatest ? static_cast<key_type>(key + 1) : key;
  }
  template <class Tile>
  MANGROVE_HOST_DEVICE void answer(const Tile& tile, std::size_t i, typename View::place at) const {
    if (tile.lane() != 0) return;
    const bool is_found = is_there(load_bits<key_type>(keys, i), at);
    found[i] = is_found ? 1 : 0;
    if (!is_found) return;
    store_bits(neighbors, i, view.codec.decode(*view.keys_at(at)));
    if (values != nullptr) move_value(values, i, view.values_at(at), 0, view.value_width());
  }

 private:
  static constexpr key_type greatest = static_cast<key_type>(~key_type{0});

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_there(key_type raw, typename View::place& at) const {
    if (view.codec.refuses(raw)) return false;
    if (side == neighbor_side::before) return view.step_back(at);
    return view.codec.encode(raw) != greatest && view.is_key(at);
  }
};

}  // namespace mangrove::detail
