#pragma once

#include <cstdint>
#include <type_traits>

#include "mangrove/core/backend.hpp"

/// @file
/// Ordered containers keep keys as unsigned bits whose order is that of the keys, so that one instantiation serves all
/// key types of a size.

namespace mangrove {

/// How the bits of a key type are ordered.
enum class key_order : std::uint8_t {
  unsigned_bits,  ///< as an unsigned integer
  signed_bits,    ///< as a two's complement integer
  floating        ///< as an IEEE 754 number; -0 equals 0, NaN is no key
};

/// The order of a key type. To use a type of your own as key, trivially copyable and of 4 or 8 bytes, specialise this.
template <class Key>
inline constexpr key_order key_order_of = std::is_floating_point_v<Key> ? key_order::floating
                                          : std::is_signed_v<Key>       ? key_order::signed_bits
                                                                        : key_order::unsigned_bits;

/// What a caller knows about the keys of a bulk build.
enum class key_sequence : std::uint8_t {
  unsorted,  ///< in any order; of equal keys the last one's value stays
  sorted     ///< ascending; of equal keys the last one's value stays
};

namespace detail {

/// The unsigned integer that a key's bits are kept in.
template <class Key>
using key_bits = std::conditional_t<sizeof(Key) == 8, std::uint64_t, std::uint32_t>;

/// Translates the bits of keys into bits ordered as unsigned integers, and back. On a GPU without branches, which it
/// would wait at; a CPU foresees those for keys that are ordered already.
/// @tparam Bits std::uint32_t or std::uint64_t
template <class Bits>
class key_codec {
 public:
  MANGROVE_HOST_DEVICE constexpr key_codec(key_order order = key_order::unsigned_bits)
      : if_negative_(order == key_order::floating ? static_cast<Bits>(~Bits{0}) : flip_of(order)),
        if_positive_(flip_of(order)),
        sign_alone_(order == key_order::floating ? Bits{0} : sign),
        greatest_(order == key_order::floating ? infinity : static_cast<Bits>(~Bits{0})) {}

  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr Bits encode(Bits raw) const {
#if !defined(__CUDA_ARCH__)
    if (if_positive_ == 0) return raw;
#endif
    raw = raw == sign ? sign_alone_ : raw;
    return raw ^ ((raw & sign) != 0 ? if_negative_ : if_positive_);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr Bits decode(Bits ordered) const {
#if !defined(__CUDA_ARCH__)
    if (if_positive_ == 0) return ordered;
#endif
    return ordered ^ if_negative_ ^ (if_set(ordered) & (if_negative_ ^ if_positive_));
  }

  /// Whether there are bits that are no key.
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr bool may_refuse() const {
    return greatest_ == infinity;
  }

  /// Whether these bits are no key: not a number.
  [[nodiscard]] MANGROVE_HOST_DEVICE constexpr bool refuses(Bits raw) const {
#if !defined(__CUDA_ARCH__)
    if (!may_refuse()) return false;
#endif
    return (raw & ~sign) > greatest_;
  }

 private:
  static constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  static constexpr Bits infinity = sizeof(Bits) == 8 ? static_cast<Bits>(0x7ff0000000000000ULL) : Bits{0x7f800000U};

  /// All bits if the sign bit is set, else none: a choice between two members would read one of them once for each key.
  MANGROVE_HOST_DEVICE static constexpr Bits if_set(Bits bits) {
    return static_cast<Bits>(Bits{0} - (bits >> (8 * sizeof(Bits) - 1)));
  }

  MANGROVE_HOST_DEVICE static constexpr Bits flip_of(key_order order) {
    return order == key_order::unsigned_bits ? Bits{0} : sign;
  }

  Bits if_negative_;  ///< bits that change if the sign bit of a key is set
  Bits if_positive_;  ///< the same if it is not; then an ordered key has it set, if any bits change
  Bits sign_alone_;   ///< what the sign bit alone is taken for: -0 is 0
  Bits greatest_;     ///< that a key may be, its sign apart
};

}  // namespace detail
}  // namespace mangrove
