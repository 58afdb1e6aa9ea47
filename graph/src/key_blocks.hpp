#pragma once

#include <cstdint>

#include "mangrove/core/bits.hpp"

#if defined(__AVX2__) && !defined(__CUDACC__)
#include <immintrin.h>
#define MANGROVE_HAS_KEY_BLOCKS 1
#endif

/// @file
/// Searching and moving the ascending keys of an array by blocks of eight, for a thread of the CPU. Whether a loop over
/// eight keys becomes one instruction is a compiler's choice, and g++ 12 made scalar code of it; so with AVX2 it is
/// written as instructions. A block may be read and written whole, beyond the last key too: extents end with one.

namespace mangrove::detail {

/// Keys of a block.
inline constexpr std::uint32_t key_block = 8;

/// Where a key is among ascending ones, or belongs.
struct key_place {
  std::uint32_t number;  ///< how many are smaller
  bool present;
};

#if defined(MANGROVE_HAS_KEY_BLOCKS)

namespace key_blocks {

inline __m256i load(const std::uint32_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

inline void store(std::uint32_t* to, __m256i keys) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), keys);
}

inline std::uint32_t bits_of(__m256i mask) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
}

/// All ones in the lanes of numbers from `count` on.
inline __m256i lanes_from(std::uint32_t count) {
  const __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(numbers, _mm256_set1_epi32(static_cast<int>(count) - 1));
}

/// All ones where a key is smaller than another one.
inline __m256i smaller(__m256i keys, __m256i than) {
  return _mm256_andnot_si256(_mm256_cmpeq_epi32(keys, than), _mm256_cmpeq_epi32(_mm256_min_epu32(keys, than), keys));
}

}  // namespace key_blocks

/// Finds a key among up to 32.
inline key_place find_in_blocks(const std::uint32_t* keys, std::uint32_t count, std::uint32_t key) {
  const __m256i wanted = _mm256_set1_epi32(static_cast<int>(key));
  std::uint32_t up_to = 0;  // a bit for each key, and for what stands beyond the last one
  std::uint32_t equal = 0;
  for (std::uint32_t first = 0; first < count; first += key_block) {
    const __m256i read = key_blocks::load(keys + first);
    up_to |= key_blocks::bits_of(_mm256_cmpeq_epi32(_mm256_min_epu32(read, wanted), read)) << first;
    equal |= key_blocks::bits_of(_mm256_cmpeq_epi32(read, wanted)) << first;
  }
  const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
  return {count_bits(up_to & ~equal & all), (equal & all) != 0};
}

/// Puts a key in that is not there; `count` are there before. All blocks are written, as many as a search has read,
/// since how many keys move could not be predicted.
inline void insert_in_blocks(std::uint32_t* keys, std::uint32_t count, std::uint32_t key) {
  const __m256i added = _mm256_set1_epi32(static_cast<int>(key));
  std::uint32_t first = count / key_block * key_block;
  __m256i beyond = key_blocks::lanes_from(count - first);
  for (; first != 0; first -= key_block) {
    const __m256i lower = _mm256_min_epu32(_mm256_or_si256(key_blocks::load(keys + first), beyond), added);
    key_blocks::store(keys + first, _mm256_max_epu32(lower, key_blocks::load(keys + first - 1)));
    beyond = _mm256_setzero_si256();
  }
  const __m256i old = key_blocks::load(keys);
  const __m256i lower = _mm256_min_epu32(_mm256_or_si256(old, beyond), added);
  const __m256i moved = _mm256_permutevar8x32_epi32(old, _mm256_setr_epi32(0, 0, 1, 2, 3, 4, 5, 6));
  key_blocks::store(keys, _mm256_max_epu32(lower, _mm256_blend_epi32(moved, _mm256_setzero_si256(), 1)));
}

/// Takes a key out that is there, one of `count`.
inline void erase_in_blocks(std::uint32_t* keys, std::uint32_t count, std::uint32_t key) {
  const __m256i gone = _mm256_set1_epi32(static_cast<int>(key));
  std::uint32_t first = 0;
  for (; first + key_block < count; first += key_block) {
    const __m256i old = key_blocks::load(keys + first);
    const __m256i moved = key_blocks::load(keys + first + 1);
    key_blocks::store(keys + first, _mm256_blendv_epi8(moved, old, key_blocks::smaller(old, gone)));
  }
  const __m256i old = key_blocks::load(keys + first);
  const __m256i moved = _mm256_permutevar8x32_epi32(old, _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 7));
  key_blocks::store(keys + first, _mm256_blendv_epi8(moved, old, key_blocks::smaller(old, gone)));
}

#else

inline key_place find_in_blocks(const std::uint32_t* keys, std::uint32_t count, std::uint32_t key) {
  std::uint32_t number = 0;
  for (std::uint32_t k = 0; k < count; ++k) number += keys[k] < key ? 1 : 0;
  return {number, number < count && keys[number] == key};
}

inline void insert_in_blocks(std::uint32_t* keys, std::uint32_t count, std::uint32_t key) {
  std::uint32_t at = count;
  for (; at != 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
  keys[at] = key;
}

inline void erase_in_blocks(std::uint32_t* keys, std::uint32_t count, std::uint32_t key) {
  for (std::uint32_t k = 0; k + 1 < count; ++k) keys[k] = keys[k] < key ? keys[k] : keys[k + 1];
}

#endif

}  // namespace mangrove::detail
