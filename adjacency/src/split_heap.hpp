#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/bits.hpp"

namespace mangrove::detail {

/// Ascending keys in scratch that many lanes look keys up in: a heap, whose levels lie one after the other, so that
/// lanes that are at the same level of their searches seldom meet in a bank.
struct split_heap {
  std::uint32_t levels;

  /// Places that a heap of up to `count` keys takes.
  static constexpr std::uint32_t room(std::uint32_t count) { return std::bit_ceil(count); }

  /// @param count how many keys there are; the last one is never below what is looked up, and not kept
  [[nodiscard]] MANGROVE_HOST_DEVICE static split_heap of(std::uint32_t count) {
    return {count <= 1 ? 0 : highest_bit(count - 1) + 1};
  }

  /// Fills `heap`, of `room(count)` keys. @param key_at gives the i-th key for any i below `count`
  template <class Tile, class Key, class KeyAt>
  MANGROVE_HOST_DEVICE void fill(const Tile& tile, Key* heap, std::uint32_t count, KeyAt key_at) const {
    tile.strided((std::size_t{1} << levels) - 1, [=, *this](std::size_t k) {
      const auto node = static_cast<std::uint32_t>(k) + 1;
      const std::uint32_t level = highest_bit(node);
      const std::uint32_t of_level = 2 * (node - (std::uint32_t{1} << level)) + 1;
      const std::uint32_t i = (of_level << (levels - level - 1)) - 1;
      heap[node] = key_at(i < count ? i : count - 1);
    });
  }

  /// How many keys are below `key`.
  template <class Key>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t below(const Key* heap, Key key) const {
    std::uint32_t node = 1;
    const auto step = [&] { node = 2 * node + (heap[node] < key ? 1 : 0); };
    for (std::uint32_t pairs = levels / 2; pairs != 0; --pairs) {
      step();
      step();
    }
    if (levels % 2 != 0) step();
    return node - (std::uint32_t{1} << levels);
  }
};

}  // namespace mangrove::detail
