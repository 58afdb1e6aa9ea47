#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mangrove/core/bits.hpp"
#include "mangrove/graph/detail/vertex_entry.hpp"

#if defined(__AVX2__) && !defined(__CUDACC__)
#include <immintrin.h>
#define MANGROVE_PACKS_KEYS 1
#endif

/// @file
/// Reading the slabs of a hash table by a thread of the CPU. A slab is 30 to 88 % full and its keys are in random
/// slots, so a branch for each slot would be predicted wrong time and again. Instead what is there is brought together
/// first, eight slots at a time and without branches, and the caller's function is called in a plain loop.

namespace mangrove::detail {

/// By value of a byte: the numbers of its bits that are set, ascending, in a byte each.
inline constexpr auto bits_of_byte = [] {
  std::array<std::uint64_t, 256> all{};
  for (std::uint32_t byte = 0; byte < all.size(); ++byte) {
    int found = 0;
    for (std::uint64_t bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) all[byte] |= bit << (8 * found++);
    }
  }
  return all;
}();

/// Writes the numbers of the bits that are set, ascending. @param to has room for 32. @return how many there are
inline std::uint32_t write_bits(std::uint32_t bits, std::uint8_t* to) {
  constexpr std::uint64_t one_each = 0x0101010101010101;
  std::uint32_t size = 0;
  for (std::uint32_t first = 0; first < 32; first += 8) {
    const std::uint32_t byte = bits >> first & 0xff;
    const std::uint64_t numbers = bits_of_byte[byte] + first * one_each;
    std::memcpy(to + size, &numbers, sizeof(numbers));
    size += count_bits(byte);
  }
  return size;
}

#if defined(MANGROVE_PACKS_KEYS)
/// Writes those of eight keys that are a neighbour. @param to has room for eight. @return how many there are
inline std::uint32_t pack_keys(const std::uint32_t* from, std::uint32_t* to) {
  const __m256i keys = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256i largest = _mm256_set1_epi32(static_cast<int>(slot_mark<std::uint32_t>::busy - 1));
  const __m256i storable = _mm256_cmpeq_epi32(_mm256_min_epu32(keys, largest), keys);
  const auto used = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(storable)));
  const __m128i numbers = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&bits_of_byte[used]));
  const __m256i packed = _mm256_permutevar8x32_epi32(keys, _mm256_cvtepu8_epi32(numbers));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), packed);
  return count_bits(used);
}

/// Writes the neighbours in slabs [first, last) of a table. @param to has room for all their slots
/// @return how many there are
inline std::uint32_t pack_slabs(const slab_table<std::uint32_t, none>& in, std::uint32_t first, std::uint32_t last,
                                std::uint32_t* to) {
  constexpr std::uint32_t slots = slab_table<std::uint32_t, none>::slots;
  const std::uint32_t* const end = in.keys(last);
  std::uint32_t size = 0;
  for (const std::uint32_t* keys = in.keys(first); keys != end; keys += slots) {
    for (std::uint32_t slot = 0; slot < slots; slot += 8) size += pack_keys(keys + slot, to + size);
  }
  return size;
}

/// Calls `f(v, nullptr)` for every neighbour in slabs [first, last) of a table without weights.
template <class F>
void walk_packed(const slab_table<std::uint32_t, none>& in, std::uint32_t first, std::uint32_t last, F& f) {
  constexpr std::uint32_t together = 32;  ///< slabs, so that few loops end, each of which is predicted wrong
  std::uint32_t keys[together * slab_table<std::uint32_t, none>::slots];
  while (first < last) {
    const std::uint32_t end = last - first < together ? last : first + together;
    const std::uint32_t size = pack_slabs(in, first, end, keys);
    for (std::uint32_t i = 0; i < size; ++i) f(keys[i], static_cast<const none*>(nullptr));
    first = end;
  }
}
#endif

/// Calls `f(v, weight)` for every neighbour in slabs [first, last) of a table.
template <class Tile, class Weight, class F>
MANGROVE_HOST_DEVICE void walk_slabs(const Tile& tile, const slab_table<std::uint32_t, Weight>& in, std::uint32_t first,
                                     std::uint32_t last, F& f) {
#if defined(MANGROVE_PACKS_KEYS)
  if constexpr (is_none<Weight>) return walk_packed(in, first, last, f);
#endif
  using table = slab_table<std::uint32_t, Weight>;
  for (; first < last; ++first) {
    std::uint8_t used[32];
    const std::uint32_t size =
        write_bits(in.template match_keys<access::plain>(tile, first, table::mark::storable), used);
    const std::uint32_t* const keys = in.keys(first);
    const Weight* const weights = in.values(first);
    for (std::uint32_t i = 0; i < size; ++i) f(keys[used[i]], weights + used[i]);
  }
}

}  // namespace mangrove::detail
