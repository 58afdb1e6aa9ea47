#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mangrove {

/// Edges in host memory, as columns: edge i goes from `sources[i]` to `targets[i]`.
///
/// Ids are what the file or the caller calls the vertices. A list is kept as it came: there may be self loops and
/// repeats, and an undirected edge may be listed in one direction or in both.
struct edge_list {
  std::vector<std::uint64_t> sources;
  std::vector<std::uint64_t> targets;
  std::vector<double> weights;  ///< empty when the edges carry no weight, else one per edge
  /// Vertices that exist whatever the edges say, ids 1 to vertex_count (Matrix Market's rows); 0: only edges say.
  /// A file may claim any number here: check it before memory is sized by it.
  std::uint64_t vertex_count = 0;
  bool directed = false;  ///< whether (u, v) and (v, u) are different edges

  [[nodiscard]] std::size_t size() const noexcept { return sources.size(); }
  [[nodiscard]] bool weighted() const noexcept { return !weights.empty(); }
};

}  // namespace mangrove
