#pragma once

#include <algorithm>
#include <cstdint>

#include "key_blocks.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Up to `Slots` ascending keys, without branches on how many there are. Beyond the last one all bits are set, which
/// makes what is there larger than every key.
template <std::uint32_t Slots>
class few_keys {
 public:
  void load(const std::uint32_t* from, std::uint32_t count) {
    unrolled<slots>([&](int k) { keys_[k] = from[k] | all_if(number(k) >= count); });
  }

  /// Zeros go where no key is.
  void store(std::uint32_t* to, std::uint32_t count) const {
    unrolled<slots>([&](int k) { to[k] = keys_[k] & all_if(number(k) < count); });
  }

  [[nodiscard]] key_place find(std::uint32_t key) const {
    key_place found{0, false};
    unrolled<slots>([&](int k) {
      found.number += keys_[k] < key ? 1 : 0;
      found.present = found.present | (keys_[k] == key);
    });
    return found;
  }

  /// Puts a key in that is not there. @pre there is room
  void insert(std::uint32_t key) {
    unrolled<slots>([&](int from_end) {
      const int k = slots - 1 - from_end;
      const std::uint32_t before = k > 0 ? keys_[k > 0 ? k - 1 : 0] : 0;
      keys_[k] = std::max(before, std::min(keys_[k], key));
    });
  }

  /// Writes the keys and another one that is not there, one more than `Slots` in all. @pre there is no room
  void store_with(std::uint32_t key, std::uint32_t* to) const {
    unrolled<slots + 1>([&](int k) {
      const std::uint32_t before = k > 0 ? keys_[k > 0 ? k - 1 : 0] : 0;
      const std::uint32_t own = k < slots ? keys_[k < slots ? k : 0] : ~std::uint32_t{0};
      to[k] = std::max(before, std::min(own, key));
    });
  }

  /// Takes a key out that is there.
  void erase(std::uint32_t key) {
    unrolled<slots>([&](int k) {
      const std::uint32_t after = k + 1 < slots ? keys_[k + 1 < slots ? k + 1 : k] : ~std::uint32_t{0};
      const std::uint32_t stays = all_if(keys_[k] < key);
      keys_[k] = (keys_[k] & stays) | (after & ~stays);
    });
  }

 private:
  static constexpr int slots = static_cast<int>(Slots);

  static std::uint32_t number(int k) { return static_cast<std::uint32_t>(k); }
  static std::uint32_t all_if(bool condition) { return -static_cast<std::uint32_t>(condition); }

  std::uint32_t keys_[slots];
};

#if defined(MANGROVE_HAS_KEY_BLOCKS)
/// The same for three keys, in one register.
template <>
class few_keys<3> {
 public:
  void load(const std::uint32_t* from, std::uint32_t count) {
    const __m128i two = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    const __m128i read = _mm_insert_epi32(two, static_cast<int>(from[2]), 2);
    keys_ = _mm_or_si128(read, _mm_cmpgt_epi32(numbers(), of(count - 1)));
  }

  void store(std::uint32_t* to, std::uint32_t count) const {
    const __m128i there = _mm_and_si128(keys_, _mm_cmpgt_epi32(of(count), numbers()));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), there);
    to[2] = static_cast<std::uint32_t>(_mm_extract_epi32(there, 2));
  }

  [[nodiscard]] key_place find(std::uint32_t key) const {
    return {count_bits(bits_of(smaller_than(of(key)))), bits_of(_mm_cmpeq_epi32(keys_, of(key))) != 0};
  }

  void insert(std::uint32_t key) { keys_ = with(key); }

  void store_with(std::uint32_t key, std::uint32_t* to) const {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), with(key));
  }

  void erase(std::uint32_t key) {
    const __m128i after = _mm_or_si128(_mm_srli_si128(keys_, sizeof(key)), _mm_setr_epi32(0, 0, 0, -1));
    keys_ = _mm_blendv_epi8(after, keys_, smaller_than(of(key)));
  }

 private:
  static __m128i of(std::uint32_t key) { return _mm_set1_epi32(static_cast<int>(key)); }
  static __m128i numbers() { return _mm_setr_epi32(0, 1, 2, 3); }
  static std::uint32_t bits_of(__m128i mask) {
    return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(mask)));
  }

  /// The keys and another one; what is beyond all moves up, too.
  [[nodiscard]] __m128i with(std::uint32_t key) const {
    return _mm_max_epu32(_mm_min_epu32(keys_, of(key)), _mm_slli_si128(keys_, sizeof(key)));
  }

  /// All ones in the lanes of keys that are smaller.
  [[nodiscard]] __m128i smaller_than(__m128i key) const {
    const __m128i up_to = _mm_cmpeq_epi32(_mm_min_epu32(keys_, key), keys_);
    return _mm_andnot_si128(_mm_cmpeq_epi32(keys_, key), up_to);
  }

  __m128i keys_;  ///< the fourth is beyond all
};
#endif

}  // namespace mangrove::detail
