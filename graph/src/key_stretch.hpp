#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sorted_runs.hpp"

namespace mangrove::detail {

/// Body: `key_updates` for a stretch of updates, by one thread of the CPU. Where all that could need a closer look is
/// ruled out for the whole stretch, as it mostly is, nothing is asked for each update, and keys are made by vectors.
struct key_stretch : key_updates {
  static constexpr std::size_t stretch = 512;

  static std::size_t calls_for(std::size_t updates) { return (updates + stretch - 1) / stretch; }

  template <class Tile>
  void operator()(const Tile& tile, std::size_t i) const {
    const key_stretch own = *this;  // which nothing that is written can change, so that it stays in registers
    const std::size_t first = i * stretch;
    const std::size_t last = std::min(first + stretch, own.updates.batch.size);
    if (own.all_count(first, last)) {
      own.note_missing_of(first, last);
      own.put_all(first, last);
    } else {
      for (std::size_t at = first; at < last; ++at) key_updates::operator()(tile, at);
    }
  }

 protected:
  /// What is to be known of the ids that updates name.
  struct ids_named {
    std::uint32_t largest;
    std::uint32_t loops;  ///< not 0: some update is a self loop
  };

  [[nodiscard]] ids_named look_at(std::size_t first, std::size_t last) const {
    ids_named named{};
    for (std::size_t at = first; at < last; ++at) {
      const std::uint32_t u = updates.batch.sources[at];
      const std::uint32_t v = updates.batch.targets[at];
      named.largest = std::max(named.largest, std::max(u, v));
      named.loops |= u == v ? 1 : 0;
    }
    return named;
  }

  /// Whether the batch is one of inserts or of erases of edges alone.
  [[nodiscard]] bool is_of_one_kind() const { return updates.batch.kinds == nullptr && names_edge(updates.batch.kind); }

  /// Notes that updates make vertices come to be, if some do.
  void note_missing_of(std::size_t first, std::size_t last) const {
    if (all_inserts() && !all_exist(first, last)) note_missing(0);
  }

 private:
  /// Whether it is plain that every update may change an edge of vertices within the dictionary.
  [[nodiscard]] bool all_count(std::size_t first, std::size_t last) const {
    if (!is_of_one_kind()) return false;
    const ids_named named = look_at(first, last);
    return named.largest < known_count && (named.loops == 0 || updates.loops != self_loops::drop);
  }

  /// Whether all that updates name has come to be.
  [[nodiscard]] bool all_exist(std::size_t first, std::size_t last) const {
    if (vertex_count == index_count) return true;
    std::uint32_t all = ~std::uint32_t{0};
    for (std::size_t at = first; at < last; ++at) {
      const std::uint32_t u = updates.batch.sources[at];
      const std::uint32_t v = updates.batch.targets[at];
      all &= (present[u / 32] >> (u % 32)) & (present[v / 32] >> (v % 32));
    }
    return (all & 1) != 0;
  }

  void put_all(std::size_t first, std::size_t last) const {
    const bool directed = updates.direction == edge_direction::directed;
    if (directed && format.format.packed && format.format.sequence_bits == 0) return put_pairs(first, last);
    for (std::size_t at = first; at < last; ++at) put(at, updates.batch.sources[at], updates.batch.targets[at], true);
  }

  /// Keys of source and target alone, as `run_keys::key` makes them: a loop that becomes one of vectors.
  void put_pairs(std::size_t first, std::size_t last) const {
    const std::uint32_t shift = format.format.index_bits;
    for (std::size_t at = first; at < last; ++at) {
      keys[at] = std::uint64_t{updates.batch.sources[at]} << shift | updates.batch.targets[at];
    }
  }
};

}  // namespace mangrove::detail
