#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "mangrove/adjacency/detail/value_bits.hpp"
#include "mangrove/adjacency/key_order.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/bulk.hpp"
#include "mangrove/core/error.hpp"
#include "mangrove/core/mirrored.hpp"

/// @file
/// A batch of keys in order. Sources include `core/for_each.hpp` or `core/for_each.cuh` before it.

namespace mangrove::detail {

/// Keys in order, with the position that each came from. Trivially copyable.
template <class Key>
struct batch_view {
  const std::uint64_t* sorted;    ///< 8-byte keys; 4-byte keys have their position in the low half
  const std::uint32_t* position;  ///< of 8-byte keys
  std::size_t count;

  [[nodiscard]] MANGROVE_HOST_DEVICE Key key(std::size_t i) const {
    if constexpr (sizeof(Key) == 8) {
      return sorted[i];
    } else {
      return static_cast<Key>(sorted[i] >> 32);
    }
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::size_t i) const {
    if constexpr (sizeof(Key) == 8) {
      return position[i];
    } else {
      return static_cast<std::uint32_t>(sorted[i]);
    }
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool first_of_equals(std::size_t i) const {
    return i == 0 || key(i - 1) != key(i);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool last_of_equals(std::size_t i) const {
    return i + 1 == count || key(i + 1) != key(i);
  }
};

/// Makes what is sorted: the i-th key with its position. Notes NaNs.
template <class Key>
struct number_keys {
  const void* keys;
  key_codec<Key> codec;
  std::uint64_t* sorted;
  std::uint32_t* position;
  std::uint32_t* refused;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const Key raw = load_bits<Key>(keys, i);
    if (codec.refuses(raw)) store_relaxed(refused, 1U);
    if constexpr (sizeof(Key) == 8) {
      sorted[i] = codec.encode(raw);
      position[i] = static_cast<std::uint32_t>(i);
    } else {
      sorted[i] = std::uint64_t{codec.encode(raw)} << 32 | i;
    }
  }
};

inline void check_batch_size(std::size_t count) {
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("a batch of " + std::to_string(count) + " keys is too large: pass at most 2^32 - 1 at a time");
  }
}

[[noreturn]] inline void throw_nan() {
  throw usage_error(
      "NaN cannot be a key of an ordered container: it has no place in the order; remove it from the batch");
}

/// @throws usage_error where a body has found a NaN among keys of a floating-point type
template <backend B, class Key, class Tally>
void refuse_nans(const resources<B>& res, const key_codec<Key>& codec, mirrored<B, Tally>& tally) {
  if (!codec.may_refuse() || tally.fetch(res).refused == 0) return;
  throw_nan();
}

/// A batch of keys, sorted; of equal ones those that came first stand first.
template <backend B, class Key>
class sorted_batch {
 public:
  /// @param tally something with a word `refused` @throws usage_error for a NaN; memory_error
  template <class Tally>
  sorted_batch(const resources<B>& res, const void* keys, std::size_t count, key_codec<Key> codec,
               mirrored<B, Tally>& tally)
      : count_(count), sorted_(res, count), position_(res, sizeof(Key) == 8 ? count : 0) {
    tally.clear(res);
    for_each_tile<1>(res, count,
                     number_keys<Key>{keys, codec, sorted_.data(), position_.data(), &tally.data()->refused});
    refuse_nans(res, codec, tally);
    if constexpr (sizeof(Key) == 8) {
      sort_pairs(res, sorted_.data(), position_.data(), count);
    } else {
      sort(res, sorted_.data(), count, 32, 64);
    }
  }

  [[nodiscard]] batch_view<Key> view() const noexcept { return {sorted_.data(), position_.data(), count_}; }

 private:
  std::size_t count_;
  buffer<B, std::uint64_t> sorted_;
  buffer<B, std::uint32_t> position_;
};

}  // namespace mangrove::detail
