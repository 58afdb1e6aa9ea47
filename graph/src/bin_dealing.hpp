#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bin_format.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/counter_share.hpp"
#include "mangrove/core/load_row.hpp"
#include "update_admission.hpp"

namespace mangrove::detail {

/// What the bodies have in common that deal a stretch of updates out to bins. Its keys are put in order by bin in
/// scratch first, so that what goes to one bin is written together: the cache takes single keys no faster than 28 G/s.
/// The more keys a stretch has, the more go to a bin together, so a whole multiprocessor works on one.
struct bin_dealing : update_admission {
  static constexpr int width = 1024;
  static constexpr int blocks_at_once = 1;
  static constexpr std::uint32_t max_keys = 16384;  ///< of a stretch

  /// Vertices of a stretch that come to be, which stand in a tile's memory at first.
  struct noted_vertices {
    std::uint32_t count;
    std::uint32_t first;  ///< their place among those of the batch
  };

  /// A tile's memory.
  struct room {
    std::uint64_t keys[max_keys];  ///< by bin
    std::uint16_t bin_of[max_keys];
    std::uint32_t cursors[bin_format::max_bins];  ///< where the next key of a bin goes in `keys`
    std::uint32_t offsets[bin_format::max_bins];  ///< from there to its place in the bin
    std::uint32_t count;                          ///< of keys
    noted_vertices noted;

    /// Where they stand before there are keys.
    static constexpr std::uint32_t most_notes = 2 * max_keys;
    [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t* notes() { return reinterpret_cast<std::uint32_t*>(keys); }
  };
  static_assert(sizeof(room::keys) >= room::most_notes * sizeof(std::uint32_t));
  static constexpr int scratch_bytes = static_cast<int>((sizeof(room) + 127) / 128 * 128);

  update_bins bins;
  std::size_t stretch;
  bool ordered;  ///< whether positions matter

  /// As many stretches as run at a time on 132 multiprocessors, or a multiple, but not too short ones.
  static std::size_t stretch_for(const edge_updates& updates) {
    constexpr std::size_t at_once = 132 * blocks_at_once;
    const std::size_t rounds = (updates.size() + at_once * max_keys - 1) / (at_once * max_keys);
    return std::max<std::size_t>(2 * width, (updates.batch.size + rounds * at_once - 1) / (rounds * at_once));
  }

 protected:
  static constexpr int together = 4;  ///< what a lane has under way

  /// Counts the stretch's keys by bin, and notes what the batch needs.
  template <class Tile, class Room>
  MANGROVE_HOST_DEVICE void count_keys(const Tile& tile, Room& in, std::size_t first) const {
    const bool notes = notes_targets();
    for_each_update(tile, first, [&](std::size_t at, std::uint32_t u, std::uint32_t v) {
      if (!admit_edge(at, u, v)) return;
      if (updates.batch.kind_of(at) == update_kind::insert) {
        if (notes_sources()) note_in(in, u);
        if (notes || (v == 0 && notes_first_target())) note_in(in, v);
      }
      for_each_direction(
          u, v, [&](std::uint32_t from, std::uint32_t) { fetch_add(in.cursors + bins.format.place_of(from).bin, 1U); });
    });
  }

  /// Notes that a vertex comes to be, unless it exists. The tile lists what is noted by one atomic.
  template <class Room>
  MANGROVE_HOST_DEVICE void note_in(Room& in, std::uint32_t vertex) const {
    if (exists(vertex)) return;
    if (creating == nullptr) return note_missing(vertex);
    const std::uint32_t at = count_up_one(&in.noted.count);
    if (at < Room::most_notes) {
      in.notes()[at] = vertex;
    } else {
      note_missing(vertex);
    }
  }

  /// Sources that come to be are noted by who gathers a bin if that can tell that a vertex has inserts, all ends if
  /// they are sources, too.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool notes_sources() const { return updates.batch.kinds != nullptr; }
  [[nodiscard]] MANGROVE_HOST_DEVICE bool notes_targets() const {
    if (notes_sources()) return true;
    return updates.direction == edge_direction::directed && !all_but_first_exist();
  }

  /// Whether index 0 is noted as a target: where ids begin at 1, it may be the only one without a vertex.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool notes_first_target() const {
    return updates.direction == edge_direction::directed && !exists(0);
  }

  /// From counts to where each bin begins among the stretch's keys. Each lane has a few neighbouring bins.
  template <class Tile>
  MANGROVE_HOST_DEVICE void begin_bins(const Tile& tile, room& in) const {
    begin_in_order(tile, in.cursors, in.offsets, bins.format.bins, [&](std::uint32_t all) { in.count = all; });
  }

  /// Takes room for the vertices that come to be, by one lane. `list_notes` lists them, once the lanes have met.
  template <class Room>
  MANGROVE_HOST_DEVICE void take_room_for_notes(Room& in) const {
    if (in.noted.count > Room::most_notes) in.noted.count = Room::most_notes;
    if (in.noted.count != 0) in.noted.first = fetch_add(&status->creating, in.noted.count);
  }
  template <class Tile, class Room>
  MANGROVE_HOST_DEVICE void list_notes(const Tile& tile, Room& in) const {
    tile.strided_briefly(in.noted.count, [&](std::size_t k) { creating[in.noted.first + k] = in.notes()[k]; });
  }

  /// Puts the stretch's keys in order by bin. @pre cursors are where those of each bin begin
  template <class Tile>
  MANGROVE_HOST_DEVICE void order_keys(const Tile& tile, room& in, std::size_t first) const {
    for_each_update(tile, first, [&](std::size_t at, std::uint32_t u, std::uint32_t v) {
      if (!accepts(at, u, v)) return;
      const std::uint32_t sequence = ordered ? static_cast<std::uint32_t>(at) : 0;
      for_each_direction(u, v, [&](std::uint32_t from, std::uint32_t to) {
        const bin_format::place at_home = bins.format.place_of(from);
        const std::uint32_t place = fetch_add(in.cursors + at_home.bin, 1U);
        in.keys[place] = bins.format.key(at_home.local, to, sequence);
        in.bin_of[place] = static_cast<std::uint16_t>(at_home.bin);
      });
    });
  }

  /// Calls `f(i, u, v)` for the updates of the stretch from `first`. Lanes read a few before they work on any.
  template <class Tile, class F>
  MANGROVE_HOST_DEVICE void for_each_update(const Tile& tile, std::size_t first, F f) const {
    const std::size_t end = first + stretch < updates.batch.size ? first + stretch : updates.batch.size;
    for (std::size_t base = first + tile.lane(); base < end; base += together * Tile::lanes) {
      std::uint32_t u[together];
      std::uint32_t v[together];
      unrolled<together>([&](int k) {
        const std::size_t at = base + k * Tile::lanes;
        u[k] = at < end ? load_once(updates.batch.sources + at) : 0;
        v[k] = at < end ? load_once(updates.batch.targets + at) : 0;
      });
      unrolled<together>([&](int k) {
        if (base + k * Tile::lanes < end) f(base + k * Tile::lanes, u[k], v[k]);
      });
    }
  }

  template <class F>
  MANGROVE_HOST_DEVICE void for_each_direction(std::uint32_t u, std::uint32_t v, F f) const {
    f(u, v);
    if (updates.direction == edge_direction::undirected && u != v) f(v, u);
  }
};

}  // namespace mangrove::detail
