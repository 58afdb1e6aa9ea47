#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "mangrove/core/atomic.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/core/load_row.hpp"

namespace mangrove::detail {

/// A filter of fixed size that lets an id through when it comes for the first time, and most often only then: what of
/// an id's many copies is left is little to sort. Any lanes may use it together; it may forget, but never lets the
/// first one of an id go by. In the backend's memory.
class recent_ids {
 public:
  static constexpr int ways = 4;  ///< ids of a bucket: a sector of 32 bytes
  static constexpr std::size_t bucket_bytes = ways * sizeof(std::uint64_t);

  /// What all bytes of the memory have to be at first: ids that look so are let through each time.
  static constexpr int empty_byte = 0xff;

  /// Lets all ids through.
  recent_ids() = default;
  /// @param buckets a power of two, of `bucket_bytes` each
  recent_ids(std::uint64_t* ids, std::size_t buckets)
      : ids_(ids), shift_(64 - static_cast<std::uint32_t>(std::bit_width(buckets - 1))) {}

  /// Whether an id is let through. Cost: a sector read, and one word written if it is.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool lets_through(std::uint64_t id) const {
    if (ids_ == nullptr) return true;
    const std::uint64_t hash = mix(id);
    std::uint64_t* const bucket = ids_ + (hash >> shift_) * ways;
    std::uint64_t seen[ways];
    load_row<access::relaxed>(bucket, seen);
    bool is_there = false;
    int free = -1;
    unrolled<ways>([&](int k) {
      is_there = is_there || seen[k] == id;
      if (seen[k] == empty) free = k;
    });
    if (is_there && id != empty) return false;
    const int victim = free >= 0 ? free : static_cast<int>(hash % ways);
    store_relaxed(bucket + victim, id);
    return true;
  }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};

  std::uint64_t* ids_ = nullptr;
  std::uint32_t shift_ = 0;
};

}  // namespace mangrove::detail
