#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/relaxed_atomic.hpp"

namespace mangrove::detail {

/// Which keys of a stretch repeat others, found out by a tile in its scratch: keys that hash to one place are written
/// there one over the other, and the one that is left is compared with all of them. Those that differ from it try
/// again at other places. So nobody waits for an atomic's answer, and no table has to be emptied.
/// @tparam Keys of a stretch, a power of two
template <std::uint32_t Keys>
class stretch_repeats {
  static_assert((Keys & (Keys - 1)) == 0 && Keys % 32 == 0);

 public:
  /// All lanes together, which meet between the steps, and at the end.
  /// @param size keys that there are
  /// @param matters tells of key k whether it matters: if not, it need not be told that it repeats another
  /// @param places memory for as many as there are keys, with any content
  template <class Tile, class Matters>
  MANGROVE_HOST_DEVICE void find(const Tile& tile, const std::uint64_t* keys, std::uint32_t size, Matters matters,
                                 std::uint32_t* places) {
    const std::uint32_t words = (size + 31) / 32;
    own_keys<Tile> undecided;
    tile.strided_briefly(std::size_t{32} * words, [&](std::size_t i) {
      const auto k = static_cast<std::uint32_t>(i);
      counts_[k] = 1;
      if (k < size && matters(k)) undecided.add(k);
    });
    bool left = true;
    for (std::uint32_t round = 0; left; ++round) {
      undecided.for_each(tile, [&](std::uint32_t k) {
        exchange(places + place_of(keys[k], round), k);
        return true;
      });
      tile.sync();
      undecided.for_each(tile, [&](std::uint32_t k) {
        const std::uint32_t there = relaxed_load(places + place_of(keys[k], round));
        if (there == k) return false;
        if (keys[there] != keys[k]) return true;
        counts_[k] = 0;
        return false;
      });
      left = tile.any(!undecided.empty());
    }
    tile.strided_briefly(words, [&](std::size_t word) { bits_[word] = bits_of(32 * word); });
    tile.sync();
  }

  /// Whether key k is the one of those equal to it that counts. @pre `find`
  [[nodiscard]] MANGROVE_HOST_DEVICE bool counts(std::size_t k) const { return (bits_[k / 32] >> (k % 32) & 1) != 0; }

  /// How many of the keys from `begin` to before `end`, of which there are some, count. By one lane. @pre `find`
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count(std::uint32_t begin, std::uint32_t end) const {
    const std::uint32_t from_begin = ~std::uint32_t{0} << (begin % 32);
    const std::uint32_t to_end = ~std::uint32_t{0} >> (31 - (end - 1) % 32);
    const std::uint32_t last = (end - 1) / 32;
    std::uint32_t all = 0;
    for (std::uint32_t word = begin / 32; word <= last; ++word) {
      std::uint32_t mask = word == begin / 32 ? from_begin : ~std::uint32_t{0};
      if (word == last) mask &= to_end;
      all += count_bits(bits_[word] & mask);
    }
    return all;
  }

 private:
  static constexpr int key_bits = std::countr_zero(Keys);

  /// Some of the keys that are a lane's in `strided`, a bit each: on CUDA in one register.
  template <class Tile>
  struct own_keys {
    static constexpr std::uint32_t words = (Keys / Tile::lanes + 31) / 32;
    std::uint32_t bits[words] = {};

    MANGROVE_HOST_DEVICE void add(std::uint32_t k) {
      const std::uint32_t number = k / Tile::lanes;
      bits[words == 1 ? 0 : number / 32] |= std::uint32_t{1} << (number % 32);
    }

    [[nodiscard]] MANGROVE_HOST_DEVICE bool empty() const {
      std::uint32_t all = 0;
      for (const std::uint32_t word : bits) all |= word;
      return all == 0;
    }

    /// Keeps those for which `f(k)` holds.
    template <class F>
    MANGROVE_HOST_DEVICE void for_each(const Tile& tile, F f) {
      for (std::uint32_t word = 0; word < words; ++word) {
        for (std::uint32_t rest = bits[word]; rest != 0; rest &= rest - 1) {
          const std::uint32_t number = 32 * word + lowest_bit(rest);
          if (!f(number * Tile::lanes + static_cast<std::uint32_t>(tile.lane()))) bits[word] &= ~(rest & (~rest + 1));
        }
      }
    }
  };

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t place_of(std::uint64_t key, std::uint32_t round) {
    constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // of 2^64
    constexpr std::uint64_t other = 0xbf58476d1ce4e5b8;         // even: all factors are odd
    return static_cast<std::uint32_t>(key * (golden_ratio + round * other) >> (64 - key_bits));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t bits_of(std::size_t begin) const {
    std::uint32_t bits = 0;
    for (std::uint32_t k = 0; k < 32; ++k) bits |= std::uint32_t{counts_[begin + k]} << k;
    return bits;
  }

  std::uint8_t counts_[Keys];  ///< 1 or 0
  std::uint32_t bits_[Keys / 32];
};

}  // namespace mangrove::detail
