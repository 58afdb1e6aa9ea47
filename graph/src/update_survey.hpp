#pragma once

#include <cstddef>
#include <cstdint>

#include "indexed_updates.hpp"
#include "mangrove/core/atomic.hpp"
#include "mangrove/core/buffer.hpp"
#include "mangrove/core/transfer.hpp"

/// @file
/// What kinds of updates a batch has. Needs the backend's `for_each_tile`.

namespace mangrove::detail {

/// Whether a batch names vertices. Of two batches together it is both values' bits.
enum class vertex_updates : std::uint32_t { none = 0, inserts = 1, erases = 3 };

[[nodiscard]] MANGROVE_HOST_DEVICE inline vertex_updates vertex_updates_of(update_kind kind) {
  if (names_edge(kind)) return vertex_updates::none;
  return kind == update_kind::erase_vertex ? vertex_updates::erases : vertex_updates::inserts;
}

/// Body: notes what vertex updates a batch has.
struct find_vertex_updates {
  const update_kind* kinds;
  std::uint32_t* found;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile&, std::size_t i) const {
    if (names_edge(kinds[i])) return;
    const auto bits = static_cast<std::uint32_t>(vertex_updates_of(kinds[i]));
    if ((load_relaxed(found) & bits) != bits) fetch_or(found, bits);
  }
};

/// Body: adds up how many updates of a stretch name edges.
struct count_edge_updates {
  static constexpr std::size_t stretch = 512;

  const update_kind* kinds;
  std::size_t count;
  std::uint64_t* total;

  template <class Tile>
  MANGROVE_HOST_DEVICE void operator()(const Tile& tile, std::size_t i) const {
    const std::size_t first = i * stretch;
    const std::size_t size = count - first < stretch ? count - first : stretch;
    std::uint32_t mine = 0;
    tile.strided(size, [&](std::size_t k) { mine += names_edge(kinds[first + k]) ? 1 : 0; });
    tile.add_sum(total, mine);
  }
};

template <backend B>
vertex_updates vertex_updates_in(const resources<B>& res, const indexed_updates& updates) {
  if (updates.kinds == nullptr) return vertex_updates_of(updates.kind);
  buffer<B, std::uint32_t> found(res, 1);
  fill_bytes(res, found.data(), 0, 1);
  for_each_tile<1>(res, updates.size, find_vertex_updates{updates.kinds, found.data()});
  return static_cast<vertex_updates>(read_back(res, found.data()));
}

/// How many updates of a batch name edges, if it names vertices, too.
template <backend B>
std::uint64_t count_edge_updates_in(const resources<B>& res, const indexed_updates& updates) {
  if (updates.kinds == nullptr) return 0;
  buffer<B, std::uint64_t> total(res, 1);
  fill_bytes(res, total.data(), 0, 1);
  const std::size_t stretches = (updates.size + count_edge_updates::stretch - 1) / count_edge_updates::stretch;
  for_each_task<32>(res, stretches, count_edge_updates{updates.kinds, updates.size, total.data()});
  return read_back(res, total.data());
}

}  // namespace mangrove::detail
