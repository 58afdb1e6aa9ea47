#pragma once

#include <cstddef>

#include "mangrove/io/counter_random.hpp"
#include "mangrove/io/generate.hpp"

namespace mangrove::io {

/// The points of a random geometric graph. Coordinates are fractions of 2^32.
class rgg_points {
 public:
  /// @param radius in (0, 1/2], as a fraction of 2^32
  rgg_points(const rgg_options& options, std::uint32_t radius)
      : random_(options.seed, 4), vertices_(std::uint64_t{1} << options.scale), radius_(radius) {
    // Cells are no narrower than the radius, and no more numerous than the vertices.
    while (cell_bits_ < 32 && (std::uint64_t{1} << cell_bits_ < radius || 2 * (32 - cell_bits_) > options.scale)) {
      ++cell_bits_;
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t vertices() const { return vertices_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t cells_per_row() const {
    return std::uint64_t{1} << (32 - cell_bits_);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t x(std::uint64_t point) const { return random_(point) >> 32; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t y(std::uint64_t point) const { return random_(point) & 0xffffffffU; }
  /// Which column of cells x is in, or which row y.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t cell_of(std::uint64_t coordinate) const {
    return coordinate >> cell_bits_;
  }

  /// The point's cell and number, such that keys in ascending order go through the cells row by row.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t key(std::uint64_t point) const {
    return first_key(cell_of(x(point)), cell_of(y(point))) | point;
  }

  /// The least key of a cell, and with `column` = cells_per_row() the end of a row's keys.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t first_key(std::uint64_t column, std::uint64_t row) const {
    return (row * cells_per_row() + column) << 32;
  }

  /// Whether two points are nearer than the radius, or as near.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool near(std::uint64_t p, std::uint64_t q) const {
    const std::uint64_t dx = distance(x(p), x(q));
    const std::uint64_t dy = distance(y(p), y(q));
    return dx <= radius_ && dy <= radius_ && dx * dx + dy * dy <= radius_ * radius_;
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
    return a < b ? b - a : a - b;
  }

  counter_random random_;
  std::uint64_t vertices_;
  std::uint64_t radius_;
  int cell_bits_ = 1;
};

/// The random geometric graph as a function from a vertex to its edges to vertices after it. A vertex's number is its
/// key's position among all keys in ascending order.
class rgg_generator {
 public:
  /// @param keys all points' keys, ascending, where the function will run
  rgg_generator(const rgg_points& points, const std::uint64_t* keys) : points_(points), keys_(keys) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t items() const { return points_.vertices(); }

  /// Calls `emit(u, v)` with the ids of the ends of the edges between vertex number i and later ones.
  template <class Emit>
  MANGROVE_HOST_DEVICE void operator()(std::uint64_t i, Emit emit) const {
    const std::uint64_t point = point_of(i);
    const std::uint64_t column = points_.cell_of(points_.x(point));
    const std::uint64_t row = points_.cell_of(points_.y(point));
    const std::uint64_t left = column == 0 ? 0 : column - 1;
    const std::uint64_t right = column + 2 < points_.cells_per_row() ? column + 2 : points_.cells_per_row();
    connect(i, i + 1, points_.first_key(right, row), emit);
    if (row + 1 < points_.cells_per_row()) {
      connect(i, lower_bound(points_.first_key(left, row + 1)), points_.first_key(right, row + 1), emit);
    }
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t point_of(std::uint64_t i) const { return keys_[i] & 0xffffffffU; }

  template <class Emit>
  MANGROVE_HOST_DEVICE void connect(std::uint64_t i, std::uint64_t first, std::uint64_t end_key, Emit emit) const {
    for (std::uint64_t j = first; j < points_.vertices() && keys_[j] < end_key; ++j) {
      if (points_.near(point_of(i), point_of(j))) emit(i + 1, j + 1);
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t lower_bound(std::uint64_t key) const {
    std::uint64_t first = 0;
    std::uint64_t last = points_.vertices();
    while (first < last) {
      const std::uint64_t middle = first + (last - first) / 2;
      if (keys_[middle] < key) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

  rgg_points points_;
  const std::uint64_t* keys_;
};

}  // namespace mangrove::io
