#pragma once

#include "edge_sort.hpp"
#include "vertex_runs.hpp"

namespace mangrove::detail {

/// How the directed updates of a batch become 64-bit keys that are sorted by source, and what such a key says. It holds
/// the target and, if positions matter, the position; where all three do not fit, the position alone, which leads to
/// the target.
struct run_keys {
  edge_updates updates;
  sort_format format;
  std::uint32_t first_bit;  ///< the bits to sort by are those from here on, `format.index_bits` of them

  /// Above every other key. Its source is no vertex.
  static constexpr std::uint64_t dropped = ~std::uint64_t{0};

  /// @param ordered whether positions matter
  static run_keys for_batch(const edge_updates& updates, std::uint32_t index_count, bool ordered) {
    const auto format = sort_format::for_batch(index_count, ordered ? updates.batch.size : 0);
    return {updates, format, format.packed ? format.sequence_bits + format.index_bits : position_bits};
  }

  /// @param i position in the batch @param directed position among directed updates
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint64_t key(std::uint32_t u, std::uint32_t v, std::uint32_t i,
                                                       std::uint32_t directed) const {
    if (format.packed) return format.key(u, v, format.sequence_bits == 0 ? 0 : i);
    return std::uint64_t{u} << position_bits | directed;
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t source(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key >> first_bit);
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t target(std::uint64_t key) const {
    if (!format.packed) return updates.target(static_cast<std::uint32_t>(key));
    return static_cast<std::uint32_t>(format.pair(key) & ((std::uint64_t{1} << format.index_bits) - 1));
  }
  [[nodiscard]] MANGROVE_HOST_DEVICE std::uint32_t sequence(std::uint64_t key) const {
    return format.packed ? format.sequence(key) : updates.sequence(static_cast<std::uint32_t>(key));
  }

 private:
  static constexpr std::uint32_t position_bits = 32;
};

}  // namespace mangrove::detail
