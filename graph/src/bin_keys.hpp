#pragma once

#include <cstdint>

#include "bin_format.hpp"
#include "gather_runs.hpp"
#include "mangrove/core/load_row.hpp"
#include "mangrove/core/unrolled.hpp"

namespace mangrove::detail {

/// Keys that a lane reads before it works on any.
inline constexpr int keys_together = 4;

/// Calls `f(key, at)` for those keys of a bin from `base` on that a lane reads together.
/// @param load called as `load(k, at)`, reads the k-th of them, at a place
template <class Tile, class Load, class F>
MANGROVE_HOST_DEVICE void take_keys(const Tile&, std::uint32_t base, std::uint32_t size, Load load, F f) {
  std::uint64_t own[keys_together];
  unrolled<keys_together>([&](int k) {
    const std::uint32_t at = base + k * Tile::lanes;
    own[k] = at < size ? load(k, at) : 0;
  });
  unrolled<keys_together>([&](int k) {
    const std::uint32_t at = base + k * Tile::lanes;
    if (at < size) f(own[k], at);
  });
}

/// Calls `f(key, at)` for all keys of a bin from `first` on, the lanes sharing them.
/// @param load reads the key at a place
template <class Tile, class Load, class F>
MANGROVE_HOST_DEVICE void for_each_key_by(const Tile& tile, std::uint32_t first, std::uint32_t size, Load load, F f) {
  for (std::uint32_t base = first + tile.lane(); base < size; base += keys_together * Tile::lanes) {
    take_keys(
        tile, base, size, [&](int, std::uint32_t at) { return load(at); }, f);
  }
}

/// Calls `f(key)` for all keys of a bin, in memory.
template <class Tile, class F>
MANGROVE_HOST_DEVICE void for_each_key(const Tile& tile, const std::uint64_t* keys, std::uint32_t size, F f) {
  for_each_key_by(
      tile, 0, size, [&](std::uint32_t at) { return load_once(keys + at); },
      [&](std::uint64_t key, std::uint32_t) { f(key); });
}

/// The keys of a bin, in memory. A lane asks for its first ones before it is known how many there are.
class bin_source {
 public:
  template <class Tile>
  MANGROVE_HOST_DEVICE bin_source(const Tile& tile, const std::uint64_t* begin, std::uint32_t capacity)
      : begin_(begin) {
    unrolled<asked_for>([&](int k) {
      const std::uint32_t at = tile.lane() + k * Tile::lanes;
      first_[k] = at < capacity ? load_once(begin + at) : 0;
    });
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE const std::uint64_t* begin() const { return begin_; }

  /// Calls `f(key, at)` for all keys. @param size how many there are
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each(const Tile& tile, std::uint32_t size, F f) const {
    const auto load = [&](std::uint32_t at) { return load_once(begin_ + at); };
    take_keys(
        tile, tile.lane(), size,
        [&](int k, std::uint32_t at) { return k < asked_for ? first_[k < asked_for ? k : 0] : load(at); }, f);
    for_each_key_by(tile, keys_together * Tile::lanes, size, load, f);
  }

 private:
  static constexpr int asked_for = 2;

  const std::uint64_t* begin_;
  std::uint64_t first_[asked_for];
};

/// The keys of a bin for a tile that goes through them several times: where its scratch has room, they stay there from
/// the first time on.
class kept_keys {
 public:
  /// @param room in scratch, for `room_for` keys
  MANGROVE_HOST_DEVICE kept_keys(const bin_source& from, std::uint32_t size, std::uint64_t* room,
                                 std::uint32_t room_for)
      : from_(from), size_(size), room_(room), keeps_(size <= room_for) {}

  /// Calls `f(key)` for all keys, the first time.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void read(const Tile& tile, F f) const {
    from_.for_each(tile, size_, [&](std::uint64_t key, std::uint32_t at) {
      if (keeps_) room_[at] = key;
      f(key);
    });
  }

  /// The same, later; each lane gets the keys that it got then.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void read_again(const Tile& tile, F f) const {
    const std::uint64_t* const there = keeps_ ? room_ : from_.begin();
    for_each_key_by(
        tile, 0, size_, [&](std::uint32_t at) { return there[at]; }, [&](std::uint64_t key, std::uint32_t) { f(key); });
  }

 private:
  const bin_source& from_;
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
