#pragma once

#include "mangrove/core/unrolled.hpp"
#include "ordered_query_bodies.hpp"

/// @file
/// Queries for ranges of keys.

namespace mangrove::detail {

/// A range of ordered bits, both ends included.
template <class Key>
struct key_range {
  Key low, high;
  bool is_empty;
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

  [[nodiscard]] MANGROVE_HOST_DEVICE key_range<key_type> range(std::size_t i) const {
    const auto low = load_bits<key_type>(ranges.lows, i);
    const auto high = load_bits<key_type>(ranges.highs, i);
    const bool is_refused = view.codec.refuses(low) || view.codec.refuses(high);
    const key_type first = view.codec.encode(low);
    const key_type last = view.codec.encode(high);
    return {first, last, is_refused || last < first};
  }

 protected:
  /// As the view's `walk_from`, for range i.
  template <class Tile, class Each>
  MANGROVE_HOST_DEVICE std::uint64_t walk(const Tile& tile, std::size_t i, const typename View::place& at,
                                          std::uint64_t limit, Each each) const {
    const key_range<key_type> here = range(i);
    return here.is_empty ? 0 : view.walk_from(tile, at, here.high, limit, each);
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
    if constexpr (Tile::simd) {
      void* const to_keys = keys;
      const auto codec = view.codec;  // not read again for each key
      const auto* const held = view.keys_at(from);
      tile.strided(size, [=](std::size_t k) { store_bits(to_keys, to + k, codec.decode(held[k])); });
      if (values != nullptr) move_values(tile, values, to, view.values_at(from), 0, size, view.value_width());
    } else {
      const auto count = static_cast<std::uint32_t>(size);  // stretches are shorter than 2^32
      for (std::uint32_t first = tile.lane(); first < count; first += rows * Tile::lanes) {
        write_rows<Tile::lanes>(view, to, from, first, count);
      }
    }
  }

 private:
  static constexpr int rows = 4;

  /// One lane's share of several rows: reads all of it before it writes, so that the reads overlap.
  template <int Lanes>
  MANGROVE_HOST_DEVICE void write_rows(const View& view, std::uint64_t to, const typename View::place& from,
                                       std::uint32_t first, std::uint32_t size) const {
    typename View::key_type read[rows] = {};
    std::uint64_t read_values[rows] = {};
    unrolled<rows>([&](int row) {
      const std::uint32_t k = first + row * Lanes;
      if (k >= size) return;
      read[row] = view.keys_at(from)[k];
      if (values != nullptr) read_values[row] = value_at(view.values_at(from), k, view.value_width());
    });
    unrolled<rows>([&](int row) {
      const std::uint32_t k = first + row * Lanes;
      if (k >= size) return;
      store_bits(keys, to + k, view.codec.decode(read[row]));
      if (values != nullptr) put_value(values, to + k, read_values[row], view.value_width());
    });
  }
};

/// Elements of an output that the keys of a range may be written to.
struct range_room {
  std::uint64_t begin;
  std::uint64_t size;
};

/// Room between offsets, none at or beyond `capacity`.
struct rooms_by_offset {
  const std::uint64_t* offsets;
  std::uint64_t capacity;

  [[nodiscard]] MANGROVE_HOST_DEVICE range_room of(std::size_t i) const {
    const std::uint64_t begin = offsets[i];
    const std::uint64_t end = offsets[i + 1] < capacity ? offsets[i + 1] : capacity;
    return {begin, begin < end ? end - begin : 0};
  }
  MANGROVE_HOST_DEVICE void used(std::size_t, std::uint64_t) const {}
  /// What no range has more room than.
  [[nodiscard]] std::uint64_t largest() const { return capacity; }
};

/// As much room for each range; how much of it is used is counted.
struct equal_rooms {
  std::uint32_t size;
  std::uint32_t* counts;

  [[nodiscard]] MANGROVE_HOST_DEVICE range_room of(std::size_t i) const { return {std::uint64_t{i} * size, size}; }
  MANGROVE_HOST_DEVICE void used(std::size_t i, std::uint64_t count) const {
    counts[i] = static_cast<std::uint32_t>(count);
  }
  [[nodiscard]] std::uint64_t largest() const { return size; }
};

/// Query: the first keys and values of a range, as many as it has room for.
template <class View, class Rooms>
struct copy_range : range_query<View> {
  Rooms rooms;
  range_output<View> output;

  template <class Tile>
  MANGROVE_HOST_DEVICE void answer(const Tile& tile, std::size_t i, const typename View::place& at) const {
    const range_room room = rooms.of(i);
    const std::uint64_t met =
        this->walk(tile, i, at, room.size, [&](std::uint64_t n, const typename View::place& from, std::uint64_t size) {
          output.write(tile, this->view, room.begin + n, from, size);
        });
    if (tile.lane() == 0) rooms.used(i, met);
  }
};

}  // namespace mangrove::detail
