#pragma once

#include <cstdint>

#include "bin_format.hpp"
#include "gather_runs.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Calls `f(key, at)` for all keys of a bin, the lanes sharing them. Lanes read a few before they work on any.
/// @param load reads the key at a place
template <class Tile, class Load, class F>
MANGROVE_HOST_DEVICE void for_each_key_by(const Tile& tile, std::uint32_t size, Load load, F f) {
  constexpr int together = 4;
  for (std::uint32_t base = tile.lane(); base < size; base += together * Tile::lanes) {
    std::uint64_t own[together];
    unrolled<together>([&](int k) {
      const std::uint32_t at = base + k * Tile::lanes;
      own[k] = at < size ? load(at) : 0;
    });
    unrolled<together>([&](int k) {
      const std::uint32_t at = base + k * Tile::lanes;
      if (at < size) f(own[k], at);
    });
  }
}

/// Calls `f(key)` for all keys of a bin, in memory.
template <class Tile, class F>
MANGROVE_HOST_DEVICE void for_each_key(const Tile& tile, const std::uint64_t* keys, std::uint32_t size, F f) {
  for_each_key_by(
      tile, size, [&](std::uint32_t at) { return load_once(keys + at); },
      [&](std::uint64_t key, std::uint32_t) { f(key); });
}

/// The keys of a bin for a tile that goes through them several times: where its scratch has room, they stay there from
/// the first time on.
class bin_source {
 public:
  /// @param from in memory @param room in scratch, for `room_for` keys
  MANGROVE_HOST_DEVICE bin_source(const std::uint64_t* from, std::uint32_t size, std::uint64_t* room,
                                  std::uint32_t room_for)
      : from_(from), size_(size), room_(room), keeps_(size <= room_for) {}

  /// Calls `f(key)` for all keys, the first time.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void read(const Tile& tile, F f) const {
    for_each_key_by(
        tile, size_, [&](std::uint32_t at) { return load_once(from_ + at); },
        [&](std::uint64_t key, std::uint32_t at) {
          if (keeps_) room_[at] = key;
          f(key);
        });
  }

  /// The same, later; each lane gets the keys that it got then.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void read_again(const Tile& tile, F f) const {
    const std::uint64_t* const there = keeps_ ? room_ : from_;
    for_each_key_by(
        tile, size_, [&](std::uint32_t at) { return there[at]; }, [&](std::uint64_t key, std::uint32_t) { f(key); });
  }

 private:
  const std::uint64_t* from_;
  std::uint32_t size_;
  std::uint64_t* room_;
  bool keeps_;  ///< whether there is room for all
};

/// Keeps the largest key of each edge of a vertex of a bin, which is of its last update. @return how many edges, or one
/// more than a run has
[[nodiscard]] MANGROVE_HOST_DEVICE inline std::uint32_t keep_last(const bin_format& format, std::uint64_t* keys,
                                                                  std::uint32_t size) {
  std::uint32_t count = 0;
  target_filter seen;
  for (std::uint32_t k = 0; k < size && count <= vertex_run::max_updates; ++k) {
    const std::uint64_t key = keys[k];
    std::uint32_t at = seen.add(format.target(key)) ? 0 : count;
    while (at < count && !format.same_edge(keys[at], key)) ++at;
    if (at == count || keys[at] < key) keys[at] = key;
    if (at == count) ++count;
  }
  return count;
}

}  // namespace mangrove::detail
