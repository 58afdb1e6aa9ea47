#pragma once

#include <cstdint>

#include "mangrove/core/buffer.hpp"
#include "mangrove/core/none.hpp"

namespace mangrove {

/// A graph in compressed sparse rows, in a backend's memory: the neighbours of the vertex with index u are
/// `targets[offsets[u] .. offsets[u + 1])`, ascending by index. Both directions of an undirected edge are present.
template <backend B, class Weight>
struct csr {
  buffer<B, std::uint64_t> offsets;  ///< index_count + 1
  buffer<B, std::uint32_t> targets;  ///< vertex indices, one per directed edge
  buffer<B, Weight> weights;         ///< one per directed edge; empty without weights
};

/// A graph as a list of directed edges, in a backend's memory, ascending by (source, target) index.
template <backend B, class Weight>
struct coo {
  buffer<B, std::uint32_t> sources;
  buffer<B, std::uint32_t> targets;
  buffer<B, Weight> weights;  ///< empty without weights
};

}  // namespace mangrove
