#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mangrove/core/resources.hpp"

/// @file
/// Inputs of the benchmarks, in host memory. All are functions of their arguments: the same on every machine.

namespace mangrove::bench {

/// Directed edges between vertices with dense 32-bit ids.
struct directed_edges {
  std::string name;            ///< of the graph; empty for a batch
  std::uint32_t vertices = 0;  ///< ids are below
  std::vector<std::uint32_t> sources;
  std::vector<std::uint32_t> targets;

  [[nodiscard]] std::size_t size() const noexcept { return sources.size(); }
};

/// Both directions of every edge of a generated graph, in a shuffled order. Ids start at 1.
/// @param name a generator and the logarithm of the number of vertices, such as rmat20, rgg20, mesh20, road23
/// @throws usage_error no such graph
directed_edges named_graph(const cpu_resources& res, const std::string& name);

/// Of both directions of every edge that from the smaller to the larger id. Self loops are left out.
directed_edges one_direction(const directed_edges& edges);

/// `count` edges between vertices drawn at random. Repeats are possible, as in any batch.
directed_edges random_batch(std::uint32_t vertices, std::size_t count, std::uint64_t seed);

/// `count` edges of R-MAT graphs of the scale that `vertices` has: a few vertices take many of them. Repeats and self
/// loops are possible.
directed_edges power_law_batch(const cpu_resources& res, std::uint32_t vertices, std::size_t count, std::uint64_t seed);

/// `hubs` times `count` edges: each run of `count` leaves one vertex for targets that are all different. Targets may be
/// beyond `vertices` when there are too few.
directed_edges hub_batches(std::uint32_t vertices, std::size_t count, std::size_t hubs, std::uint64_t seed);

/// `count` different vertices of the ids 1 to `vertices` - 1.
std::vector<std::uint32_t> random_vertices(std::uint32_t vertices, std::size_t count, std::uint64_t seed);

/// The edges that touch one of `chosen`.
directed_edges edges_at(const directed_edges& edges, const std::vector<std::uint32_t>& chosen);

}  // namespace mangrove::bench
