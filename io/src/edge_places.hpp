#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mangrove::io::detail {

/// A hash table of places in an array of edges, which the caller keeps: linear probing, no tombstones.
///
/// A slot holds the place and, to look at few edges in vain, some bits of its edge's hash. At most 2^40 - 1 places.
class edge_places {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  static std::uint64_t hash(std::uint64_t source, std::uint64_t target) noexcept {
    std::uint64_t h = source * 0x9e3779b97f4a7c15 ^ (target + 0x7f4a7c159e3779b9) * 0xd6e8feb86659fd93;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93;
    return h ^ (h >> 29);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The place of the edge with this hash for which `is_it(place)`, or `none`.
  template <typename IsIt>
  [[nodiscard]] std::size_t find(std::uint64_t hash, const IsIt& is_it) const {
    const std::size_t slot = find_slot(hash, is_it);
    return slot == none ? none : place_of(slots_[slot]);
  }

  /// Adds an edge that is not there; `hash_at(place)` gives the hash of any edge in the table.
  template <typename HashAt>
  void insert(std::uint64_t hash, std::size_t place, const HashAt& hash_at) {
    if (2 * (size_ + 1) > slots_.size()) grow(hash_at);
    put(hash, place);
    ++size_;
  }

  /// Removes the edge for which `is_it(place)`, which is there, and moves those behind it up.
  template <typename IsIt, typename HashAt>
  void erase(std::uint64_t hash, const IsIt& is_it, const HashAt& hash_at) {
    std::size_t hole = find_slot(hash, is_it);
    for (std::size_t next = after(hole); slots_[next] != empty; next = after(next)) {
      const std::size_t home = home_of(hash_at(place_of(slots_[next])));
      // Distances along the ring: an edge may move up to the hole if its home is not behind that.
      if (((next - home) & mask()) < ((next - hole) & mask())) continue;
      slots_[hole] = slots_[next];
      hole = next;
    }
    slots_[hole] = empty;
    --size_;
  }

 private:
  static constexpr std::uint64_t empty = 0;
  static constexpr int place_bits = 40;
  static constexpr std::uint64_t place_mask = (std::uint64_t{1} << place_bits) - 1;

  static std::size_t place_of(std::uint64_t slot) noexcept { return static_cast<std::size_t>(slot & place_mask) - 1; }
  static std::uint64_t tag_of(std::uint64_t hash) noexcept { return hash & ~place_mask; }
  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
  [[nodiscard]] std::size_t home_of(std::uint64_t hash) const noexcept { return hash & mask(); }
  [[nodiscard]] std::size_t after(std::size_t slot) const noexcept { return (slot + 1) & mask(); }

  template <typename IsIt>
  [[nodiscard]] std::size_t find_slot(std::uint64_t hash, const IsIt& is_it) const {
    if (slots_.empty()) return none;
    for (std::size_t slot = home_of(hash); slots_[slot] != empty; slot = after(slot)) {
      if (tag_of(slots_[slot]) == tag_of(hash) && is_it(place_of(slots_[slot]))) return slot;
    }
    return none;
  }

  void put(std::uint64_t hash, std::size_t place) {
    std::size_t slot = home_of(hash);
    while (slots_[slot] != empty) slot = after(slot);
    slots_[slot] = tag_of(hash) | (place + 1);
  }

  template <typename HashAt>
  void grow(const HashAt& hash_at) {
    constexpr std::size_t least = 64;
    std::vector<std::uint64_t> old(slots_.empty() ? least : 2 * slots_.size(), empty);
    old.swap(slots_);
    for (const std::uint64_t slot : old) {
      if (slot != empty) put(hash_at(place_of(slot)), place_of(slot));
    }
  }

  std::vector<std::uint64_t> slots_;  // a power of two, at most half of them in use
  std::size_t size_ = 0;
};

}  // namespace mangrove::io::detail
