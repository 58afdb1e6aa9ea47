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
struct find_key {
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

/// What queries for ranges share.
template <class View>
struct range_query {
  using key_type = typename View::key_type;
  View view;
  key_ranges ranges;

  [[nodiscard]] MANGROVE_HOST_DEVICE key_type wanted(std::size_t i) const {
    return view.codec.encode(load_bits<key_type>(ranges.lows, i));
  }

 protected:
  /// As the view's `walk_from`, for range i.
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE std::uint64_t walk(const Tile& tile, std::size_t i, const typename View::place& at,
                                          std::uint64_t limit, Each each) const {
    const auto low = load_bits<key_type>(ranges.lows, i);
    const auto high = load_bits<key_type>(ranges.highs, i);
    if (view.codec.refuses(low) || view.codec.refuses(high)) return 0;
    if (view.codec.encode(high) < view.codec.encode(low)) return 0;
    return view.walk_from(tile, at, view.codec.encode(high), limit, each);
  }
};

/// Query: how many keys lie in a range.
template <class View>
struct count_range : range_query<View> {
  std::uint64_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void answer(const Tile& tile, std::size_t i, const typename View::place& at) const {
    const std::uint64_t met = this->walk(tile, i, at, ~std::uint64_t{0}, [](auto...) {});
    if (tile.lane() == 0) counts[i] = met;
  }
};

/// Where keys are written to.
template <class View>
struct range_output {
  void* keys;
  void* values;  ///< null when nobody wants them

  /// Writes the `size` keys from a place on, and their values, as elements `to` and following.
  template <class Tile>
  MANGROVE_HOST_DEVICE void write(const Tile& tile, const View& view, std::uint64_t to,
                                  const typename View::place& from, std::uint64_t size) const {
    void* const to_keys = keys;
    const auto codec = view.codec;  // not read again for each key
    const auto* const held = view.keys_at(from);
    tile.strided(size, [=](std::size_t k) { store_bits(to_keys, to + k, codec.decode(held[k])); });
    if (values != nullptr) move_values(tile, values, to, view.values_at(from), 0, size, view.value_width());
  }
};

/// Query: the keys and values of a range, from an offset of its own on, none at or beyond `capacity`.
template <class View>
struct write_range : range_query<View> {
  const std::uint64_t* offsets;
  std::uint64_t capacity;
  range_output<View> output;

  template <class Tile>
  MANGROVE_HOST_DEVICE void answer(const Tile& tile, std::size_t i, const typename View::place& at) const {
    const std::uint64_t begin = offsets[i];
    const std::uint64_t end = offsets[i + 1] < capacity ? offsets[i + 1] : capacity;
    if (begin >= end) return;
    this->walk(tile, i, at, end - begin, [&](std::uint64_t n, const typename View::place& from, std::uint64_t size) {
      output.write(tile, this->view, begin + n, from, size);
    });
  }
};

/// Query: the first keys and values of a range, up to `limit`, in a row of their own.
template <class View>
struct write_range_row : range_query<View> {
  std::uint32_t limit;
  std::uint32_t* counts;
  range_output<View> output;

  template <class Tile>
  MANGROVE_HOST_DEVICE void answer(const Tile& tile, std::size_t i, const typename View::place& at) const {
    const std::uint64_t begin = std::uint64_t{i} * limit;
    const std::uint64_t met =
        this->walk(tile, i, at, limit, [&](std::uint64_t n, const typename View::place& from, std::uint64_t size) {
          output.write(tile, this->view, begin + n, from, size);
        });
    if (tile.lane() == 0) counts[i] = static_cast<std::uint32_t>(met);
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
