#pragma once

#include "mangrove/algorithms/oriented_graph.hpp"
#include "mangrove/algorithms/triangle_count.hpp"

namespace mangrove::detail::triangles {

/// @param existing how many of the rows' indices are vertices
template <backend B>
clustering<B> clustering_of(const resources<B>& res, const csr_view<B>& rows, std::uint64_t existing);

}  // namespace mangrove::detail::triangles
