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
///   walk(tile, low, high, limit, each)    calls each(n, place, size) for stretches of neighbouring keys
///   find_after, find_before(tile, key, place)
///   keys_at(place), values_at(place), value_width()   keys and values from there to the end of the stretch

namespace mangrove::detail {

/// Body, once per key: its value.
template <class View>
struct find_key {
  using key_type = typename View::key_type;
  View view;
  const void* keys;
  void* values;  ///< null when nobody wants them
  std::uint8_t* found;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const key_type key = view.codec.encode(load_bits<key_type>(keys, i));
    const auto at = view.lower_bound(tile, key);
    if (tile.lane() == 0) answer(i, key, at);
  }

  /// Writes what is at the place that `lower_bound` gave for the i-th key.
  MANGROVE_HOST_DEVICE void answer(std::size_t i, key_type key, const typename View::place& at) const {
    const bool is_found = view.holds(at, key) && !view.codec.refuses(load_bits<key_type>(keys, i));
    found[i] = is_found ? 1 : 0;
    if (is_found && values != nullptr) move_value(values, i, view.values_at(at), 0, view.value_width());
  }
};

/// Body, once per group of keys: what `One` does for a key, all keys of the group going down together, so that a CPU
/// waits for memory once for all of them.
/// @tparam One has `key_type`, `view`, `keys`, and `answer(i, key, place)`
template <class One>
struct search_group {
  static constexpr std::size_t group = 16;
  One one;
  std::size_t count;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    using key_type = typename One::key_type;
    const std::size_t begin = i * group;
    const std::size_t size = count - begin < group ? count - begin : group;
    key_type keys[group];
    typename decltype(one.view)::place at[group];
    for (std::size_t k = 0; k < size; ++k) keys[k] = one.view.codec.encode(load_bits<key_type>(one.keys, begin + k));
    one.view.lower_bounds(tile, keys, size, at);
    for (std::size_t k = 0; k < size; ++k) one.answer(begin + k, keys[k], at[k]);
  }
};

/// What bodies over ranges share.
template <class View>
struct range_reader {
  View view;
  key_ranges ranges;

  /// As the view's `walk`, for range i.
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE std::uint64_t walk(const Tile& tile, std::size_t i, std::uint64_t limit, Each each) const {
    using key_type = typename View::key_type;
    const auto low = load_bits<key_type>(ranges.lows, i);
    const auto high = load_bits<key_type>(ranges.highs, i);
    if (view.codec.refuses(low) || view.codec.refuses(high)) return 0;
    return view.walk(tile, view.codec.encode(low), view.codec.encode(high), limit, each);
  }
};

/// Body, once per range: how many keys lie in it.
template <class View>
struct count_range {
  range_reader<View> reader;
  std::uint64_t* counts;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t met = reader.walk(tile, i, ~std::uint64_t{0}, [](auto...) {});
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
    const auto* const held = view.keys_at(from);
    tile.strided(size, [&](std::size_t k) {
      store_bits(keys, to + k, view.codec.decode(held[k]));
      if (values != nullptr) move_value(values, to + k, view.values_at(from), k, view.value_width());
    });
  }
};

/// Body, once per range: its keys and values, each range from an offset of its own, none at or beyond `capacity`.
template <class View>
struct write_range {
  range_reader<View> reader;
  const std::uint64_t* offsets;
  std::uint64_t capacity;
  range_output<View> output;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t begin = offsets[i];
    const std::uint64_t end = offsets[i + 1] < capacity ? offsets[i + 1] : capacity;
    if (begin >= end) return;
    reader.walk(tile, i, end - begin, [&](std::uint64_t n, const typename View::place& at, std::uint64_t size) {
      output.write(tile, reader.view, begin + n, at, size);
    });
  }
};

/// Body, once per range: its first keys and values, up to `limit`, in a row of its own.
template <class View>
struct write_range_row {
  range_reader<View> reader;
  std::uint32_t limit;
  std::uint32_t* counts;
  range_output<View> output;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::uint64_t begin = std::uint64_t{i} * limit;
    const std::uint64_t met =
        reader.walk(tile, i, limit, [&](std::uint64_t n, const typename View::place& at, std::uint64_t size) {
          output.write(tile, reader.view, begin + n, at, size);
        });
    if (tile.lane() == 0) counts[i] = static_cast<std::uint32_t>(met);
  }
};

/// Body, once per key: the nearest key below or above it.
template <class View>
struct find_neighbor {
  View view;
  const void* keys;
  neighbor_side side;
  void* neighbors;
  void* values;  ///< null when nobody wants them
  std::uint8_t* found;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    using key_type = typename View::key_type;
    const auto raw = load_bits<key_type>(keys, i);
    const key_type key = view.codec.encode(raw);
    typename View::place at{};
    const bool is_found = !view.codec.refuses(raw) && (side == neighbor_side::after ? view.find_after(tile, key, at)
                                                                                    : view.find_before(tile, key, at));
    if (tile.lane() != 0) return;
    found[i] = is_found ? 1 : 0;
    if (!is_found) return;
    store_bits(neighbors, i, view.codec.decode(*view.keys_at(at)));
    if (values != nullptr) move_value(values, i, view.values_at(at), 0, view.value_width());
  }
};

}  // namespace mangrove::detail
