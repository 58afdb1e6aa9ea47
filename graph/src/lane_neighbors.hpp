#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "mangrove/core/bits.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/graph/detail/vertex_entry.hpp"

namespace mangrove::detail {

/// What came of putting a neighbour in or taking it out.
struct neighbor_change {
  std::uint32_t from;  ///< all neighbours below this number are as they were
  bool present;        ///< whether the neighbour was there
};

/// Up to `Slots` neighbours, ascending, that one lane holds in registers. What is beyond the last neighbour is larger
/// than every vertex, so that loops need not look at the size but to leave out groups without neighbours.
///
/// A lane for each vertex rather than several: moving neighbours up or down between registers of one lane takes two
/// instructions a neighbour for 32 vertices at once.
template <class Bits, std::uint32_t Slots = entry_layout<Bits>::table::slots>
class lane_neighbors {
 public:
  MANGROVE_HOST_DEVICE lane_neighbors() {
    unrolled<slots>([&](int k) {
      keys_[k] = beyond;
      if constexpr (!is_none<Bits>) weights_[k] = {};
    });
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t size() const { return size_; }

  /// @param from in an entry; `count` is at most the inline capacity
  MANGROVE_HOST_DEVICE void load(const neighbor_array<Bits>& from, std::uint32_t count) {
    size_ = count;
    unrolled<inline_capacity>([&](int k) { load_one(from, k); });
  }

  /// What an entry holds. @pre its degree is at most the inline capacity
  MANGROVE_HOST_DEVICE void load(const vertex_entry& entry) {
    size_ = entry.degree;
    unrolled<inline_capacity>([&](int k) { keys_[k] = number(k) < size_ ? entry.words[k] : beyond; });
    if constexpr (!is_none<Bits>) std::memcpy(&weights_[0], entry.words + 1, sizeof(Bits));
  }

  /// @param from in an extent: what is read fills 16 bytes, but for weights of 8 bytes
  MANGROVE_HOST_DEVICE void load_extent(const neighbor_array<Bits>& from, std::uint32_t count) {
    size_ = count;
    if constexpr (in_quads) {
      unrolled<slots / quad>([&](int q) {
        if (number(q * quad) >= count) return;
        std::uint32_t read[quad];
        load_row<access::plain>(from.keys + q * quad, read);
        unrolled<quad>([&](int j) { keys_[q * quad + j] = read[j]; });
        if constexpr (!is_none<Bits>) load_weights(from, q);
      });
      // Not before all are asked for: the compiler had put the half of them after a wait for the others.
      unrolled<slots>([&](int k) { keys_[k] = number(k) < count ? keys_[k] : beyond; });
    } else {
      unrolled<slots>([&](int k) { load_one(from, k); });
    }
  }

  /// Writes the neighbours into an entry. @pre size() is at most the inline capacity
  MANGROVE_HOST_DEVICE void store(const neighbor_array<Bits>& to) const {
    unrolled<inline_capacity>([&](int k) { store_one(to, k); });
  }

  /// Writes the neighbours from number `first` on; slots beyond the last neighbour may get any values. If that is all,
  /// as in an extent that nobody has read, it writes whole sectors.
  MANGROVE_HOST_DEVICE void store_extent(const neighbor_array<Bits>& to, std::uint32_t first) const {
    if constexpr (in_quads) {
      unrolled<slots / quad>([&](int q) {
        if (number(q * quad) >= size_ || number(q * quad + quad) <= first) return;
        std::uint32_t written[quad];
        unrolled<quad>([&](int j) { written[j] = keys_[q * quad + j]; });
        store_row(to.keys + q * quad, written);
        if constexpr (!is_none<Bits>) store_weights(to, q);
      });
      if constexpr (is_none<Bits>) {
        if (first == 0) fill_last_sector(to.keys);
      }
    } else {
      unrolled<slots>([&](int k) {
        if (number(k) >= first) store_one(to, k);
      });
    }
  }

  /// An entry with the neighbours. @pre size() is at most the inline capacity
  [[nodiscard]] MANGROVE_HOST_DEVICE vertex_entry to_entry() const {
    vertex_entry made{size_, {0, 0, 0}};
    if constexpr (is_none<Bits>) {
      unrolled<inline_capacity>([&](int k) { made.words[k] = number(k) < size_ ? keys_[k] : 0; });
    } else if (size_ != 0) {
      static_assert(inline_capacity == 1);
      made.words[0] = keys_[0];
      std::memcpy(made.words + 1, &weights_[0], sizeof(Bits));
    }
    return made;
  }

  /// Bit k is whether `f` holds for neighbour number k.
  template <class F>
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t match(F f) const {
    std::uint32_t mask = 0;
    unrolled<slots>([&](int k) { mask |= number(k) < size_ && f(keys_[k]) ? 1U << k : 0U; });
    return mask;
  }

  /// Takes out those whose bits are set; those above move down.
  MANGROVE_HOST_DEVICE void erase_all(std::uint32_t mask) {
    unrolled<slots>([&](int from_end) {  // none that moves down is still to be looked at
      const int gap = slots - 1 - from_end;
      const bool goes = (mask >> gap & 1) != 0;
      unrolled<slots - 1>([&](int k) {
        if (k < gap) return;
        keys_[k] = goes ? keys_[k + 1] : keys_[k];
        if constexpr (!is_none<Bits>) weights_[k] = goes ? weights_[k + 1] : weights_[k];
      });
    });
    size_ -= count_bits(mask);
  }

  /// Puts v in, or gives it another weight if it is there. @pre size() < Slots, or v is there
  MANGROVE_HOST_DEVICE neighbor_change put(std::uint32_t v, const Bits& weight) {
    const neighbor_change at = find(v);
    if (at.present) {
      overwrite(v, weight);
    } else {
      insert(v, weight);
    }
    return at;
  }

  /// Takes v out, if it is there; those above move down. From where it is found on, that it is tells who moves: one
  /// comparison and one choice for each.
  MANGROVE_HOST_DEVICE neighbor_change erase(std::uint32_t v) {
    neighbor_change at{0, false};
    for_each_group(size_, [&](int k) {
      const int after = k + 1 < slots ? k + 1 : k;
      at.present = at.present || keys_[k] == v;
      if (k % quad == quad - 1 && !at.present) at.from = number(k + 1);
      keys_[k] = !at.present ? keys_[k] : after == k ? beyond : keys_[after];
      if constexpr (!is_none<Bits>) weights_[k] = at.present ? weights_[after] : weights_[k];
    });
    size_ -= at.present ? 1 : 0;
    return at;
  }

 private:
  static constexpr int slots = static_cast<int>(Slots);
  static constexpr int inline_capacity = static_cast<int>(entry_layout<Bits>::inline_capacity);
  static constexpr int quad = 4;   ///< keys of one load
  static constexpr int group = 8;  ///< neighbours that are worked on or left out together
  static constexpr int groups = (slots + group - 1) / group;
  static constexpr std::uint32_t beyond = ~std::uint32_t{0};
  static constexpr bool in_quads = is_none<Bits> || sizeof(Bits) == sizeof(std::uint32_t);

  [[nodiscard]] MANGROVE_HOST_DEVICE static constexpr std::uint32_t number(int k) {
    return static_cast<std::uint32_t>(k);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE neighbor_change find(std::uint32_t v) const {
    neighbor_change at{0, false};
    for_each_group(size_, [&](int k) {
      at.present = at.present || keys_[k] == v;
      if (k % quad == quad - 1 && keys_[k] < v) at.from = number(k + 1);
    });
    return at;
  }

  /// Puts v in, which is not there; those above move up.
  MANGROVE_HOST_DEVICE void insert(std::uint32_t v, const Bits& weight) {
    unrolled<groups>([&](int from_last) {
      const int g = groups - 1 - from_last;
      if (number(g * group) > size_) return;
      unrolled<group>([&](int from_end) {
        const int k = g * group + group - 1 - from_end;
        if (k >= slots) return;
        const std::uint32_t before = k > 0 ? keys_[k > 0 ? k - 1 : 0] : 0;
        if constexpr (!is_none<Bits>) {
          const bool belongs_here = k == 0 || before < v;  // what is asked of the next slot, too
          weights_[k] = keys_[k] < v ? weights_[k] : belongs_here ? weight : weights_[k > 0 ? k - 1 : 0];
        }
        const std::uint32_t lower = keys_[k] < v ? keys_[k] : v;
        keys_[k] = before > lower ? before : lower;
      });
    });
    ++size_;
  }

  MANGROVE_HOST_DEVICE void overwrite(std::uint32_t v, const Bits& weight) {
    if constexpr (!is_none<Bits>) {
      unrolled<slots>([&](int k) { weights_[k] = keys_[k] == v ? weight : weights_[k]; });
    }
  }

  /// Calls `f(k)` for all numbers in groups that begin below `count`.
  template <class F>
  MANGROVE_HOST_DEVICE static void for_each_group(std::uint32_t count, F f) {
    unrolled<groups>([&](int g) {
      if (number(g * group) >= count) return;
      unrolled<group>([&](int j) {
        if (g * group + j < slots) f(g * group + j);
      });
    });
  }

  MANGROVE_HOST_DEVICE void load_weights(const neighbor_array<Bits>& from, int q) {
    Bits read[quad];
    load_row<access::plain>(from.weights + q * quad, read);
    unrolled<quad>([&](int j) { weights_[q * quad + j] = read[j]; });
  }

  MANGROVE_HOST_DEVICE void store_weights(const neighbor_array<Bits>& to, int q) const {
    Bits written[quad];
    unrolled<quad>([&](int j) { written[j] = weights_[q * quad + j]; });
    store_row(to.weights + q * quad, written);
  }

  /// Writes the second half of the last neighbour's sector, if none is there: a GPU takes longer to write a sector to
  /// memory of which a part is missing, as if it read that first. Weights of 4 bytes are the other half.
  MANGROVE_HOST_DEVICE void fill_last_sector(std::uint32_t* keys) const {
    constexpr std::uint32_t of_sector = granule_bytes / sizeof(std::uint32_t);
    static_assert(of_sector == 2 * quad);
    const std::uint32_t last = size_ - 1;
    if (last % of_sector >= quad) return;
    const std::uint32_t nothing[quad] = {};
    store_row(keys + last / of_sector * of_sector + quad, nothing);
  }

  MANGROVE_HOST_DEVICE void load_one(const neighbor_array<Bits>& from, int k) {
    if (number(k) >= size_) return;
    keys_[k] = from.keys[k];
    if constexpr (!is_none<Bits>) weights_[k] = from.weights[k];
  }

  MANGROVE_HOST_DEVICE void store_one(const neighbor_array<Bits>& to, int k) const {
    if (number(k) >= size_) return;
    to.keys[k] = keys_[k];
    if constexpr (!is_none<Bits>) to.weights[k] = weights_[k];
  }

  std::uint32_t size_ = 0;
  std::uint32_t keys_[slots];
  [[no_unique_address]] std::conditional_t<is_none<Bits>, none, Bits[is_none<Bits> ? 1 : slots]> weights_;
};

}  // namespace mangrove::detail
