#include "mangrove/core/for_each.hpp"

#include "clustering_impl.hpp"
#include "oriented_graph_impl.hpp"
#include "packed_rows.hpp"
#include "recount_impl.hpp"

namespace mangrove {

namespace detail::triangles {

template <class Corners>
std::uint64_t count_all(const cpu_resources& res, const oriented_graph<cpu>& graph, Corners corners) {
  if (graph.order == vertex_order::by_degree) return count_by_bitmaps(res, graph, corners);
  tally<cpu> total(res);
  count_by_merging(res, graph, corners, total.ref());
  return total.total(res);
}

}  // namespace detail::triangles

template oriented_graph<cpu> orient(const cpu_resources&, const csr_view<cpu>&, vertex_order);
template std::uint64_t count_oriented(const cpu_resources&, const oriented_graph<cpu>&);
template buffer<cpu, std::uint64_t> count_oriented_by_vertex(const cpu_resources&, const oriented_graph<cpu>&);
template detail::triangles::triangle_difference detail::triangles::recount(const cpu_resources&, const csr_view<cpu>&,
                                                                           const graph_change<cpu>&, std::uint64_t);
template clustering<cpu> detail::triangles::clustering_of(const cpu_resources&, const csr_view<cpu>&, std::uint64_t);

}  // namespace mangrove
