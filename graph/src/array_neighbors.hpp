#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "lane_neighbors.hpp"

namespace mangrove::detail {

/// What `lane_neighbors` is, for a thread of the CPU: up to 32 neighbours, ascending, in an array that is worked on by
/// blocks, each a vector. What is beyond the last neighbour is larger than every vertex.
template <class Bits>
class array_neighbors {
 public:
  static constexpr std::uint32_t most = 32;

  [[nodiscard]] std::uint32_t size() const { return size_; }

  void load_extent(const neighbor_array<Bits>& from, std::uint32_t count) { load(from, count); }

  /// @param from in an extent, or `count` is at most the inline capacity
  void load(const neighbor_array<Bits>& from, std::uint32_t count) {
    size_ = count;
    if (count <= inline_capacity) {
      for (std::uint32_t i = 0; i < block; ++i) at(0)[i] = i < count ? from.keys[i] : beyond;
    } else {
      for (std::uint32_t first = 0; first < count; first += block) load_block(from.keys + first, first);
    }
    for (std::uint32_t first = round_up(count); first < slots; first += block) std::memset(at(first), 0xff, bytes);
    if constexpr (!is_none<Bits>) {
      for (std::uint32_t i = 0; i < count; ++i) weights_[i] = from.weights[i];
    }
  }

  /// Writes the neighbours into an entry. @pre size() is at most the inline capacity
  void store(const neighbor_array<Bits>& to) const { store_each(to, 0); }

  /// Writes the neighbours from number `first` on into an extent, which has whole blocks.
  void store_extent(const neighbor_array<Bits>& to, std::uint32_t first) const {
    if constexpr (is_none<Bits>) {
      if (first >= size_) return;
      for (std::uint32_t k = first / block * block; k < size_; k += block) std::memcpy(to.keys + k, at(k), bytes);
    } else {
      store_each(to, first);
    }
  }

  /// Where a neighbour is, or belongs.
  struct place {
    std::uint32_t number;  ///< of those below it
    bool present;
  };

  [[nodiscard]] place find(std::uint32_t v) const {
    std::uint32_t below[block] = {};
    for (std::uint32_t first = 0; first < size_; first += block) {
      for (std::uint32_t j = 0; j < block; ++j) below[j] += at(first)[j] < v ? 1 : 0;
    }
    std::uint32_t number = 0;
    for (std::uint32_t j = 0; j < block; ++j) number += below[j];
    return {number, *at(number) == v};
  }

  /// Puts v at number `number`; those from there on move up. @pre size() < most
  void insert(std::uint32_t number, std::uint32_t v, const Bits& weight) {
    for (std::uint32_t first = size_ / block * block;; first -= block) {
      std::uint32_t own[block];
      std::uint32_t before[block];
      std::memcpy(own, at(first), bytes);
      std::memcpy(before, at(first) - 1, bytes);
      for (std::uint32_t j = 0; j < block; ++j) {
        const std::uint32_t moved = first + j == number ? v : before[j];
        own[j] = first + j < number ? own[j] : moved;
      }
      std::memcpy(at(first), own, bytes);
      if (first <= number) break;
    }
    if constexpr (!is_none<Bits>) {
      for (std::uint32_t i = size_; i > number; --i) weights_[i] = weights_[i - 1];
      weights_[number] = weight;
    }
    ++size_;
  }

  /// Removes number `number`; those above move down.
  void erase(std::uint32_t number) {
    for (std::uint32_t first = number / block * block; first < size_; first += block) {
      std::uint32_t own[block];
      std::uint32_t after[block];
      std::memcpy(own, at(first), bytes);
      std::memcpy(after, at(first) + 1, bytes);
      for (std::uint32_t j = 0; j < block; ++j) own[j] = first + j < number ? own[j] : after[j];
      std::memcpy(at(first), own, bytes);
    }
    --size_;
    if constexpr (!is_none<Bits>) {
      for (std::uint32_t i = number; i < size_; ++i) weights_[i] = weights_[i + 1];
    }
  }

  void overwrite(std::uint32_t number, const Bits& weight) {
    if constexpr (!is_none<Bits>) weights_[number] = weight;
  }

 private:
  static constexpr std::uint32_t inline_capacity = entry_layout<Bits>::inline_capacity;
  static constexpr std::uint32_t block = 8;
  static constexpr std::size_t bytes = block * sizeof(std::uint32_t);
  static constexpr std::uint32_t slots = most + block;
  static constexpr std::uint32_t beyond = ~std::uint32_t{0};

  static std::uint32_t round_up(std::uint32_t count) { return (count + block - 1) / block * block; }

  [[nodiscard]] std::uint32_t* at(std::uint32_t number) { return keys_ + block + number; }
  [[nodiscard]] const std::uint32_t* at(std::uint32_t number) const { return keys_ + block + number; }

  void store_each(const neighbor_array<Bits>& to, std::uint32_t first) const {
    for (std::uint32_t i = first; i < size_; ++i) {
      to.keys[i] = *at(i);
      if constexpr (!is_none<Bits>) to.weights[i] = weights_[i];
    }
  }

  void load_block(const std::uint32_t* from, std::uint32_t first) {
    std::uint32_t read[block];
    std::memcpy(read, from, bytes);
    for (std::uint32_t j = 0; j < block; ++j) read[j] = first + j < size_ ? read[j] : beyond;
    std::memcpy(at(first), read, bytes);
  }

  std::uint32_t size_ = 0;
  alignas(bytes) std::uint32_t keys_[block + slots];  ///< a block before the first: what moves up is read from there
  [[no_unique_address]] std::conditional_t<is_none<Bits>, none, Bits[is_none<Bits> ? 1 : most]> weights_;
};

/// What holds the neighbours of an array while a lane works on them.
template <class Tile, class Bits>
using held_neighbors = std::conditional_t<Tile::simd, array_neighbors<Bits>, lane_neighbors<Bits>>;

}  // namespace mangrove::detail
