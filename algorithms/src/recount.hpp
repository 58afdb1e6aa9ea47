#pragma once

#include <cstdint>

#include "mangrove/algorithms/oriented_graph.hpp"
#include "mangrove/graph/graph_change.hpp"

namespace mangrove::detail::triangles {

/// Triangles that a batch makes and breaks.
struct triangle_difference {
  std::uint64_t gained = 0;
  std::uint64_t lost = 0;
};

/// What a batch will do to the triangles of a graph, by counting whole graphs: the one without the edges that the batch
/// erases, and that one with the edges that it inserts. So it is known before anything changes.
/// @param rows the graph before the batch
/// @param change not empty
/// @param triangles how many the graph has
/// @throws memory_error when memory is refused
template <backend B>
triangle_difference recount(const resources<B>& res, const csr_view<B>& rows, const graph_change<B>& change,
                            std::uint64_t triangles);

}  // namespace mangrove::detail::triangles
