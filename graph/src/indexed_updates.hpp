#pragma once

#include <cstddef>
#include <cstdint>

#include "mangrove/core/backend.hpp"
#include "mangrove/graph/graph_options.hpp"
#include "mangrove/graph/update.hpp"

namespace mangrove::detail {

/// A batch by vertex index, in the backend's memory. An index at or beyond the graph's stands for an unknown vertex.
struct indexed_updates {
  const std::uint32_t* sources = nullptr;
  const std::uint32_t* targets = nullptr;
  const update_kind* kinds = nullptr;  ///< null: all are of `kind`
  update_kind kind = update_kind::insert;
  std::size_t size = 0;

  [[nodiscard]] MANGROVE_HOST_DEVICE update_kind kind_of(std::size_t i) const {
    return kinds == nullptr ? kind : kinds[i];
  }
};

/// What inserts may name: `edges_only` if it is known that no index is too large and no self loop is to be dropped.
enum class edge_naming { any, edges_only };

MANGROVE_HOST_DEVICE constexpr bool names_edge(update_kind kind) {
  return kind == update_kind::insert || kind == update_kind::erase;
}

/// Whether the update makes vertices come to be.
MANGROVE_HOST_DEVICE constexpr bool creates(update_kind kind) {
  return kind == update_kind::insert || kind == update_kind::insert_vertex;
}

/// For every vertex, one more than the position of the batch's last update that erases it; 0 for none.
/// Null where the batch erases no vertex.
struct vertex_erasures {
  const std::uint32_t* last = nullptr;

  /// Whether update `sequence`, which touches `vertex`, is undone by a later erasure of the vertex.
  [[nodiscard]] MANGROVE_HOST_DEVICE bool undo(std::uint32_t sequence, std::uint32_t vertex) const {
    return last != nullptr && last[vertex] > sequence;
  }
};

MANGROVE_HOST_DEVICE constexpr std::uint64_t edge_key(std::uint32_t source, std::uint32_t target) {
  return static_cast<std::uint64_t>(source) << 32 | target;
}
MANGROVE_HOST_DEVICE constexpr std::uint32_t key_source(std::uint64_t key) {
  return static_cast<std::uint32_t>(key >> 32);
}
MANGROVE_HOST_DEVICE constexpr std::uint32_t key_target(std::uint64_t key) {
  return static_cast<std::uint32_t>(key);
}

/// What counts as one edge: both directions of an undirected edge are kept, the one with source <= target counts.
MANGROVE_HOST_DEVICE constexpr bool counts_once(std::uint64_t key, edge_direction direction) {
  return direction == edge_direction::directed || key_source(key) <= key_target(key);
}

}  // namespace mangrove::detail
