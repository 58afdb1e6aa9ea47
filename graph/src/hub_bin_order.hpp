#pragma once

#include <cstddef>
#include <cstdint>

#include "bin_keys.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/counter_share.hpp"
#include "mangrove/core/relaxed_atomic.hpp"

namespace mangrove::detail {

/// The keys of a bin, in order by vertex, in a tile's scratch. A bin that scratch has no room for must have vertices
/// with very many keys, which are set apart: they are counted here, but their keys go elsewhere.
/// @tparam Keys of a bin at most, but for those set apart @tparam Vertices of a bin at most
template <std::uint32_t Keys, std::uint32_t Vertices>
class hub_bin_order {
 public:
  /// Keys of a vertex that is set apart, at least: as many as will do. Such vertices of a bin, and keys of a bin, at
  /// most.
  static constexpr std::uint32_t wanted_apart = Keys / 2;
  static constexpr std::uint32_t least_apart = Keys / 8;
  static constexpr std::uint32_t most_apart = 64;
  static constexpr std::uint32_t most_of_bin = (1U << 16) - 1;

  /// A vertex that has updates in the bin, and once they are gathered what became of them.
  struct touched {
    std::uint16_t local;  ///< its number in the bin
    std::uint8_t count;   ///< of its run
    std::uint8_t to;
  };

  /// A vertex that is set apart.
  struct apart {
    std::uint32_t local;
    std::uint32_t count;
    std::uint32_t first;  ///< its first key, among those of the bin
    std::uint32_t taken;
  };

  std::uint64_t keys[Keys];
  touched vertices[Keys < Vertices ? Keys : Vertices];
  apart set_apart[most_apart];
  std::uint32_t size;         ///< of `keys`
  std::uint32_t count;        ///< of `vertices`
  std::uint32_t count_apart;  ///< of `set_apart`

  /// Where the keys of a vertex begin, and end.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t begin_of(std::uint32_t local) const {
    return local == 0 ? 0 : slots_[local - 1] & place_mask;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t end_of(std::uint32_t local) const {
    return slots_[local] & place_mask;
  }

  /// Puts keys in order, and lists their vertices; all lanes together, which meet between the steps.
  /// @param found called with the number in the bin of each vertex
  /// @param put_apart called as `put_apart(at, key)` with keys that are set apart and their places in the bin
  /// @return whether there is room for all
  template <class Tile, class Found, class PutApart>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool order(const Tile& tile, const bin_format& format, const std::uint64_t* from,
                                                std::uint32_t of_bin, Found found, PutApart put_apart) {
    if (of_bin > most_of_bin) return false;
    clear_counters(tile, slots_, format.vertices);
    if (tile.lane() == 0) count_apart = 0;
    tile.sync();
    for_each_key(tile, from, of_bin, [&](std::uint64_t key) { fetch_add(slots_ + format.local(key), 1U); });
    tile.sync();
    if (of_bin > Keys && !set_largest_apart(tile, format, of_bin, found)) return false;
    list_vertices(tile, format.vertices, found);
    tile.sync();
    for_each_key(tile, from, of_bin, [&](std::uint64_t key) {
      std::uint32_t* const slot = slots_ + format.local(key);
      if (of_bin > Keys && is_apart(relaxed_load(slot))) {
        apart& of = set_apart[(relaxed_load(slot) >> place_bits) - 1];
        put_apart(of.first + count_up(&of.taken), key);
      } else {
        keys[fetch_add(slot, 1U) & place_mask] = key;
      }
    });
    tile.sync();
    return true;
  }

 private:
  /// The low bits of a slot are the count of a vertex's keys, then where they end; those above one more than its number
  /// among the vertices that are set apart, or 0.
  static constexpr std::uint32_t place_bits = 16;
  static constexpr std::uint32_t place_mask = (1U << place_bits) - 1;
  static_assert(most_of_bin <= place_mask && Keys < place_mask);

  [[nodiscard]] MANGROVE_HOST_DEVICE static bool is_apart(std::uint32_t slot) { return slot > place_mask; }

  /// @return whether there is room for all vertices that have to be set apart, and for the keys of the others
  template <class Tile, class Found>
  [[nodiscard]] MANGROVE_HOST_DEVICE bool set_largest_apart(const Tile& tile, const bin_format& format,
                                                            std::uint32_t of_bin, Found found) {
    std::uint32_t end = of_bin;
    for (std::uint32_t least = wanted_apart; end > Keys && least >= least_apart; least /= 2) {
      set_some_apart(tile, format, least, found);
      tile.sync();
      if (count_apart > most_apart) return false;
      end = of_bin;
      for (std::uint32_t k = 0; k < count_apart; ++k) end -= set_apart[k].count;
      tile.sync();
    }
    if (tile.lane() == 0) {
      for (std::uint32_t k = 0, first = end; k < count_apart; first += set_apart[k++].count) set_apart[k].first = first;
    }
    return end <= Keys;
  }

  /// Sets those apart that have so many keys.
  template <class Tile, class Found>
  MANGROVE_HOST_DEVICE void set_some_apart(const Tile& tile, const bin_format& format, std::uint32_t least,
                                           Found found) {
    tile.strided_briefly(format.vertices, [&](std::size_t local) {
      const std::uint32_t of_vertex = slots_[local];
      if (of_vertex < least || is_apart(of_vertex)) return;
      const std::uint32_t number = count_up_one(&count_apart);
      if (number >= most_apart) return;
      set_apart[number] = {static_cast<std::uint32_t>(local), of_vertex, 0, 0};
      slots_[local] = (number + 1) << place_bits;
      found(static_cast<std::uint32_t>(local));
    });
  }

  /// From counts of keys to where each vertex's keys begin. Each lane has a few neighbouring slots.
  template <class Tile, class Found>
  MANGROVE_HOST_DEVICE void list_vertices(const Tile& tile, std::uint32_t used, Found found) {
    constexpr std::uint32_t one_vertex = 1U << place_bits;
    sum_in_order(
        tile, slots_, used, [](std::uint32_t slot) { return slot == 0 || is_apart(slot) ? 0 : slot + one_vertex; },
        [&](std::uint32_t local, std::uint32_t& slot, std::uint32_t before) {
          if (slot != 0 && !is_apart(slot)) {
            found(local);
            vertices[before / one_vertex].local = static_cast<std::uint16_t>(local);
          }
          slot = (is_apart(slot) ? slot & ~place_mask : 0) | before % one_vertex;
        },
        [&](std::uint32_t all) {
          count = all / one_vertex;
          size = all % one_vertex;
        });
  }

  alignas(16) std::uint32_t slots_[Vertices];
};

}  // namespace mangrove::detail
