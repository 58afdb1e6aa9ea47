#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/graph/detail/vertex_entry.hpp"

namespace mangrove::detail {

/// Up to `Slots` neighbours, ascending, that a tile holds in registers: each lane has a few that follow each other.
template <class Tile, class Bits, std::uint32_t Slots = entry_layout<Bits>::table::slots>
class tile_neighbors {
 public:
  static constexpr std::uint32_t lanes = Tile::lanes;
  static constexpr int own = static_cast<int>((Slots + lanes - 1) / lanes);  ///< of a lane
  static_assert(own <= 8, "a lane holds few neighbours in registers");

  MANGROVE_HOST_DEVICE explicit tile_neighbors(const Tile& tile) : tile_(tile) {
    unrolled<own>([&](int k) {
      keys_[k] = 0;
      if constexpr (!is_none<Bits>) weights_[k] = {};
    });
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t size() const { return size_; }

  MANGROVE_HOST_DEVICE void load(const neighbor_array<Bits>& from, std::uint32_t count) {
    size_ = count;
    unrolled<own>([&](int k) {
      const std::uint32_t i = number(k);
      if (i >= count) return;
      keys_[k] = from.keys[i];
      if constexpr (!is_none<Bits>) weights_[k] = from.weights[i];
    });
  }

  /// As `load`, from an array in an extent: a lane reads its keys at once, and some beyond them.
  MANGROVE_HOST_DEVICE void load_extent(const neighbor_array<Bits>& from, std::uint32_t count) {
    if constexpr (is_none<Bits> && packed) {
      size_ = count;
      if (number(0) < count) load_row<access::plain>(from.keys + number(0), keys_);
    } else {
      load(from, count);
    }
  }

  /// Writes the neighbours from number `first` on.
  MANGROVE_HOST_DEVICE void store(const neighbor_array<Bits>& to, std::uint32_t first) const {
    unrolled<own>([&](int k) {
      const std::uint32_t i = number(k);
      if (i >= size_ || i < first) return;
      to.keys[i] = keys_[k];
      if constexpr (!is_none<Bits>) to.weights[i] = weights_[k];
    });
  }

  /// As `store`, into an array in an extent, whose slots beyond the last neighbour may get any values.
  MANGROVE_HOST_DEVICE void store_extent(const neighbor_array<Bits>& to, std::uint32_t first) const {
    if constexpr (is_none<Bits> && packed) {
      if (number(0) < size_ && number(own) > first) store_row(to.keys + number(0), keys_);
    } else {
      store(to, first);
    }
  }

  /// Where a neighbour is, or belongs.
  struct place {
    std::uint32_t number;  ///< of those below it
    bool present;
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE place find(std::uint32_t v) const {
    std::uint32_t below = 0;
    bool here = false;
    unrolled<own>([&](int k) {
      below += number(k) < size_ && keys_[k] < v ? 1 : 0;
      here = here || (number(k) < size_ && keys_[k] == v);
    });
    const bool present = tile_.ballot(here) != 0;
    const std::uint32_t before = count_bits(tile_.ballot(below != 0));
    if (before == 0) return {0, present};
    return {(before - 1) * own + tile_.broadcast(below, static_cast<int>(before - 1)), present};
  }

  /// Puts v at number `at`; those from there on move up. @pre size() < Slots
  MANGROVE_HOST_DEVICE void insert(std::uint32_t at, std::uint32_t v, const Bits& weight) {
    shift_in(keys_, at, v);
    if constexpr (!is_none<Bits>) shift_in(weights_, at, weight);
    ++size_;
  }

  /// Removes number `at`; those above move down.
  MANGROVE_HOST_DEVICE void erase(std::uint32_t at) {
    shift_out(keys_, at);
    if constexpr (!is_none<Bits>) shift_out(weights_, at);
    --size_;
  }

  MANGROVE_HOST_DEVICE void overwrite(std::uint32_t at, const Bits& weight) {
    if constexpr (!is_none<Bits>) {
      unrolled<own>([&](int k) {
        if (number(k) == at) weights_[k] = weight;
      });
    }
  }

 private:
  /// Whether a lane's keys are read by wide loads, which never reach beyond an extent's whole granules.
  static constexpr bool packed = own * sizeof(std::uint32_t) <= granule_bytes && (own & (own - 1)) == 0;

  template <class T>
  MANGROVE_HOST_DEVICE void shift_in(T (&values)[own], std::uint32_t at, const T& value) const {
    const T from_lane_before = tile_.from_before(values[own - 1]);
    unrolled<own>([&](int from_last) {
      const int k = own - 1 - from_last;
      const T moved = k > 0 ? values[k > 0 ? k - 1 : 0] : from_lane_before;
      values[k] = number(k) > at ? moved : number(k) == at ? value : values[k];
    });
  }

  template <class T>
  MANGROVE_HOST_DEVICE void shift_out(T (&values)[own], std::uint32_t at) const {
    const T from_lane_after = tile_.from_after(values[0]);
    unrolled<own>([&](int k) {
      const T moved = k + 1 < own ? values[k + 1 < own ? k + 1 : k] : from_lane_after;
      if (number(k) >= at) values[k] = moved;
    });
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t number(int k) const { return tile_.lane() * own + k; }

  Tile tile_;
  std::uint32_t size_ = 0;
  std::uint32_t keys_[own];
  [[no_unique_address]] std::conditional_t<is_none<Bits>, none, Bits[is_none<Bits> ? 1 : own]> weights_;
};

}  // namespace mangrove::detail
