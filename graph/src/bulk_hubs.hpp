#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_fill.hpp"

/// @file
/// Rows of a bulk build whose tables no scratch has room for: many tiles build each in place, in three launches.

namespace mangrove::detail {

/// What the launches share: chunks of hubs, and how one finds its share of the table.
template <class Bits>
struct hub_chunks {
  using layout = entry_layout<Bits>;

  bulk_source<Bits> from;
  const bulk_row* rows;  ///< of hubs
  const hub_chunk* chunks;

  struct share {
    std::uint32_t first;
    std::uint32_t last;
  };

  /// The chunk's buckets of a table.
  [[nodiscard]] MANGROVE_HOST_DEVICE static share buckets(const vertex_entry& entry, const bulk_row& row,
                                                          const hub_chunk& chunk) {
    const std::uint64_t slabs = entry.granules() / granules_per_slab;
    const std::uint64_t parts = hub_chunk::count_for(row.size());
    return {static_cast<std::uint32_t>(slabs * chunk.number / parts),
            static_cast<std::uint32_t>(slabs * (chunk.number + std::uint64_t{1}) / parts)};
  }
};

/// Body: writes the entry, with degree 0, and empties the chunk's buckets.
template <class Bits>
struct clear_hub : hub_chunks<Bits> {
  using base = hub_chunks<Bits>;
  using base::chunks, base::from, base::rows;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const hub_chunk chunk = chunks[i];
    const bulk_row row = rows[chunk.row];
    const vertex_entry entry = from.take(row);
    const auto share = base::buckets(entry, row, chunk);
    bulk_table<Bits>(from.graph.table_of(entry)).clear(tile, share.first, share.last);
    if (chunk.number == 0 && tile.lane() == 0) from.graph.entries[row.vertex] = entry;
  }
};

/// Body: inserts the chunk's edges and counts them into the degree.
template <class Bits>
struct fill_hub : hub_chunks<Bits> {
  using base = hub_chunks<Bits>;
  using base::chunks, base::from, base::rows;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const hub_chunk chunk = chunks[i];
    const bulk_row row = rows[chunk.row];
    const std::uint32_t first = chunk.number * bulk_limits::chunk_edges;
    const std::uint32_t left = row.size() - first;
    vertex_entry& entry = from.graph.entries[row.vertex];
    const bulk_table<Bits> table(from.graph.table_of(entry));
    std::uint32_t own = 0;
    tile.strided(left < bulk_limits::chunk_edges ? left : bulk_limits::chunk_edges, [&](std::size_t k) {
      const std::uint32_t number = first + static_cast<std::uint32_t>(k);
      own += table.template insert<access::maybe_old>(from.values.target(row.begin + number), number) ? 1 : 0;
    });
    tile.add_sum(&entry.degree, own);
  }
};

/// Body: puts weights into the place of the numbers of edges.
template <class Bits>
struct settle_hub : hub_chunks<Bits> {
  using base = hub_chunks<Bits>;
  using base::chunks, base::from, base::rows;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const hub_chunk chunk = chunks[i];
    const bulk_row row = rows[chunk.row];
    const vertex_entry entry = from.graph.entries[row.vertex];
    const auto share = base::buckets(entry, row, chunk);
    bulk_table<Bits>(from.graph.table_of(entry))
        .settle_weights(tile, share.first, share.last, from.values.from(row.begin));
  }
};

}  // namespace mangrove::detail
