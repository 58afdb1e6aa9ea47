#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"
#include "update_admission.hpp"

namespace mangrove::detail {

/// The vertices that come to be among those that a tile has gathered, whose inserts make them sources: a bit each, so
/// that the tile can list them all by one atomic. In its scratch.
/// @tparam Size how many it has gathered at most, a multiple of 32
template <std::uint32_t Size>
class new_vertices {
 public:
  /// All lanes call together, and sync afterwards.
  template <class Tile>
  MANGROVE_HOST_DEVICE void clear(const Tile& tile) {
    tile.strided(words, [&](std::size_t w) { bits_[w] = 0; });
    if (tile.lane() == 0) count_ = 0;
  }

  /// Notes number k of those that the tile has gathered, a vertex without edges so far, if it comes to be.
  MANGROVE_HOST_DEVICE void note(const update_admission& batch, std::uint32_t vertex, std::uint32_t k) {
    if (!batch.all_inserts() || batch.exists(vertex)) return;
    if (batch.creating == nullptr) return batch.note_missing(vertex);  // all updates will be looked at
    fetch_or(bits_ + k / 32, 1U << k % 32);
    fetch_add(&count_, 1U);
  }

  /// Lists all, which must have been noted before the lanes last met. All lanes call together.
  /// @param vertex_at gives the vertex that was noted as k
  template <class Tile, class VertexAt>
  MANGROVE_HOST_DEVICE void list(const Tile& tile, const update_admission& batch, VertexAt vertex_at) {
    if (count_ == 0) return;
    if (tile.lane() == 0) first_ = fetch_add(&batch.status->creating, count_);
    tile.sync();
    tile.strided(words, [&](std::size_t w) {
      if (bits_[w] == 0) return;
      std::uint32_t at = fetch_add(&first_, count_bits(bits_[w]));
      for (std::uint32_t rest = bits_[w]; rest != 0; rest &= rest - 1) {
        batch.creating[at++] = vertex_at(32 * static_cast<std::uint32_t>(w) + lowest_bit(rest));
      }
    });
  }

 private:
  static constexpr std::uint32_t words = Size / 32;

  std::uint32_t bits_[words];
  std::uint32_t count_;
  std::uint32_t first_;  ///< place of the next one among those of the batch
};

}  // namespace mangrove::detail
