#pragma once

#include <cstdint>

#include "mangrove/core/backend.hpp"

namespace mangrove {

/// Neighbouring lanes of a CUDA tile that have a thing of their own to do, in step with the tile's other lanes: all
/// lanes of the tile call its members together. Votes are then the tile's; if that is a whole warp they take an
/// instruction or two, and in a smaller tile some ten, for its lanes have to find out who takes part.
template <class Tile, int Lanes>
class tile_part {
  static_assert(Lanes < 32 && Tile::lanes % Lanes == 0);

 public:
  static constexpr int lanes = Lanes;
  static constexpr int parts = Tile::lanes / Lanes;
  static constexpr bool simd = false;

  MANGROVE_HOST_DEVICE explicit tile_part(const Tile& tile) : tile_(tile) {}

  /// The tile, all of whose lanes go in step.
  [[nodiscard]] MANGROVE_HOST_DEVICE const Tile& whole() const { return tile_; }

  /// Which of the tile's parts this one is.
  [[nodiscard]] MANGROVE_HOST_DEVICE int number() const { return tile_.lane() / Lanes; }

  /// This thread's lane in its part.
  [[nodiscard]] MANGROVE_HOST_DEVICE int lane() const { return tile_.lane() % Lanes; }

  /// Bit k of the result is the value of lane k of this part. The same in all lanes of the part.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t ballot(bool value) const {
    return (tile_.ballot(value) >> (number() * Lanes)) & ((1U << Lanes) - 1);
  }

  /// Whether the value is true in any lane of the whole tile.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool any_in_tile(bool value) const { return tile_.ballot(value) != 0; }

  /// As the tile's.
  MANGROVE_HOST_DEVICE void sync() const { tile_.sync(); }

  /// The value that a lane of this part holds. @param lane the same in all lanes of the part
  template <class T>
  [[nodiscard]] MANGROVE_HOST_DEVICE T broadcast(T value, int lane) const {
    return tile_.broadcast(value, number() * Lanes + lane);
  }

 private:
  const Tile& tile_;
};

template <class Tile>
inline constexpr bool is_tile_part = false;
template <class Tile, int Lanes>
inline constexpr bool is_tile_part<tile_part<Tile, Lanes>> = true;

/// What goes in step with a tile: itself, or if it is a part the whole.
template <class Tile>
[[nodiscard]] MANGROVE_HOST_DEVICE const Tile& whole_of(const Tile& tile) {
  return tile;
}
template <class Tile, int Lanes>
[[nodiscard]] MANGROVE_HOST_DEVICE const Tile& whole_of(const tile_part<Tile, Lanes>& part) {
  return part.whole();
}

/// Whether a condition holds in a tile, the same in all of its lanes; or in any of those that go in step with it, if it
/// is a part. For loops that end at different times.
template <class Tile>
[[nodiscard]] MANGROVE_HOST_DEVICE bool any_in_step(const Tile&, bool condition) {
  return condition;
}
template <class Tile, int Lanes>
[[nodiscard]] MANGROVE_HOST_DEVICE bool any_in_step(const tile_part<Tile, Lanes>& part, bool condition) {
  return part.any_in_tile(condition);
}

}  // namespace mangrove
