#pragma once

#include <cstddef>
#include <cstdint>

#include "id_places.hpp"
#include "id_range.hpp"
#include "index_supply.hpp"

/// @file
/// Numbering the ids of a batch when none is known yet: each gets a place in a table, once, and its number is read
/// there, which takes a third of the memory accesses of looking it up. Numbers ascend with the ids' hashes, so that the
/// map, whose buckets do too, is filled in order; but where the ids' own order may tell something, with that.

namespace mangrove::detail {

/// What is found out about a batch whose ids are placed.
struct placed_ids {
  std::uint32_t count;    ///< different ones
  std::uint32_t crowded;  ///< not 0: they did not find room, and nothing else counts
};

/// Body: gives the ids of inserts their places.
template <class Vertex>
struct place_ids {
  id_updates<Vertex> updates;
  id_places places;
  std::uint32_t* sources;  ///< places
  std::uint32_t* targets;
  placed_ids* found;

  static constexpr int prefetch_stages = 1;

  template <int Stage>
  void prefetch(std::size_t i) const {
    updates.prefetch_in(places, i);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (load_maybe_old(&found->crowded) != 0) return;
    const std::uint64_t u = mix(std::uint64_t{load_once(updates.sources + i)});
    const std::uint64_t v = mix(std::uint64_t{load_once(updates.targets + i)});
    const id_places::view at_u = places.look(u);  // both loads are under way together
    const id_places::view at_v = places.look(v);
    const std::uint32_t source = places.put(u, at_u);
    const std::uint32_t target = places.put(v, at_v);
    sources[i] = source;
    targets[i] = target;
    if (source == id_places::nowhere || target == id_places::nowhere) store_relaxed(&found->crowded, 1U);
  }
};

/// Body: counts the ids of bucket i, or that of the last place.
struct count_places {
  id_places places;
  std::uint32_t* counts;
  placed_ids* found;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto bucket = static_cast<std::uint32_t>(i);
    if (bucket == places.buckets()) {
      counts[i] = places.has_last() ? 1 : 0;
      return;
    }
    const id_places::view seen = places.view_of(bucket);
    counts[i] = seen.count_below(id_places::empty);
    if (seen.is_full() && places.ends_crowd(bucket)) store_relaxed(&found->crowded, 1U);
  }
};

/// The numbers of a bucket's ids.
struct alignas(8) bucket_numbers {
  std::uint32_t first;
  std::int8_t beside[id_places::ways];  ///< what to add

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t of(std::uint32_t way) const {
    return first + static_cast<std::uint32_t>(std::int32_t{beside[way]});
  }
};

/// Body: numbers the id in place i, if there is one, in order of hashes, and gives it an index. A bucket's places are
/// lanes' own, for what they have to do differs.
template <class Vertex>
struct number_ids {
  id_places places;
  const std::uint32_t* before;  ///< ids in the buckets before one
  bucket_numbers* numbers;
  new_id_list<Vertex> made;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto bucket = static_cast<std::uint32_t>(i / id_places::ways);
    const std::size_t way = i % id_places::ways;
    const std::uint32_t first = before[bucket];
    if (way == 0) numbers[bucket].first = first;
    if (bucket == places.buckets()) {
      numbers[bucket].beside[way] = 0;
      if (places.has_last()) made.put(first, unmix(id_places::empty));
      return;
    }
    const std::uint64_t hash = places.hash_in(i);
    if (hash == id_places::empty) return;
    const id_places::view seen = places.view_of(bucket);
    const bool alone = !seen.is_full() && (bucket == 0 || !places.is_full(bucket - 1));
    const std::uint32_t number =
        alone ? first + seen.count_below(hash) : before[places.home(hash)] + places.count_below(hash);
    numbers[bucket].beside[way] = static_cast<std::int8_t>(number - first);
    made.put(number, unmix(hash));
  }
};

/// Body: lists the id in place i, if there is one, and the place.
struct list_placed {
  id_places places;
  const std::uint32_t* before;  ///< ids in the buckets before one
  std::uint64_t* ids;
  std::uint32_t* places_of;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const auto place = static_cast<std::uint32_t>(i);
    const bool is_last = place / id_places::ways == places.buckets();
    const std::uint64_t hash = places.hash_in(i);
    if (hash == id_places::empty) return;
    const std::uint32_t at = before[place / id_places::ways] + place % id_places::ways;  // places are taken in order
    ids[at] = unmix(is_last ? id_places::empty : hash);
    places_of[at] = place;
  }
};

/// Body: gives the i-th of sorted ids an index, and notes that by place.
template <class Vertex>
struct index_sorted {
  const std::uint64_t* sorted_ids;
  const std::uint32_t* places;
  std::uint32_t* by_place;
  new_id_list<Vertex> made;

  static constexpr int prefetch_stages = 1;

  template <int Stage>
  void prefetch(std::size_t i) const {
    mangrove::prefetch(by_place + places[i]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    by_place[places[i]] = made.put(static_cast<std::uint32_t>(i), sorted_ids[i]);
  }
};

/// What index a place has, by its number.
struct numbered_places {
  const bucket_numbers* numbers;
  index_supply indices;

  void prefetch(std::uint32_t place) const { mangrove::prefetch(numbers + place / id_places::ways); }
  /// What is to be read.
  [[nodiscard]] MANGROVE_HOST_DEVICE bucket_numbers read(std::uint32_t place) const {
    return load_whole(numbers + place / id_places::ways);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t index(std::uint32_t place, const bucket_numbers& read) const {
    return indices[read.of(place % id_places::ways)];
  }
};

/// The same where it was noted.
struct indexed_places {
  const std::uint32_t* by_place;

  void prefetch(std::uint32_t place) const { mangrove::prefetch(by_place + place); }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t read(std::uint32_t place) const { return by_place[place]; }
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t index(std::uint32_t, std::uint32_t read) { return read; }
};

/// Body: places become indices. @tparam Places `numbered_places` or `indexed_places`
template <class Places>
struct read_indices {
  Places places;
  std::uint32_t* sources;
  std::uint32_t* targets;

  static constexpr int prefetch_stages = 1;

  template <int Stage>
  void prefetch(std::size_t i) const {
    places.prefetch(sources[i]);
    places.prefetch(targets[i]);
  }

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::uint32_t u = sources[i];
    const std::uint32_t v = targets[i];
    const auto at_u = places.read(u);  // both loads are under way together
    const auto at_v = places.read(v);
    sources[i] = places.index(u, at_u);
    targets[i] = places.index(v, at_v);
  }
};

}  // namespace mangrove::detail
