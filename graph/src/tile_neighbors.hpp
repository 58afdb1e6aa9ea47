#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/core/unrolled.hpp"
#include "mangrove/graph/detail/vertex_entry.hpp"

namespace mangrove::detail {

/// Number of set bits.
MANGROVE_HOST_DEVICE inline std::uint32_t count_bits(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(__popc(static_cast<int>(mask)));
#else
  return static_cast<std::uint32_t>(__builtin_popcount(mask));
#endif
}

/// Up to `Slots` neighbours, ascending, that a tile holds in registers: number i is in row i / lanes of lane
/// i % lanes. On the CPU, where a tile has one lane, they are an array.
template <class Tile, class Bits, std::uint32_t Slots = 32>
class tile_neighbors {
 public:
  static constexpr std::uint32_t lanes = Tile::lanes;
  static constexpr int rows = static_cast<int>((Slots + lanes - 1) / lanes);

  MANGROVE_HOST_DEVICE explicit tile_neighbors(const Tile& tile) : tile_(tile) {
    if constexpr (!in_memory) {
      unrolled<rows>([&](int row) {
        keys_[row] = 0;
        if constexpr (!is_none<Bits>) weights_[row] = {};
      });
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t size() const { return size_; }

  MANGROVE_HOST_DEVICE void load(const neighbor_array<Bits>& from, std::uint32_t count) {
    size_ = count;
    for_each_row([&](int row) {
      const std::uint32_t i = number(row);
      if (i >= count) return;
      keys_[row] = from.keys[i];
      if constexpr (!is_none<Bits>) weights_[row] = from.weights[i];
    });
  }

  /// Writes the neighbours from number `first` on.
  MANGROVE_HOST_DEVICE void store(const neighbor_array<Bits>& to, std::uint32_t first) const {
    for_each_row([&](int row) {
      const std::uint32_t i = number(row);
      if (i >= size_ || i < first) return;
      to.keys[i] = keys_[row];
      if constexpr (!is_none<Bits>) to.weights[i] = weights_[row];
    });
  }

  /// Where a neighbour is, or belongs.
  struct place {
    std::uint32_t number;  ///< of those below it
    bool present;
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE place find(std::uint32_t v) const {
    if constexpr (in_memory) {
      std::uint32_t below = 0;
      for (std::uint32_t i = 0; i < size_; ++i) below += keys_[i] < v ? 1 : 0;
      return {below, below < size_ && keys_[below] == v};
    } else {
      const std::uint32_t below = matching([=](std::uint32_t key) { return key < v; });
      return {count_bits(below), matching([=](std::uint32_t key) { return key == v; }) != 0};
    }
  }

  /// Puts v at number `at`; those from there on move up. @pre size() < Slots
  MANGROVE_HOST_DEVICE void insert(std::uint32_t at, std::uint32_t v, const Bits& weight) {
    if constexpr (in_memory) {
      for (std::uint32_t i = size_; i > at; --i) copy(i, i - 1);
      keys_[at] = v;
      if constexpr (!is_none<Bits>) weights_[at] = weight;
    } else {
      shift_in(at, v, weight);
    }
    ++size_;
  }

  /// Removes number `at`; those above move down.
  MANGROVE_HOST_DEVICE void erase(std::uint32_t at) {
    if constexpr (in_memory) {
      for (std::uint32_t i = at; i + 1 < size_; ++i) copy(i, i + 1);
    } else {
      shift_out(at);
    }
    --size_;
  }

  MANGROVE_HOST_DEVICE void overwrite(std::uint32_t at, const Bits& weight) {
    if constexpr (!is_none<Bits>) {
      unrolled<rows>([&](int row) {
        if (number(row) == at) weights_[row] = weight;
      });
    }
  }

 private:
  /// One lane with many neighbours, as on the CPU, indexes them like an array; elsewhere rows are registers.
  static constexpr bool in_memory = lanes == 1 && Slots > 8;

  template <class F>
  MANGROVE_HOST_DEVICE void for_each_row(F f) const {
    if constexpr (in_memory) {
      for (std::uint32_t row = 0; row < size_; ++row) f(static_cast<int>(row));
    } else {
      unrolled<rows>(f);
    }
  }

  MANGROVE_HOST_DEVICE void copy(std::uint32_t to, std::uint32_t from) {
    keys_[to] = keys_[from];
    if constexpr (!is_none<Bits>) weights_[to] = weights_[from];
  }

  MANGROVE_HOST_DEVICE void shift_in(std::uint32_t at, std::uint32_t v, const Bits& weight) {
    unrolled<rows>([&](int from_last) {
      const int row = rows - 1 - from_last;
      if (row * lanes > size_ || (row + 1) * lanes <= at) return;
      const std::uint32_t moved = tile_.from_before(keys_[row], keys_[row > 0 ? row - 1 : 0]);
      keys_[row] = number(row) > at ? moved : number(row) == at ? v : keys_[row];
      if constexpr (!is_none<Bits>) {
        const Bits moved_weight = tile_.from_before(weights_[row], weights_[row > 0 ? row - 1 : 0]);
        weights_[row] = number(row) > at ? moved_weight : number(row) == at ? weight : weights_[row];
      }
    });
  }

  MANGROVE_HOST_DEVICE void shift_out(std::uint32_t at) {
    unrolled<rows>([&](int row) {
      if (row * lanes >= size_ || (row + 1) * lanes <= at) return;
      const std::uint32_t moved = tile_.from_after(keys_[row], keys_[row + 1 < rows ? row + 1 : row]);
      if (number(row) >= at) keys_[row] = moved;
      if constexpr (!is_none<Bits>) {
        const Bits moved_weight = tile_.from_after(weights_[row], weights_[row + 1 < rows ? row + 1 : row]);
        if (number(row) >= at) weights_[row] = moved_weight;
      }
    });
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t number(int row) const { return row * lanes + tile_.lane(); }

  template <class F>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t matching(F f) const {
    return tile_.template match_rows<rows>([&](int row) { return number(row) < size_ && f(keys_[row]); });
  }

  Tile tile_;
  std::uint32_t size_ = 0;
  std::uint32_t keys_[rows];
  [[no_unique_address]] std::conditional_t<is_none<Bits>, none, Bits[is_none<Bits> ? 1 : rows]> weights_;
};

}  // namespace mangrove::detail
