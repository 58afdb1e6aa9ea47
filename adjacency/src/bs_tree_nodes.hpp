#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bs_tree_version.hpp"
#include "mangrove/core/none.hpp"

namespace mangrove::detail {

/// The keys of a node fill two cache lines.
inline constexpr std::size_t bs_block_bytes = 128;

/// The number of a node in its pool. A leaf's carries its form in the two highest bits.
using bs_node = std::uint32_t;
inline constexpr bs_node bs_no_node = 0;

/// Inner nodes are numbered in units of as many bytes as an instruction's address can multiply by: a search goes from
/// number to node by no arithmetic of its own.
inline constexpr std::size_t bs_inner_unit = 8;

/// An inner node: child i holds the keys up to and including separator i that its left siblings do not.
///
/// Separators that are not in use are the greatest key. No key is greater than that, so counting the separators less
/// than a key finds its child whatever the number of separators, and for every key.
template <class Key>
struct alignas(64) bs_inner {
  static constexpr int slots = bs_block_bytes / sizeof(Key);
  static constexpr int separators = slots - static_cast<int>(8 / sizeof(Key));
  static constexpr std::uint64_t separator_bits = (std::uint64_t{1} << separators) - 1;

  Key keys[separators];
  std::uint32_t version;
  std::uint32_t count;  ///< separators in use; there is one child more
  bs_node children[separators + 1];
};
static_assert(sizeof(bs_inner<std::uint64_t>) == 192 && sizeof(bs_inner<std::uint32_t>) == 256);

/// A leaf's keys are kept as `T`; in compressed leaves that is their difference to the leaf's `base`.
///
/// Slots whose bit in `used` is clear are gaps and repeat the next used slot's key. The last slot is always used, so
/// every gap has a next slot, no key value is set apart, and searching needs no bitmap.
template <class T>
inline constexpr int bs_slots = bs_block_bytes / sizeof(T);
template <class T>
inline constexpr std::uint64_t bs_all_slots = ~std::uint64_t{0} >> (64 - bs_slots<T>);

/// What is kept beside a plain leaf of a tree with one writer: nothing. Which slots are used shows in the keys, and
/// reading it from there costs less than the line that it would lie in.
struct bs_no_side {};

/// What is kept beside a plain leaf that many may write: the line is needed for the version anyway.
struct bs_plain_side {
  std::uint32_t version;
  std::uint32_t used;
};

/// What is kept beside a compressed leaf.
template <class Key>
struct bs_compressed_side {
  std::uint64_t used;
  Key base;
  std::uint32_t version;
};

/// The forms of a leaf: 0 keeps whole keys, each next one half as many bits.
template <class Key, int Form>
using bs_form =
    std::conditional_t<Form == 0, Key, std::conditional_t<sizeof(Key) == 8 && Form == 1, std::uint32_t, std::uint16_t>>;
template <class Key>
inline constexpr int bs_forms = sizeof(Key) == 8 ? 3 : 2;

template <class Bits>
inline constexpr std::size_t bs_value_bytes = is_none<Bits> ? 0 : sizeof(Bits);

inline constexpr int bs_form_shift = 30;
inline constexpr bs_node bs_index_mask = (bs_node{1} << bs_form_shift) - 1;

/// The most inner levels: even with the fewest children a node, more than the numbers of nodes allow.
inline constexpr int bs_max_levels = 32;

/// Operations whose loads are in flight together.
inline constexpr int bs_in_flight = 32;

}  // namespace mangrove::detail
