#pragma once

#include <cstddef>
#include <cstdint>

#include "bin_slots.hpp"
#include "mangrove/core/counter_share.hpp"

namespace mangrove::detail {

/// The keys of a bin, in order by vertex, and what becomes of the vertices; in a tile's scratch.
template <bin_slots Way>
struct bin_order {
  using slots_type = vertex_slots<Way>;
  static constexpr std::uint32_t most_keys = limits_of(Way).keys;
  static constexpr std::uint32_t most_slots = slots_type::most;

  /// A vertex that has updates in the bin, and once they are gathered what became of them.
  struct touched {
    std::uint32_t local : 20;  ///< its number in the bin
    std::uint32_t count : 6;   ///< of its run
    std::uint32_t to : 6;
  };
  static_assert(limits_of(Way).vertices <= 1U << 20);
  static constexpr std::uint32_t most_vertices = most_keys < most_slots ? most_keys : most_slots;
  static_assert(most_keys % 16 == 0);  // whole lines of the cache, so that a bin's can be discarded

  std::uint64_t keys[most_keys];
  std::uint32_t counters[most_slots];  ///< by slot: keys, then where they end
  touched vertices[most_vertices];
  std::uint32_t count;  ///< of vertices that have updates
  slots_type slots;

  /// Where the keys of a vertex begin, and end. @param k its number among those that have updates
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t begin_of(std::uint32_t k) const {
    const std::uint32_t slot = slot_of(k);
    return slot == 0 ? 0 : counters[slot - 1];
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t end_of(std::uint32_t k) const { return counters[slot_of(k)]; }

  /// To be called first, all lanes together, which sync afterwards.
  template <class Tile>
  MANGROVE_HOST_DEVICE void clear(const Tile& tile, const bin_format& format) {
    clear_counters(tile, counters, slots_type::used(format, format.capacity));
    slots.clear(tile, format);
  }

  /// Puts keys in order, and lists their vertices; all lanes together, which meet between the steps.
  /// @pre cleared @param found called with the number in the bin of each vertex, maybe several times
  template <class Tile, class Found>
  MANGROVE_HOST_DEVICE void order(const Tile& tile, const bin_format& format, const bin_source& from,
                                  std::uint32_t size, Found found) {
    const kept_keys source(from, size, keys + most_keys / 2, most_keys / 2);
    count_keys(tile, format, source, found);
    tile.sync();
    list_vertices(tile, slots_type::used(format, size), found);
    tile.sync();
    source.read_again(tile,
                      [&](std::uint64_t key) { keys[fetch_add(counters + slots.of(format.local(key)), 1U)] = key; });
    tile.sync();
  }

 private:
  static constexpr bool by_rank = Way != bin_slots::by_number;

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t slot_of(std::uint32_t k) const {
    return by_rank ? k : vertices[k].local;
  }

  template <class Tile, class Found>
  MANGROVE_HOST_DEVICE void count_keys(const Tile& tile, const bin_format& format, const kept_keys& source,
                                       Found found) {
    if constexpr (by_rank) {
      slots.prepare(tile, format, source, found);
      tile.sync();
      source.read_again(tile, [&](std::uint64_t key) {
        const std::uint32_t vertex = format.local(key);
        const std::uint32_t slot = slots.of(vertex);
        if (fetch_add(counters + slot, 1U) == 0) vertices[slot] = {vertex, 0, 0};
      });
    } else {
      source.read(tile, [&](std::uint64_t key) { fetch_add(counters + format.local(key), 1U); });
    }
  }

  /// From counts of keys to where each vertex's keys begin. Each lane has a few neighbouring slots.
  template <class Tile, class Found>
  MANGROVE_HOST_DEVICE void list_vertices(const Tile& tile, std::uint32_t used, Found found) {
    constexpr std::uint32_t one_vertex = 1U << 16;  // above the keys
    sum_in_order(
        tile, counters, used, [](std::uint32_t keys) { return keys == 0 ? 0 : keys + one_vertex; },
        [&](std::uint32_t at, std::uint32_t& counter, std::uint32_t before) {
          if constexpr (!by_rank) {
            if (counter != 0) {
              found(at);
              vertices[before / one_vertex] = {at, 0, 0};
            }
          }
          counter = before % one_vertex;
        },
        [&](std::uint32_t all) { count = all / one_vertex; });
  }
};

}  // namespace mangrove::detail
