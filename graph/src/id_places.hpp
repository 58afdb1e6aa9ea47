#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/hash.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/relaxed_atomic.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// A table that any lanes may put ids into together, where they stay: each has one place. In the backend's memory.
///
/// Buckets are in order of their ids' hashes, which differ as ids do: `mix` can be undone. An id whose bucket is full
/// goes into the next one that is not. Which places are taken in the end does not depend on the order in which ids
/// come, as always where the next free place is searched; which id is where among full buckets does.
class id_places {
 public:
  static constexpr int ways = 4;  ///< places of a bucket: a sector of 32 bytes

  /// What all bytes of the memory have to be at first.
  static constexpr int empty_byte = 0xff;

  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  /// So many full buckets in a row are too many. Numbers in them then differ by less than 128.
  static constexpr std::uint32_t most_full = 31;

  static constexpr std::size_t most_homes = std::size_t{1} << 29;

  /// A bucket as it was once: its places are taken in order.
  struct view {
    std::uint32_t bucket;
    std::uint64_t hashes[ways];

    [[nodiscard]] MANGROVE_HOST_DEVICE bool is_full() const { return hashes[ways - 1] != empty; }

    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_below(std::uint64_t hash) const {
      std::uint32_t count = 0;
      unrolled<ways>([&](int k) { count += hashes[k] < hash ? 1 : 0; });  // empty places are the largest
      return count;
    }
  };

  /// Places of a table in which so many buckets are where ids belong.
  static constexpr std::size_t count_for(std::size_t homes) { return (homes + most_full) * ways + 1; }

  /// @param hashes `count_for(homes)` @param homes buckets where ids belong; some more take what finds no room
  id_places(std::uint64_t* hashes, std::size_t homes) : hashes_(hashes), homes_(static_cast<std::uint32_t>(homes)) {}

  /// Buckets that `view_of` shows. Behind them is a place for the id whose hash looks like an empty place.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t buckets() const { return homes_ + most_full; }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t home(std::uint64_t hash) const {
    return reduce_range(static_cast<std::uint32_t>(hash >> 32), homes_);
  }

  void prefetch(std::uint64_t id) const { mangrove::prefetch(hashes_ + home(mix(id)) * std::size_t{ways}); }

  template <access Access = access::plain>
  [[nodiscard]] MANGROVE_HOST_DEVICE view view_of(std::uint32_t bucket) const {
    view seen;
    seen.bucket = bucket;
    load_row<Access>(hashes_ + std::size_t{bucket} * ways, seen.hashes);
    return seen;
  }

  /// Looks at where an id belongs.
  [[nodiscard]] MANGROVE_HOST_DEVICE view look(std::uint64_t hash) const {
    return view_of<access::maybe_old>(home(hash));
  }

  /// Puts an id in, unless it is there. @param seen what `look` gave @return its place: `ways` times the bucket and
  /// which of the bucket's; or `nowhere`: the table is too full
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t put(std::uint64_t hash, view seen) const {
    if (hash == empty) return put_last();
    for (std::uint32_t passed = 0; passed < most_full;) {
      int free = -1;
      for (int k = ways - 1; k >= 0; --k) {
        if (seen.hashes[k] == hash) return number_of(seen.bucket, k);
        if (seen.hashes[k] == empty) free = k;
      }
      if (free < 0) {
        seen = view_of<access::maybe_old>(seen.bucket + 1);
        ++passed;
        continue;
      }
      const std::uint32_t place = number_of(seen.bucket, free);
      const std::uint64_t was = relaxed_compare_exchange(hashes_ + place, std::uint64_t{empty}, hash);
      if (was == empty || was == hash) return place;
      seen = view_of<access::relaxed>(seen.bucket);  // another id took it
    }
    return nowhere;
  }

  // What follows is for when all ids are there.

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t hash_in(std::size_t place) const { return hashes_[place]; }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool is_full(std::uint32_t bucket) const {
    return hashes_[std::size_t{bucket} * ways + ways - 1] != empty;
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE bool has_last() const { return hashes_[std::size_t{buckets()} * ways] != empty; }

  /// Whether a bucket is the last one of too many full ones in a row.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool ends_crowd(std::uint32_t bucket) const {
    for (std::uint32_t before = 0; before < most_full; ++before) {
      if (before > bucket || !is_full(bucket - before)) return false;
    }
    return true;
  }

  /// How many ids with smaller hashes are in or behind the bucket where an id belongs. None of those is behind a bucket
  /// that is not full.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t count_below(std::uint64_t hash) const {
    view seen = view_of(home(hash));
    std::uint32_t count = seen.count_below(hash);
    while (seen.is_full()) {
      seen = view_of(seen.bucket + 1);
      count += seen.count_below(hash);
    }
    return count;
  }

  static constexpr std::uint64_t empty = ~std::uint64_t{0};

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t number_of(std::uint32_t bucket, int way) {
    return bucket * ways + static_cast<std::uint32_t>(way);
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t put_last() const {
    const std::uint32_t place = number_of(buckets(), 0);
    store_relaxed(hashes_ + place, empty - 1);
    return place;
  }

  std::uint64_t* hashes_;
  std::uint32_t homes_;
};

}  // namespace mangrove::detail
