#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/buffer.hpp"
#include "outcome.hpp"

namespace mangrove::detail {

/// Vertices and directed edges by `adjacency_kind`; vertices without edges are not counted.
struct kind_counts {
  std::uint64_t vertices[adjacency_kinds];
  std::uint64_t edges[adjacency_kinds];
};

/// Body: adds a stretch of vertices up.
template <class Bits>
struct count_kinds {
  static constexpr std::size_t stretch = 4096;

  const vertex_entry* entries;
  std::size_t count;
  kind_counts* totals;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t size = count - first < stretch ? count - first : stretch;
    std::uint64_t vertices[adjacency_kinds] = {};
    std::uint64_t edges[adjacency_kinds] = {};
    tile.strided(size, [&](std::size_t k) {
      const vertex_entry& entry = entries[first + k];
      if (entry.degree == 0) return;
      const auto kind = static_cast<std::uint32_t>(entry_layout<Bits>::kind(entry));
      for (std::uint32_t other = 0; other < adjacency_kinds; ++other) {
        vertices[other] += other == kind ? 1 : 0;
        edges[other] += other == kind ? entry.degree : 0;
      }
    });
    for (std::uint32_t kind = 0; kind < adjacency_kinds; ++kind) {
      tile.add_sum(&totals->vertices[kind], vertices[kind]);
      tile.add_sum(&totals->edges[kind], edges[kind]);
    }
  }
};

template <backend B, class Bits>
kind_counts count_by_kind(const resources<B>& res, const adjacency_view<Bits>& graph) {
  buffer<B, kind_counts> totals(res, 1);
  fill_bytes(res, totals.data(), 0, 1);
  const std::size_t stretches = (graph.entry_count + count_kinds<Bits>::stretch - 1) / count_kinds<Bits>::stretch;
  for_each_task<32>(res, stretches, count_kinds<Bits>{graph.entries, graph.entry_count, totals.data()});
  return read_back(res, totals.data());
}

}  // namespace mangrove::detail
