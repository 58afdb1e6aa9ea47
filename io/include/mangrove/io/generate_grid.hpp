#pragma once

#include "mangrove/io/counter_random.hpp"
#include "mangrove/io/generate.hpp"

namespace mangrove::io {

/// 2^scale vertices in rows, as near to a square as powers of two allow; ids from 1, row by row.
class vertex_grid {
 public:
  explicit vertex_grid(int scale) : column_bits_((scale + 1) / 2), vertices_(std::uint64_t{1} << scale) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t vertices() const { return vertices_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t row(std::uint64_t i) const { return i >> column_bits_; }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t column(std::uint64_t i) const { return i & (row_length() - 1); }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t row_length() const { return std::uint64_t{1} << column_bits_; }

 private:
  int column_bits_;
  std::uint64_t vertices_;
};

/// The road-like graph as a function from a vertex to its edges to vertices before it.
class road_generator {
 public:
  /// @pre the options are in range
  explicit road_generator(const road_options& options)
      : grid_(options.scale),
        random_(options.seed, 2),
        extra_(0.85 * (options.degree / 2 - 1)),
        diagonal_(0.15 * (options.degree / 2 - 1)) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t items() const { return grid_.vertices(); }

  /// Calls `emit(u, v)` with the ids of the ends of the edges that vertex number i has to the left and upwards.
  template <class Emit>
  MANGROVE_HOST_DEVICE void operator()(std::uint64_t i, Emit emit) const {
    const bool has_left = grid_.column(i) != 0;
    const bool has_above = grid_.row(i) != 0;
    if (!has_left && !has_above) return;
    // One edge backwards from every vertex but the first is a spanning tree; which one, a coin decides.
    const bool tree_left = !has_above || (has_left && (random_(3 * i) & 1) != 0);
    const bool extra = extra_.hit(random_(3 * i + 1));
    const std::uint64_t left = i;  // as an id: one less, plus one
    const std::uint64_t above = i + 1 - grid_.row_length();
    if (has_left && (tree_left || extra)) emit(i + 1, left);
    if (has_above && (!tree_left || extra)) emit(i + 1, above);
    if (has_left && has_above && diagonal_.hit(random_(3 * i + 2))) emit(i + 1, above - 1);
  }

 private:
  vertex_grid grid_;
  counter_random random_;
  probability extra_, diagonal_;
};

/// The Delaunay-like mesh as a function from a vertex to its edges to vertices before it and the diagonal beside it.
class mesh_generator {
 public:
  struct point {
    std::int64_t x, y;
  };

  /// @pre the options are in range
  explicit mesh_generator(const mesh_options& options) : grid_(options.scale), random_(options.seed, 3) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t items() const { return grid_.vertices(); }

  /// Where vertex number i lies, in units of 1/1024 of the grid's.
  [[nodiscard]] MANGROVE_HOST_DEVICE point position(std::uint64_t i) const {
    const std::uint64_t random = random_(i);
    constexpr std::uint64_t range = 2 * jitter + 1;
    return {
        static_cast<std::int64_t>(grid_.column(i)) * cell + static_cast<std::int64_t>((random >> 32) % range) - jitter,
        static_cast<std::int64_t>(grid_.row(i)) * cell + static_cast<std::int64_t>((random & 0xffffffffU) % range) -
            jitter};
  }

  /// Calls `emit(u, v)` with the ids of the ends of the edges of vertex number i to the left and upwards, and of the
  /// diagonal of the quadrilateral left of and above it.
  template <class Emit>
  MANGROVE_HOST_DEVICE void operator()(std::uint64_t i, Emit emit) const {
    const bool has_left = grid_.column(i) != 0;
    const bool has_above = grid_.row(i) != 0;
    const std::uint64_t left = i - 1;
    const std::uint64_t above = i - grid_.row_length();
    if (has_left) emit(i + 1, left + 1);
    if (has_above) emit(i + 1, above + 1);
    if (!has_left || !has_above) return;
    if (in_circle(position(above - 1), position(above), position(i), position(left))) {
      emit(left + 1, above + 1);
    } else {
      emit(i + 1, above);
    }
  }

 private:
  static constexpr std::int64_t cell = 1024;
  // Less than a quarter of a cell to all sides: every quadrilateral stays convex.
  static constexpr std::int64_t jitter = 255;

  /// Whether d lies inside the circle through a, b and c, which turn like the axes x to y.
  [[nodiscard]] MANGROVE_HOST_DEVICE static bool in_circle(point a, point b, point c, point d) {
    const std::int64_t ax = a.x - d.x, ay = a.y - d.y;
    const std::int64_t bx = b.x - d.x, by = b.y - d.y;
    const std::int64_t cx = c.x - d.x, cy = c.y - d.y;
    return (ax * ax + ay * ay) * (bx * cy - cx * by) - (bx * bx + by * by) * (ax * cy - cx * ay) +
               (cx * cx + cy * cy) * (ax * by - bx * ay) >
           0;
  }

  vertex_grid grid_;
  counter_random random_;
};

}  // namespace mangrove::io
