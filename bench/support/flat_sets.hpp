#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "mangrove/core/for_each.hpp"
#include "mangrove/core/prefetch.hpp"

/// @file
/// What a programmer in a hurry writes for the CPU: a flat hash set per vertex. Here to be compared with.

namespace mangrove::bench {

/// A set of 32-bit keys below 2^32 - 1: open addressing, linear probing, a power of two slots of which three in four
/// may be used, no tombstones.
class flat_set {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof(flat_set) + capacity_ * sizeof(std::uint32_t); }
  /// Where the search for a key starts; null for a set that never held one.
  [[nodiscard]] const std::uint32_t* home(std::uint32_t key) const {
    return capacity_ == 0 ? nullptr : slots_.get() + home_of(key);
  }

  bool contains(std::uint32_t key) const { return capacity_ != 0 && slots_[place(key)] == key; }

  bool insert(std::uint32_t key) {
    if (4 * (size_ + 1) > 3 * capacity_) grow();
    const std::uint32_t at = place(key);
    if (slots_[at] == key) return false;
    slots_[at] = key;
    ++size_;
    return true;
  }

  bool erase(std::uint32_t key) {
    if (!contains(key)) return false;
    std::uint32_t hole = place(key);
    for (std::uint32_t at = next(hole); slots_[at] != empty; at = next(at)) {
      // A key may move back to the hole when its home is not after the hole, seen from where it is.
      if (distance(home_of(slots_[at]), at) < distance(hole, at)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = empty;
    --size_;
    return true;
  }

  template <class F>
  void for_each(F f) const {
    for (std::uint32_t at = 0; at < capacity_; ++at) {
      if (slots_[at] != empty) f(slots_[at]);
    }
  }

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t home_of(std::uint32_t key) const {
    return static_cast<std::uint32_t>(key * 0x9e3779b97f4a7c15ULL >> 32) & (capacity_ - 1);
  }
  [[nodiscard]] std::uint32_t next(std::uint32_t at) const { return (at + 1) & (capacity_ - 1); }
  [[nodiscard]] std::uint32_t distance(std::uint32_t from, std::uint32_t to) const {
    return (to - from) & (capacity_ - 1);
  }
  [[nodiscard]] std::uint32_t place(std::uint32_t key) const {
    std::uint32_t at = home_of(key);
    while (slots_[at] != key && slots_[at] != empty) at = next(at);
    return at;
  }
  void grow() {
    const std::uint32_t old_capacity = capacity_;
    capacity_ = old_capacity == 0 ? 4 : 2 * old_capacity;
    const auto old = std::exchange(slots_, std::make_unique<std::uint32_t[]>(capacity_));
    std::fill_n(slots_.get(), capacity_, empty);
    for (std::uint32_t at = 0; at < old_capacity; ++at) {
      if (old[at] != empty) slots_[place(old[at])] = old[at];
    }
  }

  std::unique_ptr<std::uint32_t[]> slots_;
  std::uint32_t capacity_ = 0;
  std::uint32_t size_ = 0;
};

/// Whether the sets that a batch goes to are fetched ahead, 24 at a time as the library does.
enum class fetching : std::uint8_t { on_demand, ahead };

/// A directed graph of such sets. Threads share a batch by its sources.
class flat_set_graph {
 public:
  explicit flat_set_graph(std::size_t vertices) : sets_(vertices) {}

  [[nodiscard]] std::size_t vertices() const noexcept { return sets_.size(); }
  [[nodiscard]] const flat_set& at(std::size_t u) const { return sets_[u]; }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const flat_set& set : sets_) sum += set.bytes();
    return sum;
  }

  void insert(const cpu_resources& res, const std::uint32_t* sources, const std::uint32_t* targets, std::size_t count,
              fetching how) {
    run(res, sources, targets, count, how, [&](std::size_t i) { sets_[sources[i]].insert(targets[i]); });
  }
  void erase(const cpu_resources& res, const std::uint32_t* sources, const std::uint32_t* targets, std::size_t count,
             fetching how) {
    run(res, sources, targets, count, how, [&](std::size_t i) { sets_[sources[i]].erase(targets[i]); });
  }
  void contains(const cpu_resources& res, const std::uint32_t* sources, const std::uint32_t* targets,
                std::uint8_t* found, std::size_t count, fetching how) const {
    run(res, sources, targets, count, how, [&](std::size_t i) { found[i] = sets_[sources[i]].contains(targets[i]); });
  }

 private:
  /// Calls `body(i)` for every i, all of one source in one thread.
  template <class Body>
  void run(const cpu_resources& res, const std::uint32_t* sources, const std::uint32_t* targets, std::size_t count,
           fetching how, const Body& body) const {
    const std::size_t owners = count <= detail::parallel_grain ? 1 : static_cast<std::size_t>(res.threads());
    for_each_task<1>(res, owners, [&](const auto&, std::size_t owner) {
      std::array<std::size_t, detail::operations_in_flight> group{};
      for (std::size_t i = 0; i < count;) {
        std::size_t size = 0;
        for (; i < count && size < group.size(); ++i) {
          if (sources[i] % owners == owner) group[size++] = i;
        }
        if (how == fetching::ahead) fetch(sources, targets, group.data(), size);
        for (std::size_t k = 0; k < size; ++k) body(group[k]);
      }
    });
  }

  void fetch(const std::uint32_t* sources, const std::uint32_t* targets, const std::size_t* group,
             std::size_t size) const {
    for (std::size_t k = 0; k < size; ++k) prefetch(&sets_[sources[group[k]]]);
    for (std::size_t k = 0; k < size; ++k) prefetch(sets_[sources[group[k]]].home(targets[group[k]]));
  }

  std::vector<flat_set> sets_;
};

}  // namespace mangrove::bench
