#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/resources.hpp"

/// @file
/// Bulk primitives over arrays in the backend's memory: sort, scan, select, reduce.
///
/// On CUDA they are CUB's, queued on the stream; on the CPU they are a radix sort by few bits, Highway's VQSort by
/// more, and loops over oneTBB. Those that return a value wait for it. Scratch memory comes from the resources.
/// @throws memory_error when it is refused,
/// with the arrays as they were or partly permuted.

namespace mangrove {

/// Sorts `count` keys ascending, in place. Only bits [first_bit, last_bit) decide on CUDA; on the CPU all of them may,
/// so the bits below must either not matter or already ascend among keys that are equal in the deciding bits.
void sort(const cpu_resources& res, std::uint64_t* keys, std::size_t count, int first_bit = 0, int last_bit = 64);
void sort(const cuda_resources& res, std::uint64_t* keys, std::size_t count, int first_bit = 0, int last_bit = 64);

/// The same on the CPU for who sorts again and again, without memory that is new each time.
/// @param spare room for `count` keys to work in
void sort(const cpu_resources& res, std::uint64_t* keys, std::uint64_t* spare, std::size_t count, int first_bit,
          int last_bit);

/// Sorts `count` pairs by key, ascending and stable, in place. Keys have no bits at or above `last_bit`.
void sort_pairs(const cpu_resources& res, std::uint64_t* keys, std::uint32_t* values, std::size_t count,
                int last_bit = 64);
void sort_pairs(const cuda_resources& res, std::uint64_t* keys, std::uint32_t* values, std::size_t count,
                int last_bit = 64);

/// So many 4-byte words, which a sort moves along with a key.
template <int N>
struct word_group {
  std::uint32_t words[N];
};

/// Writes `count` pairs, ascending by key, to other arrays. Keys have no bits at or above `last_bit`. Pairs with equal
/// keys stay in their order; those whose values are single words may ascend by value instead.
/// @tparam Value `std::uint32_t`, `word_group<2>` or `word_group<3>`
template <class Value>
void sort_pairs(const cpu_resources& res, const std::uint32_t* keys, const Value* values, std::uint32_t* keys_to,
                Value* values_to, std::size_t count, int last_bit);
template <class Value>
void sort_pairs(const cuda_resources& res, const std::uint32_t* keys, const Value* values, std::uint32_t* keys_to,
                Value* values_to, std::size_t count, int last_bit);

/// `to[i]` becomes the sum of `from[0 .. i)`, for i in [0, count]: one more output than inputs, the last one the total.
/// `to` and `from` may not overlap.
void exclusive_scan(const cpu_resources& res, const std::uint32_t* from, std::uint32_t* to, std::size_t count);
void exclusive_scan(const cpu_resources& res, const std::uint64_t* from, std::uint64_t* to, std::size_t count);
void exclusive_scan(const cuda_resources& res, const std::uint32_t* from, std::uint32_t* to, std::size_t count);
void exclusive_scan(const cuda_resources& res, const std::uint64_t* from, std::uint64_t* to, std::size_t count);

/// Writes the indices i with `flags[i] != 0`, ascending, to `to` (room for `count`). @return how many there are
std::size_t select(const cpu_resources& res, const std::uint8_t* flags, std::uint32_t* to, std::size_t count);
std::size_t select(const cuda_resources& res, const std::uint8_t* flags, std::uint32_t* to, std::size_t count);

/// The same, but how many there are goes to `selected`, in the backend's memory, and nobody waits for it.
void select(const cpu_resources& res, const std::uint8_t* flags, std::uint32_t* to, std::size_t count,
            std::uint64_t* selected);
void select(const cuda_resources& res, const std::uint8_t* flags, std::uint32_t* to, std::size_t count,
            std::uint64_t* selected);

/// The largest of `count` values, 0 when there are none.
std::uint64_t max_value(const cpu_resources& res, const std::uint64_t* values, std::size_t count);
std::uint64_t max_value(const cuda_resources& res, const std::uint64_t* values, std::size_t count);
std::uint32_t max_value(const cpu_resources& res, const std::uint32_t* values, std::size_t count);
std::uint32_t max_value(const cuda_resources& res, const std::uint32_t* values, std::size_t count);

/// The sum of `count` values.
std::uint64_t sum(const cpu_resources& res, const std::uint64_t* values, std::size_t count);
std::uint64_t sum(const cuda_resources& res, const std::uint64_t* values, std::size_t count);

}  // namespace mangrove
