#pragma once

#include <cstdint>
#include <memory>

#include "mangrove/core/buffer.hpp"
#include "mangrove/graph/update.hpp"

namespace mangrove {

/// What a batch will do to a directed edge, once duplicates and no-ops are gone.
enum class edge_action : std::uint8_t { insert, overwrite, erase };

/// A batch's net effect, which algorithms that are maintained read before it is applied and after.
///
/// Made by `dynamic_graph::preview`; or by `dynamic_graph::prepare`, with every byte that applying it needs, and used
/// up by `dynamic_graph::commit`. Edges are directed: an undirected edge appears in both directions.
template <backend B>
class graph_change {
 public:
  /// Number of directed edges that change.
  [[nodiscard]] std::size_t size() const noexcept { return edges.size(); }

  /// Vertex indices (source << 32 | target), ascending, without repeats. In the backend's memory.
  buffer<B, std::uint64_t> edges;
  /// What happens to each of `edges`.
  buffer<B, edge_action> actions;
  update_counts counts;

  /// What `commit` needs besides; private to the graph room.
  std::shared_ptr<void> plan;
};

}  // namespace mangrove
