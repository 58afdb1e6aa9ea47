#pragma once

#include <cstddef>
#include <cstdint>

#include "id_range.hpp"
#include "mangrove/core/hash.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/prefetch.hpp"
#include "mangrove/core/relaxed_atomic.hpp"

/// @file
/// Numbering the ids of a batch when none is known yet: each gets a place in a table, once, and what is to be known of
/// it is read from there, which takes a third of the memory accesses of looking it up.

namespace mangrove::detail {

/// A table that any lanes may put ids into together, where they stay. In the backend's memory.
class id_places {
 public:
  static constexpr int ways = 4;  ///< places of a bucket: a sector of 32 bytes

  /// What all bytes of the memory have to be at first.
  static constexpr int empty_byte = 0xff;

  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  /// A bucket as it was once.
  struct view {
    std::uint32_t bucket;
    std::uint64_t ids[ways];
  };

  struct place {
    std::uint32_t number;  ///< below `count_for(buckets)`; or `nowhere`: the table is too full
    bool is_new;           ///< whether nobody has put the id there before
  };

  /// Places of so many buckets: one more, for the id that looks like an empty place.
  static constexpr std::size_t count_for(std::size_t buckets) { return buckets * ways + 1; }

  /// @param ids `count_for(buckets)` @param buckets a power of two of at most 2^29
  id_places(std::uint64_t* ids, std::size_t buckets) : ids_(ids), last_(static_cast<std::uint32_t>(buckets - 1)) {}

  MANGROVE_HOST_DEVICE void prefetch(std::uint64_t id) const {
    mangrove::prefetch(ids_ + home(id) * std::size_t{ways});
  }

  /// Looks at where an id belongs.
  [[nodiscard]] MANGROVE_HOST_DEVICE view look(std::uint64_t id) const { return look_at<access::maybe_old>(home(id)); }

  /// Puts an id in, unless it is there. @param seen what `look` gave
  [[nodiscard]] MANGROVE_HOST_DEVICE place put(std::uint64_t id, view seen) const {
    if (id == empty) return put_at((std::size_t{last_} + 1) * ways, empty - 1);
    for (std::uint32_t step = 0; step < most_steps;) {
      int free = -1;
      for (int k = ways - 1; k >= 0; --k) {
        if (seen.ids[k] == id) return {number_of(seen.bucket, k), false};
        if (seen.ids[k] == empty) free = k;
      }
      if (free < 0) {
        seen = look_at<access::maybe_old>((seen.bucket + 1) & last_);
        ++step;
        continue;
      }
      const place made = put_at(number_of(seen.bucket, free), id);
      if (made.number != nowhere) return made;
      seen = look_at<access::relaxed>(seen.bucket);  // another id took it
    }
    return {nowhere, false};
  }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  static constexpr std::uint32_t most_steps = 32;

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t number_of(std::uint32_t bucket, int way) {
    return bucket * ways + static_cast<std::uint32_t>(way);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t home(std::uint64_t id) const {
    return static_cast<std::uint32_t>(mix(id) >> 32) & last_;
  }

  template <access Access>
  [[nodiscard]] MANGROVE_HOST_DEVICE view look_at(std::uint32_t bucket) const {
    view seen;
    seen.bucket = bucket;
    load_row<Access>(ids_ + std::size_t{bucket} * ways, seen.ids);
    return seen;
  }

  /// Writes `mark` to a place that was empty. @return `nowhere` if another one is there now
  [[nodiscard]] MANGROVE_HOST_DEVICE place put_at(std::size_t at, std::uint64_t mark) const {
    const std::uint64_t was = relaxed_compare_exchange(ids_ + at, std::uint64_t{empty}, mark);
    const bool is_here = was == empty || was == mark;
    return {is_here ? static_cast<std::uint32_t>(at) : nowhere, was == empty};
  }

  std::uint64_t* ids_;
  std::uint32_t last_;  ///< bucket
};

/// Body: gives the ids of inserts their places, and marks those that are there for the first time.
template <class Vertex>
struct place_ids {
  id_updates<Vertex> updates;
  id_places places;
  std::uint32_t* sources;  ///< places
  std::uint32_t* targets;
  std::uint8_t* is_new;    ///< a flag for each end
  std::uint32_t* crowded;  ///< set if there is no room: nothing else counts then

  static constexpr int prefetch_stages = 1;

  template <int Stage>
  void prefetch(std::size_t i) const {
    updates.prefetch_in(places, i);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (load_maybe_old(crowded) != 0) return;
    const std::uint64_t u = updates.sources[i];
    const std::uint64_t v = updates.targets[i];
    const id_places::view at_u = places.look(u);  // both loads are under way together
    const id_places::view at_v = places.look(v);
    const id_places::place source = places.put(u, at_u);
    const id_places::place target = places.put(v, at_v);
    sources[i] = source.number;
    targets[i] = target.number;
    is_new[2 * i] = source.is_new;
    is_new[2 * i + 1] = target.is_new;
    if (source.number == id_places::nowhere || target.number == id_places::nowhere) store_relaxed(crowded, 1U);
  }
};

/// Body: collects the ids that are new, and their places.
template <class Vertex>
struct gather_placed {
  id_updates<Vertex> updates;
  id_updates<std::uint32_t> placed;  ///< the same by place
  const std::uint32_t* kept;         ///< ends
  std::uint64_t* ids;
  std::uint32_t* places;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    ids[i] = updates.id_of_end(kept[i]);
    places[i] = placed.id_of_end(kept[i]);
  }
};

/// Body: notes an index by place.
struct note_indices {
  const std::uint32_t* places;
  const std::uint32_t* indices;
  std::uint32_t* by_place;

  static constexpr int prefetch_stages = 1;

  template <int Stage>
  void prefetch(std::size_t i) const {
    mangrove::prefetch(by_place + places[i]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    by_place[places[i]] = indices[i];
  }
};

/// Body: places become indices.
struct read_indices {
  const std::uint32_t* by_place;
  std::uint32_t* sources;
  std::uint32_t* targets;

  static constexpr int prefetch_stages = 1;

  template <int Stage>
  void prefetch(std::size_t i) const {
    mangrove::prefetch(by_place + sources[i]);
    mangrove::prefetch(by_place + targets[i]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t u = by_place[sources[i]];
    const std::uint32_t v = by_place[targets[i]];
    sources[i] = u;
    targets[i] = v;
  }
};

}  // namespace mangrove::detail
