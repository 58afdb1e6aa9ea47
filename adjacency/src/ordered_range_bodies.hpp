#pragma once

#include "mangrove/core/unrolled.hpp"
#include "ordered_query_bodies.hpp"

/// @file
/// Queries for ranges of keys.

namespace mangrove::detail {

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

}  // namespace mangrove::detail
