#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "few_keys.hpp"
#include "key_blocks.hpp"
#include "lane_neighbors.hpp"

namespace mangrove::detail {

/// What `lane_neighbors` is, for a thread of the CPU: up to 32 neighbours, ascending, that are changed in the extent
/// they are to stay in. A search reads eight keys at a time, a vector, by which keys without weights move, too.
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
    const key_place at = find_in_blocks(at_.keys, size_, v);
    if (!at.present) insert(at.number, v);
    if constexpr (!is_none<Bits>) at_.weights[at.number] = weight;
    return {at.number, at.present};
  }

  /// Takes v out, if it is there; those above move down.
  neighbor_change erase(std::uint32_t v) {
    const key_place at = find_in_blocks(at_.keys, size_, v);
    if (at.present) erase_at(at.number, v);
    return {at.number, at.present};
  }

 private:
  void insert(std::uint32_t at, std::uint32_t v) {
    if constexpr (is_none<Bits>) {
      insert_in_blocks(at_.keys, size_, v);
    } else {  // whose weights may share a block with keys
      shift(at, at + 1, size_ - at);
      at_.keys[at] = v;
    }
    ++size_;
  }

  void erase_at(std::uint32_t at, std::uint32_t v) {
    if constexpr (is_none<Bits>) {
      erase_in_blocks(at_.keys, size_, v);
    } else {
      shift(at + 1, at, size_ - at - 1);
    }
    --size_;
  }

  void shift(std::uint32_t from, std::uint32_t to, std::uint32_t count) const {
    std::memmove(at_.keys + to, at_.keys + from, count * sizeof(std::uint32_t));
    std::memmove(at_.weights + to, at_.weights + from, count * sizeof(Bits));
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
    keys_.load(from.keys, count);
    if constexpr (!is_none<Bits>) weight_ = from.weights[0];
  }

  void store(const neighbor_array<Bits>& to) const {
    keys_.store(to.keys, size_);
    if constexpr (!is_none<Bits>) to.weights[0] = weight_;
  }

  neighbor_change put(std::uint32_t v, const Bits& weight) {
    const key_place at = keys_.find(v);
    if (!at.present) {
      keys_.insert(v);
      ++size_;
    }
    if constexpr (!is_none<Bits>) weight_ = weight;
    return {at.number, at.present};
  }

  neighbor_change erase(std::uint32_t v) {
    const key_place at = keys_.find(v);
    if (at.present) {
      keys_.erase(v);
      --size_;
    }
    return {at.number, at.present};
  }

 private:
  static constexpr std::uint32_t slots = entry_layout<Bits>::inline_capacity;
  static_assert(is_none<Bits> || slots == 1);

  std::uint32_t size_ = 0;
  few_keys<slots> keys_;
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
