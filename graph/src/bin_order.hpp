#pragma once

#include <cstddef>
#include <cstdint>

#include "bin_keys.hpp"
#include "mangrove/core/bits.hpp"
#include "mangrove/core/counter_share.hpp"
#include "mangrove/core/relaxed_atomic.hpp"

namespace mangrove::detail {

/// Where the keys of each vertex of a bin are counted: the low bits of a slot are the count, then where the vertex's
/// keys end; where slots are found by hash, the bits above are one more than the vertex's number in the bin. The hash
/// keeps the order of vertices, so that lanes that are neighbours find their entries in the same lines of the cache.
template <bin_slots Way>
class vertex_slots {
 public:
  static constexpr std::uint32_t count_bits = 13;
  static constexpr std::uint32_t count_mask = (std::uint32_t{1} << count_bits) - 1;
  static_assert(bin_format::max_hashed_vertices < ~std::uint32_t{0} >> count_bits);
  static_assert(bin_format::max_keys <= count_mask);

  /// @param slots of which the format has some
  MANGROVE_HOST_DEVICE vertex_slots(std::uint32_t* slots, const bin_format& format)
      : slots_(slots), size_(format.slots), scale_(format.slot_scale) {}

  /// Counts a key of a vertex. Other lanes may do so at the same time.
  MANGROVE_HOST_DEVICE void count(std::uint32_t vertex) const { fetch_add(slots_ + claim(vertex), 1U); }

  /// The place for a key of a vertex that has been counted, once counts have become starts.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t take(std::uint32_t vertex) const {
    return counted(fetch_add(slots_ + find(vertex), 1U));
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t counted(std::uint32_t slot) {
    return Way == bin_slots::by_number ? slot : slot & count_mask;
  }
  /// A slot with another count.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t with_count(std::uint32_t slot, std::uint32_t count) {
    return Way == bin_slots::by_number ? count : (slot & ~count_mask) | count;
  }
  /// The number in the bin of the vertex that is counted at a place.
  [[nodiscard]] MANGROVE_HOST_DEVICE static std::uint32_t vertex_of(std::uint32_t at, std::uint32_t slot) {
    return Way == bin_slots::by_number ? at : (slot >> count_bits) - 1;
  }

 private:
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t home(std::uint32_t vertex) const {
    return static_cast<std::uint32_t>(std::uint64_t{vertex} * scale_ >> 32);
  }

  /// The slot of a vertex, which becomes its slot if it has none.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t claim(std::uint32_t vertex) const {
    if constexpr (Way == bin_slots::by_number) return vertex;
    const std::uint32_t tag = (vertex + 1) << count_bits;
    std::uint32_t at = home(vertex);
    while (true) {
      std::uint32_t seen = relaxed_load(slots_ + at);
      if (seen == 0) seen = relaxed_compare_exchange(slots_ + at, 0U, tag);
      if (seen == 0 || (seen & ~count_mask) == tag) return at;
      at = (at + 1) & (size_ - 1);
    }
  }

  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t find(std::uint32_t vertex) const {
    if constexpr (Way == bin_slots::by_number) return vertex;
    const std::uint32_t tag = (vertex + 1) << count_bits;
    std::uint32_t at = home(vertex);
    while ((relaxed_load(slots_ + at) & ~count_mask) != tag) at = (at + 1) & (size_ - 1);
    return at;
  }

  std::uint32_t* slots_;
  std::uint32_t size_;
  std::uint32_t scale_;
};

/// The keys of a bin, in order by vertex, and what becomes of the vertices; in a tile's scratch.
template <bin_slots Way>
struct bin_order {
  using slots_type = vertex_slots<Way>;
  static constexpr std::uint32_t most_keys =
      Way == bin_slots::by_hash ? bin_format::max_hashed_keys : bin_format::max_keys;
  static constexpr std::uint32_t most_slots = bin_format::max_slots;

  /// A vertex that has updates in the bin, and once they are gathered what became of them.
  struct touched {
    std::uint16_t slot;
    std::uint8_t count;  ///< of its run
    std::uint8_t to;
  };

  std::uint64_t keys[most_keys];
  std::uint32_t slots[most_slots];
  touched vertices[most_keys < most_slots ? most_keys : most_slots];
  std::uint32_t count;  ///< of vertices that have updates

  /// Where the keys of the vertex at a slot begin, and end.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t begin_of(std::uint32_t slot) const {
    return slot == 0 ? 0 : slots_type::counted(slots[slot - 1]);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t end_of(std::uint32_t slot) const {
    return slots_type::counted(slots[slot]);
  }

  /// Number in the bin of the vertex at a slot.
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t vertex_at(std::uint32_t slot) const {
    return slots_type::vertex_of(slot, slots[slot]);
  }

  /// Puts keys in order, and lists their vertices; all lanes together, which meet between the steps.
  /// @param found called with the number in the bin of each vertex
  template <class Tile, class Found>
  MANGROVE_HOST_DEVICE void order(const Tile& tile, const bin_format& format, const std::uint64_t* from,
                                  std::uint32_t size, Found found) {
    const slots_type counters(slots, format);
    clear_counters(tile, slots, format.slots);
    tile.sync();
    for_each_key(tile, from, size, [&](std::uint64_t key) { counters.count(format.local(key)); });
    tile.sync();
    list_vertices(tile, format.slots, found);
    tile.sync();
    for_each_key(tile, from, size, [&](std::uint64_t key) { keys[counters.take(format.local(key))] = key; });
    tile.sync();
  }

 private:
  /// From counts of keys to where each vertex's keys begin. Each lane has a few neighbouring slots.
  template <class Tile, class Found>
  MANGROVE_HOST_DEVICE void list_vertices(const Tile& tile, std::uint32_t used, Found found) {
    constexpr std::uint32_t one_vertex = 1U << 16;  // above the keys
    sum_in_order(
        tile, slots, used,
        [](std::uint32_t slot) {
          const std::uint32_t of_vertex = slots_type::counted(slot);
          return of_vertex == 0 ? 0 : of_vertex + one_vertex;
        },
        [&](std::uint32_t at, std::uint32_t& slot, std::uint32_t before) {
          if (slots_type::counted(slot) != 0) {
            found(slots_type::vertex_of(at, slot));
            vertices[before / one_vertex].slot = static_cast<std::uint16_t>(at);
          }
          slot = slots_type::with_count(slot, before % one_vertex);
        },
        [&](std::uint32_t all) { count = all / one_vertex; });
  }
};

}  // namespace mangrove::detail
