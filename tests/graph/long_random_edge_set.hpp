#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mangrove/core/hash.hpp"

namespace mangrove::test {

/// A set of 64-bit keys below 2^64 - 1 with open addressing and linear probing: fast enough to keep up with a GPU.
class edge_set {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] bool contains(std::uint64_t key) const { return slots_[place(key)] == key; }

  bool insert(std::uint64_t key) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    const std::size_t at = place(key);
    if (slots_[at] == key) return false;
    slots_[at] = key;
    ++size_;
    return true;
  }

  bool erase(std::uint64_t key) {
    std::size_t hole = place(key);
    if (slots_[hole] != key) return false;
    for (std::size_t at = next(hole); slots_[at] != empty; at = next(at)) {
      // A key stays when its home lies after the hole, cyclically.
      if (((at - home(slots_[at])) & mask()) < ((at - hole) & mask())) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = empty;
    --size_;
    return true;
  }

  template <class F>
  void for_each(F f) const {
    for (const std::uint64_t key : slots_) {
      if (key != empty) f(key);
    }
  }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};

  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
  [[nodiscard]] std::size_t home(std::uint64_t key) const { return mix(key) & mask(); }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  [[nodiscard]] std::size_t place(std::uint64_t key) const {
    std::size_t at = home(key);
    while (slots_[at] != key && slots_[at] != empty) at = next(at);
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> old(2 * slots_.size(), empty);
    old.swap(slots_);
    for (const std::uint64_t key : old) {
      if (key != empty) slots_[place(key)] = key;
    }
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(16, empty);
  std::size_t size_ = 0;
};

}  // namespace mangrove::test
