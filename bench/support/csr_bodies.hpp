#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"

/// @file
/// Bodies of `csr_rebuild`. Keys are directed edges, source << 32 | target.

namespace mangrove::bench {

/// Body: an edge becomes a sortable key.
struct make_key {
  const std::uint32_t* sources;
  const std::uint32_t* targets;
  std::uint64_t* keys;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    keys[i] = static_cast<std::uint64_t>(sources[i]) << 32 | targets[i];
  }
};

/// Where the first of `count` ascending keys is that is not below `key`.
MANGROVE_HOST_DEVICE inline std::size_t lower_bound(const std::uint64_t* keys, std::size_t count, std::uint64_t key) {
  std::size_t low = 0;
  while (count > 0) {
    const std::size_t half = count / 2;
    const bool right = keys[low + half] < key;
    low = right ? low + half + 1 : low;
    count = right ? count - half - 1 : half;
  }
  return low;
}

/// Body: marks keys of one sorted list that stay: the first of equals that the other list has, or has not.
struct mark_kept {
  const std::uint64_t* keys;
  const std::uint64_t* others;
  std::size_t other_count;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    const std::size_t at = lower_bound(others, other_count, keys[i]);
    const bool there = at < other_count && others[at] == keys[i];
    flags[i] = !there && (i == 0 || keys[i - 1] != keys[i]);
  }
};

/// Body: copies chosen keys.
struct gather_keys {
  const std::uint64_t* from;
  const std::uint32_t* order;
  std::uint64_t* to;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    to[i] = from[order[i]];
  }
};

/// Body: places a key of one list among the merged ones.
struct place_merged {
  const std::uint64_t* keys;
  const std::uint64_t* others;
  std::size_t other_count;
  std::uint64_t* merged;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    merged[i + lower_bound(others, other_count, keys[i])] = keys[i];
  }
};

/// Body: marks a vertex.
struct mark_vertex {
  const std::uint32_t* vertices;
  std::uint8_t* marks;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    marks[vertices[i]] = 1;
  }
};

/// Body: marks keys of which neither end is marked.
struct mark_unmarked_ends {
  const std::uint64_t* keys;
  const std::uint8_t* marks;
  std::uint8_t* flags;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    flags[i] = marks[keys[i] >> 32] == 0 && marks[static_cast<std::uint32_t>(keys[i])] == 0;
  }
};

/// Body: finds where a vertex's row starts.
struct find_row {
  const std::uint64_t* keys;
  std::size_t count;
  std::uint64_t* offsets;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t u) const {
    offsets[u] = lower_bound(keys, count, static_cast<std::uint64_t>(u) << 32);
  }
};

}  // namespace mangrove::bench
