#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "lane_neighbors.hpp"

namespace mangrove::detail {

/// What `lane_neighbors` is, for a thread of the CPU: up to 32 neighbours, ascending, that are changed in the extent
/// they are to stay in. Keys and weights move as bytes; a search reads eight keys at a time, a vector.
template <class Bits>
class array_neighbors {
 public:
  [[nodiscard]] std::uint32_t size() const { return size_; }

  /// Looks at neighbours, in an entry or an extent.
  void load(const neighbor_array<Bits>& from, std::uint32_t count) {
    at_ = from;
    size_ = count;
  }
  void load_extent(const neighbor_array<Bits>& from, std::uint32_t count) { load(from, count); }

  /// Goes on in an extent, which has room for all that comes.
  void move_to(const neighbor_array<Bits>& to) {
    if (to.keys == at_.keys) return;
    copy(to);
    at_ = to;
  }

  /// Writes the neighbours into an entry. @pre size() is at most the inline capacity
  void store(const neighbor_array<Bits>& to) const { copy(to); }

  /// Nothing is left to do: they have been changed in the extent.
  void store_extent(const neighbor_array<Bits>&, std::uint32_t) const {}

  /// Puts v in, or gives it another weight if it is there.
  neighbor_change put(std::uint32_t v, const Bits& weight) {
    const neighbor_change at = find(v);
    if (!at.present) {
      shift(at.from, at.from + 1, size_ - at.from);
      at_.keys[at.from] = v;
      ++size_;
    }
    if constexpr (!is_none<Bits>) at_.weights[at.from] = weight;
    return at;
  }

  /// Takes v out, if it is there; those above move down.
  neighbor_change erase(std::uint32_t v) {
    const neighbor_change at = find(v);
    if (!at.present) return at;
    --size_;
    shift(at.from + 1, at.from, size_ - at.from);
    return at;
  }

 private:
  static constexpr std::uint32_t block = granule_bytes / sizeof(std::uint32_t);

  /// Where a neighbour is, or belongs.
  [[nodiscard]] neighbor_change find(std::uint32_t v) const {
    std::uint32_t below[block] = {};
    for (std::uint32_t first = 0; first < size_; first += block) {
      std::uint32_t read[block];
      std::memcpy(read, at_.keys + first, sizeof(read));  // an extent ends with a block
      for (std::uint32_t j = 0; j < block; ++j) below[j] += (read[j] < v ? 1U : 0U) & (first + j < size_ ? 1U : 0U);
    }
    std::uint32_t number = 0;
    for (std::uint32_t j = 0; j < block; ++j) number += below[j];
    return {number, number < size_ && at_.keys[number] == v};
  }

  void shift(std::uint32_t from, std::uint32_t to, std::uint32_t count) const {
    std::memmove(at_.keys + to, at_.keys + from, count * sizeof(std::uint32_t));
    if constexpr (!is_none<Bits>) std::memmove(at_.weights + to, at_.weights + from, count * sizeof(Bits));
  }

  void copy(const neighbor_array<Bits>& to) const {
    std::memcpy(to.keys, at_.keys, size_ * sizeof(std::uint32_t));
    if constexpr (!is_none<Bits>) std::memcpy(to.weights, at_.weights, size_ * sizeof(Bits));
  }

  std::uint32_t size_ = 0;
  neighbor_array<Bits> at_{};
};

/// The neighbours in an entry, for a thread of the CPU: without branches on how many there are, which nothing predicts.
template <class Bits>
class entry_neighbors {
 public:
  [[nodiscard]] std::uint32_t size() const { return size_; }

  void load(const neighbor_array<Bits>& from, std::uint32_t count) {
    size_ = count;
    unrolled<slots>([&](int k) { keys_[k] = from.keys[k] | all_if(number(k) >= count); });
    if constexpr (!is_none<Bits>) weight_ = from.weights[0];
  }

  void store(const neighbor_array<Bits>& to) const {
    unrolled<slots>([&](int k) { to.keys[k] = keys_[k] & all_if(number(k) < size_); });
    if constexpr (!is_none<Bits>) to.weights[0] = weight_;
  }

  neighbor_change put(std::uint32_t v, const Bits& weight) {
    const neighbor_change at = find(v);
    if (!at.present) insert(v);
    if constexpr (!is_none<Bits>) weight_ = weight;
    return at;
  }

  neighbor_change erase(std::uint32_t v) {
    const neighbor_change at = find(v);
    if (at.present) erase_at(at.from);
    return at;
  }

 private:
  static constexpr int slots = static_cast<int>(entry_layout<Bits>::inline_capacity);
  static_assert(is_none<Bits> || slots == 1);

  [[nodiscard]] neighbor_change find(std::uint32_t v) const {
    neighbor_change found{0, false};
    unrolled<slots>([&](int k) {
      found.from += keys_[k] < v ? 1 : 0;
      found.present = found.present | (keys_[k] == v);
    });
    return found;
  }

  void insert(std::uint32_t v) {
    unrolled<slots>([&](int from_end) {
      const int k = slots - 1 - from_end;
      const std::uint32_t before = k > 0 ? keys_[k > 0 ? k - 1 : 0] : 0;
      keys_[k] = std::max(before, std::min(keys_[k], v));
    });
    ++size_;
  }

  void erase_at(std::uint32_t at) {
    unrolled<slots - 1>([&](int k) {
      const std::uint32_t stays = all_if(number(k) < at);
      keys_[k] = (keys_[k] & stays) | (keys_[k + 1] & ~stays);
    });
    keys_[slots - 1] = ~std::uint32_t{0};
    --size_;
  }

  static std::uint32_t number(int k) { return static_cast<std::uint32_t>(k); }
  static std::uint32_t all_if(bool condition) { return -static_cast<std::uint32_t>(condition); }

  std::uint32_t size_ = 0;
  std::uint32_t keys_[slots];  ///< beyond the last neighbour: larger than every vertex
  [[no_unique_address]] Bits weight_;
};

/// What holds the neighbours of an array while a lane works on them.
template <class Tile, class Bits>
using held_neighbors = std::conditional_t<Tile::simd, array_neighbors<Bits>, lane_neighbors<Bits>>;

/// The same for neighbours in an entry.
template <class Tile, class Bits>
using held_in_entry =
    std::conditional_t<Tile::simd, entry_neighbors<Bits>, lane_neighbors<Bits, entry_layout<Bits>::inline_capacity>>;

}  // namespace mangrove::detail
