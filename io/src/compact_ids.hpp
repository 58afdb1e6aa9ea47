#pragma once

#include "mangrove/graph/edge_list.hpp"

namespace mangrove::io::detail {

/// The same graph with the ids 1 to n: each vertex's rank, by id, among the ends of edges and 1 to `vertex_count`.
edge_list with_compact_ids(const edge_list& edges);

}  // namespace mangrove::io::detail
